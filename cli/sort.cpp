// weft sort: text or arrays.
#include <cli/program.hpp>
#include <cli/sort_halves.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/io/npy.hpp>
#include <weft/sort/sort.hpp>

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

namespace {

sort_options options_of(const arguments& given) {
  const bool chosen = given.has("device") && !given.from_environment.contains("device");
  sort_options options;
  set_common_options(given, options);
  if (options.engine == "words") options.engine = "auto"; // of lines, which the options know nothing of
  for (const char* name : {"merge", "check", "check-quiet"}) {
    if (!given.has(name)) continue;
    if (chosen && options.device.kind == device_kind::gpu)
      throw error(
          errc::invalid_input,
          fmt::format("--{} sorts nothing, and runs on the CPU, not on a GPU: leave the device out", name));
    options.device = {device_kind::cpu, 0};
  }
  settle_device(given, options, check_sort_options);
  return options;
}

} // namespace

int run_sort(const arguments& given) {
  const sort_options options = options_of(given);
  check_line_flags(given); // before anything is read
  sort_inputs inputs(given);
  const bool array = given.has("type") || given.has("by-key") || given.has("argsort") ||
                     inputs.path(0).ends_with(".npy") || inputs.begins_with_npy();
  if (!array) {
    if (const std::string engine = given.value("engine"); engine != "auto" && engine != "words")
      throw error(
          errc::invalid_input,
          fmt::format("--engine {} is for arrays of numbers: lines of text have one engine, words", engine));
    return run_sort_lines(given, std::move(inputs), options);
  }
  if (given.value("engine") == "words")
    throw error(errc::invalid_input, "--engine words sorts lines of text, not arrays");
  for (const char* name : {"key", "field-separator", "numeric-sort", "unique", "ignore-leading-blanks",
                           "dictionary-order", "ignore-case", "ignore-nonprinting", "zero-terminated",
                           "check", "check-quiet", "merge", "buffer-size", "temporary-directory"})
    if (given.has(name))
      throw error(errc::invalid_input, fmt::format("--{} is for lines of text, not for arrays", name));
  return run_sort_array(given, std::move(inputs), options);
}

} // namespace weft::cli
