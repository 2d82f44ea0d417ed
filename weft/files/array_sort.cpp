#include <weft/files/array_sort.hpp>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <weft/base/device.hpp>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/output_file.hpp>
#include <weft/sort/cpu/permute.hpp>
#include <weft/sort/engines.hpp>

namespace weft::files {

namespace {

// Returns the number of bytes in front of the items of a .npy file: magic, version, size of the header, which
// has two bytes in version 1 and four in later ones, and the header.
std::uint64_t npy_data_offset(std::string_view file) {
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(file[i])}; };
  if (byte(6) == 1) return 10 + byte(8) + 256 * byte(9);
  return 12 + byte(8) + 256 * byte(9) + 65536 * byte(10) + (byte(11) << 24);
}

// Puts the values into the order. Values are moved as unsigned numbers of their size.
void permute_values(number_array& values, const std::vector<std::uint64_t>& order, int threads) {
  const auto permute_as = [&](auto* type_tag) { // operator new aligns the bytes for every type
    sort_detail::permute(std::span(reinterpret_cast<decltype(type_tag)>(values.bytes.data()), values.count),
                         order, threads);
  };
  switch (io::size_of(values.type)) {
  case 1:
    return permute_as(static_cast<std::uint8_t*>(nullptr));
  case 2:
    return permute_as(static_cast<std::uint16_t*>(nullptr));
  case 4:
    return permute_as(static_cast<std::uint32_t*>(nullptr));
  case 8:
    return permute_as(static_cast<std::uint64_t*>(nullptr));
  default:
    return permute_as(static_cast<uint128*>(nullptr));
  }
}

// Returns whether the GPU that the user asks for may be too small for all items at once. It takes somewhat
// more than twice the items, which count as 32 bits at least; the estimate is three times.
bool sorts_in_runs(const number_array& keys, const sort_options& options) {
  const run_options& run = options.run;
  if (run.device.kind != device_kind::gpu && run.engine != "gpu") return false;
  std::uint64_t allowed = run.device_memory;
  if (run.device_memory == 0)
    if (const gpu_info* const gpu = base_detail::usable_gpu(run.device.index)) allowed = gpu->free_memory;
  return 3 * std::max<std::uint64_t>(io::size_of(keys.type), 4) * keys.count > allowed;
}

} // namespace

number_type sort_type_of(io::element_type type, bool descends) {
  const char kind = io::name_of(type).front(); // of "u8" .. "f64"
  return {static_cast<std::uint32_t>(io::size_of(type)),
          kind == 'f'   ? number_kind::floating
          : kind == 'i' ? number_kind::signed_integer
                        : number_kind::unsigned_integer,
          descends};
}

number_array read_array(std::unique_ptr<io::byte_source> file, const std::string& path,
                        const std::string& type, std::uint64_t limit) {
  const auto [start, source] = io::peek(std::move(file), io::npy_magic.size());
  number_array result{};
  result.npy = type.empty() || path.ends_with(".npy") || start == io::npy_magic;
  if (result.npy) {
    const io::npy_array header = io::read_npy_header(*source);
    if (!type.empty() && io::parse_element_type(type) != header.type)
      throw error(errc::invalid_input, fmt::format("{} contains numbers of type {}, not {}", path,
                                                   io::name_of(header.type), type));
    result.type = header.type;
    result.count = header.count;
  } else {
    result.type = io::parse_element_type(type);
  }
  result.bytes = io::read_all(*source, io::memory_beside_decoder(source->kind(), limit));
  const std::uint64_t size = io::size_of(result.type);
  if (!result.npy) result.count = result.bytes.size() / size;
  if (result.bytes.size() != result.count * size)
    throw parse_error(source->name(), 0, 0,
                      result.npy ? fmt::format("the header announces {} items, but {} bytes follow",
                                               result.count, result.bytes.size())
                                 : fmt::format("the file has {} bytes, which is not a whole number of {} "
                                               "items",
                                               result.bytes.size(), io::name_of(result.type)));
  return result;
}

std::optional<mapped_array> map_array(const std::string& path, const std::string& type) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  if (io::open_bytes(path)->kind() != io::compression::none) return std::nullopt;
  mapped_array array{io::map_file(path), {}, 0, {}, false};
  const std::string_view bytes(array.file.bytes.data(), array.file.bytes.size());
  array.npy = type.empty() || path.ends_with(".npy") || bytes.starts_with(io::npy_magic);
  std::uint64_t offset = 0;
  if (array.npy) {
    const io::npy_array header = io::read_npy_header(*io::memory_bytes(bytes, path));
    offset = npy_data_offset(bytes);
    array.type = header.type;
    array.count = header.count;
  } else {
    array.type = io::parse_element_type(type);
    array.count = bytes.size() / io::size_of(array.type);
  }
  array.bytes = bytes.substr(offset);
  const bool is_whole = array.bytes.size() == array.count * io::size_of(array.type);
  if (!is_whole || (!type.empty() && io::parse_element_type(type) != array.type))
    (void)read_array(io::memory_bytes(bytes, path), path, type, 0); // throws an error that says why
  return array;
}

void require_sort_memory(const number_array& keys, const number_array* values, array_task task,
                         const sort_options& options, std::uint64_t limit) {
  const bool ordered = task == array_task::argsort || task == array_task::sort_values;
  const bool merged = options.run.engine == "merge" || options.run.engine == "sample-merge";
  const std::uint64_t value_bytes = values == nullptr ? 0 : values->bytes.size();
  const std::uint64_t need = keys.bytes.size() + value_bytes +
                             (ordered                        ? 24 * keys.count + value_bytes
                              : merged                       ? 2 * keys.bytes.size()
                              : sorts_in_runs(keys, options) ? keys.bytes.size()
                                                             : 0);
  if (limit != 0 && need > limit)
    throw memory_error(fmt::format("sorting needs {} of memory, but only {} is allowed", format_size(need),
                                   format_size(limit)));
}

std::vector<std::uint64_t> sort_array(number_array& keys, number_array* values, array_task task,
                                      bool descends, const sort_options& options) {
  const bool finds_order = task == array_task::argsort || task == array_task::sort_values;
  std::vector<std::uint64_t> order;
  sort_detail::sort_problem problem{
      .task = finds_order ? sort_detail::sort_task::argsort : sort_detail::sort_task::sort,
      .run = options.run,
      .num_items = keys.count,
      .stable = task != array_task::sort,
      .type = sort_type_of(keys.type, descends),
      .items = keys.bytes.data(), // operator new aligns the bytes for every type
      .order = &order};
  sort_detail::solve_sort(problem);
  if (task != array_task::sort_values) return order;
  permute_values(*values, order, options.run.threads);
  return {};
}

std::optional<std::uint64_t> sort_between_files(const std::string& input, const std::string& type,
                                                bool descends, const sort_options& options,
                                                const std::string& output) {
  const std::optional<mapped_array> array = map_array(input, type);
  if (!array) return std::nullopt;
  const sort_detail::sort_problem problem{
      .task = sort_detail::sort_task::sort,
      .run = options.run,
      .num_items = array->count,
      .type = sort_type_of(array->type, descends),
      .items = const_cast<char*>(array->bytes.data())}; // sort_in_pieces() only reads them
  // A pipe must be opened only once, by who writes to it.
  std::error_code ignored;
  const bool is_pipe =
      output.empty() || output == "-" ||
      (std::filesystem::exists(output, ignored) && !std::filesystem::is_regular_file(output, ignored));
  if (is_pipe || !sort_detail::is_for_gpu(problem)) return std::nullopt;
  io::output_file out(output);
  if (out.temporary().empty()) return std::nullopt; // /dev/stdout, which is a regular file
  const std::string header = array->npy ? io::npy_header({array->type, array->count}) : "";
  const auto write = [&](std::uint64_t offset, std::span<const std::byte> bytes) {
    out.write_at(header.size() + offset, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  if (options.run.monitor != nullptr) options.run.monitor->set_total(array->count);
  if (!sort_detail::sort_in_pieces(problem, write)) return std::nullopt;
  out.write_at(0, header);
  out.commit();
  return array->count;
}

void write_array(const std::string& path, bool npy, io::element_type type, std::uint64_t count,
                 std::string_view bytes) {
  io::output_file out(path);
  if (npy) out.write(io::npy_header({type, count}));
  out.write(bytes);
  out.commit();
}

} // namespace weft::files
