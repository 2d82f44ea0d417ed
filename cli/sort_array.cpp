// weft sort, for arrays of numbers.
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/sort_verb.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
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

} // namespace

namespace {

// Sorts an array over all ranks.
int run_over_ranks(const arguments& given, files::sort_inputs& inputs, sort_options options) {
  const stopwatch time;
  weft::run_info used;
  options.run.info = &used;
  const std::uint64_t limit = memory_limit(given.size("memory"));
  std::uint64_t count = 0;
  {
    const progress_line progress(given, "weft sort", 1, "items");
    files::array_share share = files::read_share(ranks(), inputs, given.value("type"), limit);
    options.run.memory = memory_left(given.size("memory"), share.own.bytes.size());
    count = share.count;
    files::rank_output out(ranks(), given.value("output"));
    files::sort_share(ranks(), share, given.has("argsort"), given.has("reverse"), options, out);
    out.commit();
  }
  closing_line(given, time.seconds(), with_prefix(static_cast<double>(count) / time.seconds()) + "items/s",
               used.engine, used.device);
  return 0;
}

} // namespace

int run_sort_array(const arguments& given, files::sort_inputs inputs, sort_options options) {
  if (inputs.count() > 1) throw error(errc::invalid_input, "weft sort can sort only one array at a time");
  const std::string& input = inputs.path(0);
  if (given.has("argsort") && given.has("by-key"))
    throw error(errc::invalid_input, "--argsort writes positions and --by-key writes values: use only "
                                     "one of them");
  if (ranks().size() > 1) return run_over_ranks(given, inputs, options);
  const stopwatch time;
  weft::run_info used;
  options.run.info = &used;
  const std::uint64_t limit = memory_limit(given.size("memory"));
  files::number_array keys = files::read_array(inputs.open_array(0), input, given.value("type"), limit),
                      values;
  if (given.has("by-key")) {
    const std::string path = given.value("by-key");
    const std::uint64_t left = limit > keys.bytes.size() ? limit - keys.bytes.size() : 1;
    values = files::read_array(io::open_bytes(path, !given.has("no-decompress"), left), path,
                               path.ends_with(".npy") ? "" : given.value("type"), left);
    if (values.count != keys.count)
      throw error(errc::invalid_input, fmt::format("there are {} keys in {}, but {} values in {}", keys.count,
                                                   input, values.count, given.value("by-key")));
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
