// weft sort, for arrays of numbers.
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/sort_verb.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/array_sort.hpp>
#include <weft/files/ranks/rank_array.hpp>
#include <weft/files/ranks/rank_output.hpp>

namespace weft::cli {

namespace {

files::array_task task_of(const arguments& given) {
  return given.has("argsort")  ? files::array_task::argsort
         : given.has("by-key") ? files::array_task::sort_values
         : given.has("stable") ? files::array_task::stable_sort
                               : files::array_task::sort;
}

// Throws error(invalid_input) if there are not as many values as keys.
void require_equal_counts(std::uint64_t num_keys, const std::string& keys, std::uint64_t num_values,
                          const std::string& values) {
  if (num_values != num_keys)
    throw error(errc::invalid_input, fmt::format("there are {} keys in {}, but {} values in {}", num_keys,
                                                 keys, num_values, values));
}

// Does the task over all ranks.
int run_over_ranks(const arguments& given, files::sort_inputs& inputs, sort_options options) {
  const stopwatch time;
  weft::run_info used;
  options.run.info = &used;
  const std::uint64_t limit = memory_limit(given.size("memory"));
  std::uint64_t count = 0;
  {
    const progress_line progress(given, "weft sort", 1, "items");
    const std::string type = given.value("type"), path = given.value("by-key");
    files::array_share keys = files::read_share(
        ranks(), inputs.path(0), [&] { return inputs.open_array(0); }, type, limit);
    std::optional<files::array_share> values;
    if (given.has("by-key")) {
      const std::uint64_t left = memory_left(limit, keys.own.bytes.size());
      const auto open = [&] { return io::open_bytes(path, !given.has("no-decompress"), left); };
      values = files::read_share(ranks(), path, open, path.ends_with(".npy") ? "" : type, left);
      require_equal_counts(keys.count, inputs.path(0), values->count, path);
    }
    options.run.memory =
        memory_left(given.size("memory"), keys.own.bytes.size() + (values ? values->own.bytes.size() : 0));
    count = keys.count;
    files::rank_output out(ranks(), given.value("output"));
    files::sort_share(ranks(), keys, values ? &*values : nullptr, task_of(given), given.has("reverse"),
                      options, out);
    out.commit();
  }
  closing_line(given, time.seconds(), with_prefix(static_cast<double>(count) / time.seconds()) + "items/s",
               used.engine, used.device);
  return 0;
}

// Sorts from file to file without an array in memory, if the task and the files allow it. Returns whether it
// did.
bool run_between_files(const arguments& given, const files::sort_inputs& inputs, sort_options options) {
  if (given.has("argsort") || given.has("by-key")) return false;
  const stopwatch time;
  weft::run_info used;
  options.run.info = &used;
  std::optional<std::uint64_t> count;
  {
    const progress_line progress(given, "weft sort", 1, "items");
    count = files::sort_between_files(inputs.path(0), given.value("type"), given.has("reverse"), options,
                                      given.value("output"));
  }
  if (count)
    closing_line(given, time.seconds(), with_prefix(static_cast<double>(*count) / time.seconds()) + "items/s",
                 used.engine, used.device);
  return count.has_value();
}

} // namespace

int run_sort_array(const arguments& given, files::sort_inputs inputs, sort_options options) {
  if (inputs.count() > 1) throw error(errc::invalid_input, "weft sort can sort only one array at a time");
  const std::string& input = inputs.path(0);
  if (given.has("argsort") && given.has("by-key"))
    throw error(errc::invalid_input, "--argsort writes positions and --by-key writes values: use only "
                                     "one of them");
  if (ranks().size() > 1) return run_over_ranks(given, inputs, options);
  if (run_between_files(given, inputs, options)) return 0;
  const stopwatch time;
  weft::run_info used;
  options.run.info = &used;
  const std::uint64_t limit = memory_limit(given.size("memory"));
  files::number_array keys = files::read_array(inputs.open_array(0), input, given.value("type"), limit),
                      values;
  if (given.has("by-key")) {
    const std::string path = given.value("by-key");
    const std::uint64_t left = memory_left(limit, keys.bytes.size());
    values = files::read_array(io::open_bytes(path, !given.has("no-decompress"), left), path,
                               path.ends_with(".npy") ? "" : given.value("type"), left);
    require_equal_counts(keys.count, input, values.count, path);
  }
  files::number_array* const moved = given.has("by-key") ? &values : nullptr;
  const files::array_task task = task_of(given);
  files::require_sort_memory(keys, moved, task, options, limit);
  std::vector<std::uint64_t> order;
  {
    const progress_line progress(given, "weft sort", 1, "items");
    monitor().set_total(keys.count);
    order = files::sort_array(keys, moved, task, given.has("reverse"), options);
  }
  const files::number_array& result = given.has("by-key") ? values : keys;
  if (given.has("argsort"))
    files::write_array(given.value("output"), keys.npy, io::element_type::u64, order.size(),
                       {reinterpret_cast<const char*>(order.data()), order.size() * 8});
  else
    files::write_array(given.value("output"), result.npy, result.type, result.count, result.bytes);
  closing_line(given, time.seconds(),
               with_prefix(static_cast<double>(keys.count) / time.seconds()) + "items/s", used.engine,
               used.device);
  return 0;
}

} // namespace weft::cli
