// weft sort: decides whether the input is text or an array, and sorts it.
#include <algorithm>
#include <cli/gpus.hpp>
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/sort_verb.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/version.hpp>
#include <weft/files/ranks/rank_bytes.hpp>
#include <weft/sort/sort.hpp>

namespace weft::cli {

namespace {

// The flags that apply to lines of text only.
constexpr std::string_view line_flags =
    " key field-separator ignore-leading-blanks dictionary-order ignore-case general-numeric-sort "
    "human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort random-source version-sort "
    "unique "
    "zero-terminated header csv sort check check-quiet merge files0-from debug buffer-size "
    "temporary-directory batch-size "
    "compress-program ";

sort_options sort_options_of(const arguments& given) {
  const bool chosen = given.has("device") && !given.from_environment.contains("device");
  sort_options options;
  set_common_options(given, options);
  if (options.run.engine == "words")
    options.run.engine = "auto"; // the engine of lines, which sort_options does not know
  for (const char* name : {"merge", "check"}) {
    if (!given.has(name)) continue;
    if (chosen && options.run.device.kind == device_kind::gpu)
      throw error(errc::invalid_input, fmt::format("--{} runs only on the CPU: leave out --device", name));
    options.run.device = {device_kind::cpu, 0};
  }
  // Otherwise the device depends on whether the input is text.
  if (options.run.engine != "auto") settle_device(given, options, check_sort_options);
  return options;
}

// Returns whether an input is no regular file, but perhaps a pipe.
bool may_wait_for_input(const arguments& given) {
  return given.inputs.empty() || !std::ranges::all_of(given.inputs, files::is_regular);
}

} // namespace

int run_sort(const arguments& given) {
  if (given.has("version")) {
    print(given.as_sort ? "sort (weft " WEFT_VERSION ")\n" : "weft " WEFT_VERSION "\n");
    return 0;
  }
  sort_options options = sort_options_of(given);
  check_line_flags(given); // reports errors before anything is read
  const gpu_start start(options.run.device);
  if (may_wait_for_input(given)) require_device(options.run.device); // reports at once that there is no GPU
  files::sort_inputs inputs = sort_inputs_of(given);
  bool array = given.has("type") || given.has("by-key") || given.has("argsort") ||
               (!given.as_sort && inputs.path(0).ends_with(".npy")) || inputs.begins_with_npy();
  array =
      multi::reduce_number(ranks(), array ? 1 : 0, multi::reduction::max) == 1; // rank 0 has standard input
  if (!array) {
    if (const std::string engine = given.value("engine"); engine != "auto" && engine != "words")
      throw error(
          errc::invalid_input,
          fmt::format("--engine {} is for arrays of numbers: the only engine for lines of text is words",
                      engine));
    return run_sort_lines(given, std::move(inputs), options, start);
  }
  if (given.value("engine") == "words")
    throw error(errc::invalid_input, "--engine words can be used only for lines of text, not for arrays");
  require_no_terminal(given);
  for (const auto& [name, values] : given.given)
    if (line_flags.find(fmt::format(" {} ", name)) != std::string_view::npos)
      throw error(errc::invalid_input, fmt::format("--{} can be used only for lines of text, not for "
                                                   "arrays",
                                                   name));
  if (options.run.engine == "auto") settle_device(given, options, check_sort_options);
  return run_sort_array(given, std::move(inputs), options);
}

} // namespace weft::cli
