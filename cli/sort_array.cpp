// weft sort, for arrays of numbers.
#include <algorithm>
#include <cli/program.hpp>
#include <cli/sort_halves.hpp>
#include <cli/task.hpp>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/npy.hpp>
#include <weft/io/output_file.hpp>
#include <weft/sort/sort.hpp>

namespace weft::cli {

namespace {

// An array of numbers in memory.
struct array {
  io::element_type type;
  std::uint64_t count = 0;
  std::string bytes; // the items
  bool npy = false;
};

// Reads an array. The file is a .npy file if its first bytes or its name say so, or if no type is given;
// otherwise its bytes are items of the given type. Throws parse_error if the file is not a whole number of
// items.
array read_array(std::unique_ptr<io::byte_source> file, const std::string& path, const std::string& type,
                 std::uint64_t limit) {
  const auto [start, source] = io::peek(std::move(file), io::npy_magic.size());
  array result{};
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

// Calls body with a null pointer to the C++ type.
template <class Body> void with_type(io::element_type type, Body body) {
  switch (type) {
  case io::element_type::u8:
    return body(static_cast<std::uint8_t*>(nullptr));
  case io::element_type::u16:
    return body(static_cast<std::uint16_t*>(nullptr));
  case io::element_type::u32:
    return body(static_cast<std::uint32_t*>(nullptr));
  case io::element_type::u64:
    return body(static_cast<std::uint64_t*>(nullptr));
  case io::element_type::i8:
    return body(static_cast<std::int8_t*>(nullptr));
  case io::element_type::i16:
    return body(static_cast<std::int16_t*>(nullptr));
  case io::element_type::i32:
    return body(static_cast<std::int32_t*>(nullptr));
  case io::element_type::i64:
    return body(static_cast<std::int64_t*>(nullptr));
  case io::element_type::i128:
    return body(static_cast<int128*>(nullptr));
  case io::element_type::f32:
    return body(static_cast<float*>(nullptr));
  case io::element_type::f64:
    return body(static_cast<double*>(nullptr));
  }
}

template <class Item> std::span<Item> items_of(array& from) {
  return {reinterpret_cast<Item*>(from.bytes.data()), from.count}; // operator new aligns it for every type
}

// Sorts the keys, or orders the values by the keys, or finds the order of the keys, as the flags say.
template <class Item, class Less>
void sort_as_asked(const arguments& given, array& keys, array* values, std::vector<std::uint64_t>& order,
                   Less less, const sort_options& options) {
  const std::span<Item> items = items_of<Item>(keys);
  if (given.has("argsort")) {
    order = argsort(items, less, options);
  } else if (values != nullptr) {
    order = argsort(items, less, options);
    with_type(values->type, [&](auto* type) {
      detail::permute(items_of<std::remove_pointer_t<decltype(type)>>(*values), order, options.run.threads);
    });
  } else if (given.has("stable")) {
    stable_sort(items, less, options);
  } else {
    sort(items, less, options);
  }
}

// Returns whether the GPU that the user asks for may be too small for all items at once. It takes somewhat
// more than twice the items, which count as 32 bits at least; the estimate is three times.
bool sorts_in_runs(const array& keys, const sort_options& options) {
  const run_options& run = options.run;
  if (run.device.kind != device_kind::gpu && run.engine != "gpu") return false;
  std::uint64_t allowed = run.device_memory;
  for (const gpu_info& gpu : known_gpus().devices)
    if (run.device_memory == 0 && gpu.index == run.device.index) allowed = gpu.free_memory;
  return 3 * std::max<std::uint64_t>(io::size_of(keys.type), 4) * keys.count > allowed;
}

// Throws memory_error if sorting needs more than `limit` bytes (0: no limit). Numbers alone are sorted in
// place, except by merges, which take more memory, also for the runs of a GPU. An order takes 16 bytes an
// item to find and 8 bytes to keep.
void require_memory(const arguments& given, const array& keys, const array& values,
                    const sort_options& options, std::uint64_t limit) {
  const bool ordered = given.has("argsort") || given.has("by-key");
  const bool merged = options.run.engine == "merge" || options.run.engine == "sample-merge";
  const std::uint64_t need = keys.bytes.size() + values.bytes.size() +
                             (ordered                        ? 24 * keys.count + values.bytes.size()
                              : merged                       ? 2 * keys.bytes.size()
                              : sorts_in_runs(keys, options) ? keys.bytes.size()
                                                             : 0);
  if (limit != 0 && need > limit)
    throw memory_error(fmt::format("sorting needs {} of memory, but only {} is allowed", format_size(need),
                                   format_size(limit)));
}

void write_array(const arguments& given, bool npy, io::element_type type, std::uint64_t count,
                 std::string_view bytes) {
  io::output_file out(given.value("output"));
  if (npy) out.write(io::npy_header({type, count}));
  out.write(bytes);
  out.commit();
}

} // namespace

int run_sort_array(const arguments& given, sort_inputs inputs, sort_options options) {
  if (inputs.count() > 1) throw error(errc::invalid_input, "weft sort can sort only one array at a time");
  const std::string& input = inputs.path(0);
  if (given.has("argsort") && given.has("by-key"))
    throw error(errc::invalid_input, "--argsort writes positions and --by-key writes values: use only "
                                     "one of them");
  const stopwatch time;
  weft::run_info used;
  options.run.info = &used;
  const std::uint64_t limit = memory_limit(given.size("memory"));
  array keys = read_array(inputs.open_array(0), input, given.value("type"), limit), values;
  if (given.has("by-key")) {
    const std::string path = given.value("by-key");
    const std::uint64_t left = limit > keys.bytes.size() ? limit - keys.bytes.size() : 1;
    values = read_array(io::open_bytes(path, !given.has("no-decompress"), left), path,
                        path.ends_with(".npy") ? "" : given.value("type"), left);
    if (values.count != keys.count)
      throw error(errc::invalid_input, fmt::format("there are {} keys in {}, but {} values in {}", keys.count,
                                                   input, values.count, given.value("by-key")));
  }
  require_memory(given, keys, values, options, limit);
  std::vector<std::uint64_t> order;
  {
    const progress_line progress(given, "weft sort", 1, "items");
    monitor().set_total(keys.count);
    with_type(keys.type, [&](auto* type) {
      using item = std::remove_pointer_t<decltype(type)>;
      array* moved = given.has("by-key") ? &values : nullptr;
      if (given.has("reverse"))
        sort_as_asked<item>(given, keys, moved, order, descending(), options);
      else
        sort_as_asked<item>(given, keys, moved, order, ascending(), options);
    });
  }
  const array& result = given.has("by-key") ? values : keys;
  if (given.has("argsort"))
    write_array(given, keys.npy, io::element_type::u64, order.size(),
                {reinterpret_cast<const char*>(order.data()), order.size() * 8});
  else
    write_array(given, result.npy, result.type, result.count, result.bytes);
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(keys.count) / time.seconds()) + "items/s", used.engine,
               gpu_of(used));
  return 0;
}

} // namespace weft::cli
