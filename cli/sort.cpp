// weft sort: text or arrays.
#include <cli/run.hpp>
#include <cli/sort.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft::cli {

int run_sort(const arguments& given) {
  require_cpu(given);
  const auto is_npy = [](const std::string& path) { return path.ends_with(".npy"); };
  const bool array = given.has("type") || given.has("by-key") || given.has("argsort") ||
                     (!given.inputs.empty() && is_npy(given.inputs.front()));
  if (!array) {
    if (given.value("engine") != "auto")
      throw error(errc::invalid_input, "--engine is for arrays of numbers: lines of text have one engine");
    return run_sort_lines(given);
  }
  for (const char* name : {"key", "field-separator", "numeric-sort", "unique", "ignore-leading-blanks",
                           "dictionary-order", "ignore-case", "ignore-nonprinting", "zero-terminated",
                           "check", "check-quiet", "merge", "buffer-size", "temporary-directory"})
    if (given.has(name))
      throw error(errc::invalid_input, fmt::format("--{} is for lines of text, not for arrays", name));
  return run_sort_array(given);
}

} // namespace weft::cli
