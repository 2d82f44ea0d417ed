// weft sort: text or arrays.
#include <cli/run.hpp>
#include <cli/sort.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/io/npy.hpp>

namespace weft::cli {

sort_inputs::sort_inputs(const arguments& given)
    : paths_(given.inputs.empty() ? std::vector<std::string>{"-"} : given.inputs),
      decompress_(!given.has("no-decompress")) {
  io::peeked_bytes first = io::peek(io::open_bytes(paths_.front(), decompress_), io::npy_magic.size());
  npy_ = first.start == io::npy_magic;
  first_ = std::move(first.source);
}

std::unique_ptr<io::byte_source> sort_inputs::open(std::size_t i) {
  return i == 0 && first_ ? std::move(first_) : io::open_bytes(paths_[i], decompress_);
}

int run_sort(const arguments& given) {
  require_cpu(given);
  check_line_flags(given); // before anything is read
  sort_inputs inputs(given);
  const bool array = given.has("type") || given.has("by-key") || given.has("argsort") ||
                     inputs.path(0).ends_with(".npy") || inputs.begins_with_npy();
  if (!array) {
    if (given.value("engine") != "auto")
      throw error(errc::invalid_input, "--engine is for arrays of numbers: lines of text have one engine");
    return run_sort_lines(given, std::move(inputs));
  }
  for (const char* name : {"key", "field-separator", "numeric-sort", "unique", "ignore-leading-blanks",
                           "dictionary-order", "ignore-case", "ignore-nonprinting", "zero-terminated",
                           "check", "check-quiet", "merge", "buffer-size", "temporary-directory"})
    if (given.has(name))
      throw error(errc::invalid_input, fmt::format("--{} is for lines of text, not for arrays", name));
  return run_sort_array(given, std::move(inputs));
}

} // namespace weft::cli
