#include <weft/files/ranks/rank_array.hpp>

#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/ranks/rank_bytes.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/io/npy.hpp>
#include <weft/multi/sort.hpp>

namespace weft::files {

namespace {

// Returns where the share of a rank begins.
std::uint64_t share_begin(std::uint64_t count, int rank, int num_ranks) {
  const auto r = static_cast<std::uint64_t>(rank), p = static_cast<std::uint64_t>(num_ranks);
  return count / p * r + count % p * r / p;
}

// Returns the number of bytes in front of the items of a .npy file: magic, version, size of the header, which
// has two bytes in version 1 and four in later ones, and the header.
std::uint64_t npy_data_offset(std::string_view file) {
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(file[i])}; };
  if (byte(6) == 1) return 10 + byte(8) + 256 * byte(9);
  return 12 + byte(8) + 256 * byte(9) + 65536 * byte(10) + (byte(11) << 24);
}

// What all ranks know of an array.
struct array_head {
  io::element_type type;
  bool npy;
  std::uint64_t count;
  std::uint64_t data_offset; // in the file, if all ranks read it
};

// Returns whether a path is a plain regular file.
bool is_plain(const std::string& path) {
  if (!is_regular(path)) return false;
  try {
    return io::open_bytes(path)->kind() == io::compression::none;
  } catch (const error&) {
    return false;
  }
}

// Reads the head of a mapped file, and checks its size. Throws as read_array().
array_head read_head(std::string_view file, const std::string& path, const std::string& type) {
  const bool npy = type.empty() || path.ends_with(".npy") || file.starts_with(io::npy_magic);
  if (!npy) {
    const io::element_type items = io::parse_element_type(type);
    if (file.size() % io::size_of(items) == 0) return {items, false, file.size() / io::size_of(items), 0};
  } else if (file.starts_with(io::npy_magic) && file.size() > 12) {
    const auto source = io::memory_bytes(file, path);
    const io::npy_array header = io::read_npy_header(*source);
    const std::uint64_t offset = npy_data_offset(file);
    const bool fits = offset + header.count * io::size_of(header.type) == file.size();
    if (fits && (type.empty() || io::parse_element_type(type) == header.type))
      return {header.type, true, header.count, offset};
  }
  (void)read_array(io::memory_bytes(file, path), path, type, 0); // throws
  throw parse_error(path, 0, 0, "the file is no array");
}

} // namespace

array_share read_share(multi::communicator& ranks, const std::string& path,
                       const std::function<std::unique_ptr<io::byte_source>()>& open, const std::string& type,
                       std::uint64_t limit) {
  const bool is_mapped = multi::reduce_number(ranks, is_plain(path) ? 1 : 0, multi::reduction::min) == 1;
  array_head head{};
  number_array all{};
  io::mapped_file file;
  multi::run_together(ranks, [&] {
    if (is_mapped) {
      file = io::map_file(path);
      head = read_head({file.bytes.data(), file.bytes.size()}, path, type);
    } else if (ranks.rank() == 0) {
      all = read_array(open(), path, type, limit);
      head = {all.type, all.npy, all.count, 0};
    }
  });
  ranks.broadcast(std::as_writable_bytes(std::span(&head, 1)), 0);
  array_share share{{head.type, 0, {}, head.npy}, head.count};
  const std::uint64_t size = io::size_of(head.type);
  const auto begin = [&](int rank) { return size * share_begin(head.count, rank, ranks.size()); };
  const auto bytes_of = [&](int rank) { return begin(rank + 1) - begin(rank); };
  const int rank = ranks.rank();
  multi::run_together(ranks, [&] {
    if (limit != 0 && bytes_of(rank) > limit)
      throw memory_error(fmt::format("sorting needs {} of memory, but only {} is allowed",
                                     format_size(bytes_of(rank)), format_size(limit)));
  });
  if (is_mapped) {
    share.own.bytes.assign(file.bytes.data() + head.data_offset + begin(rank), bytes_of(rank));
  } else if (rank == 0) {
    for (int other = 1; other < ranks.size(); ++other)
      multi::send_text(ranks, std::string_view(all.bytes).substr(begin(other), bytes_of(other)), other);
    all.bytes.resize(bytes_of(0));
    share.own.bytes = std::move(all.bytes);
  } else {
    share.own.bytes = multi::receive_text(ranks, 0);
  }
  share.own.count = share.own.bytes.size() / size;
  return share;
}

void sort_share(multi::communicator& ranks, array_share& keys, const array_share* values, array_task task,
                bool descends, const sort_options& options, rank_output& out) {
  const number_type type = sort_type_of(keys.own.type, descends);
  const array_share& result = values == nullptr ? keys : *values;
  const io::element_type written = task == array_task::argsort ? io::element_type::u64 : result.own.type;
  if (result.own.npy) out.write_header(io::npy_header({written, result.count}));
  const auto write = [&](std::string_view bytes) {
    out.begin_turn(bytes.size());
    out.end_turn(bytes);
  };
  const std::uint64_t count = keys.own.count;
  if (task == array_task::argsort) {
    const std::vector<std::uint64_t> order = multi_detail::order_of_numbers(
        ranks, keys.own.bytes.data(), count, type, multi::sizes::natural, options.run);
    write({reinterpret_cast<const char*>(order.data()), order.size() * sizeof(std::uint64_t)});
    return;
  }
  const unwritten_vector<char> part =
      values == nullptr
          ? multi_detail::sorted_numbers(ranks, keys.own.bytes.data(), count, type, multi::sizes::natural,
                                         options.run)
          : multi_detail::values_by_numbers(ranks, keys.own.bytes.data(), count, type,
                                            values->own.bytes.data(),
                                            static_cast<std::uint32_t>(io::size_of(values->own.type)),
                                            multi::sizes::natural, options.run);
  write({part.data(), part.size()});
}

} // namespace weft::files
