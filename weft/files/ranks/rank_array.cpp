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

// What all ranks know of an array.
struct array_head {
  io::element_type type;
  bool npy;
  std::uint64_t count;
};

} // namespace

array_share read_share(multi::communicator& ranks, const std::string& path,
                       const std::function<std::unique_ptr<io::byte_source>()>& open, const std::string& type,
                       std::uint64_t limit) {
  std::optional<mapped_array> mapped;
  multi::run_together(ranks, [&] {
    try {
      mapped = map_array(path, type);
    } catch (const io_error&) { // rank 0 then reads for all
      if (ranks.rank() == 0) throw;
    }
  });
  const bool is_mapped = multi::reduce_number(ranks, mapped ? 1 : 0, multi::reduction::min) == 1;
  array_head head{};
  number_array all{};
  if (is_mapped) head = {mapped->type, mapped->npy, mapped->count};
  multi::run_together(ranks, [&] {
    if (is_mapped || ranks.rank() != 0) return;
    all = read_array(open(), path, type, limit);
    head = {all.type, all.npy, all.count};
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
    share.own.bytes = mapped->bytes.substr(begin(rank), bytes_of(rank));
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
