// weft sort: text or arrays.
#include <cli/run.hpp>
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

// A device that the environment names gives way to an engine, and to work, that does not run there.
sort_options options_of(const arguments& given) {
  const bool chosen = given.has("device") && !given.from_environment.contains("device");
  sort_options options{.engine = given.value("engine"),
                       .device = parse_device(given.value("device")),
                       .threads = static_cast<int>(given.number("threads", 0)),
                       .device_memory = given.size("device-memory"),
                       .monitor = &monitor()};
  for (const char* name : {"merge", "check", "check-quiet"}) {
    if (!given.has(name)) continue;
    if (chosen && options.device.kind == device_kind::gpu)
      throw error(
          errc::invalid_input,
          fmt::format("--{} sorts nothing, and runs on the CPU, not on a GPU: leave the device out", name));
    options.device = {device_kind::cpu, 0};
  }
  try {
    check_sort_options(options);
  } catch (const error& failure) {
    if (failure.code() != errc::invalid_input || chosen) throw;
    options.device = {};
    check_sort_options(options);
  }
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
    if (given.value("engine") != "auto")
      throw error(errc::invalid_input, "--engine is for arrays of numbers: lines of text have one engine");
    return run_sort_lines(given, std::move(inputs), options);
  }
  for (const char* name : {"key", "field-separator", "numeric-sort", "unique", "ignore-leading-blanks",
                           "dictionary-order", "ignore-case", "ignore-nonprinting", "zero-terminated",
                           "check", "check-quiet", "merge", "buffer-size", "temporary-directory"})
    if (given.has(name))
      throw error(errc::invalid_input, fmt::format("--{} is for lines of text, not for arrays", name));
  return run_sort_array(given, std::move(inputs), options);
}

} // namespace weft::cli
