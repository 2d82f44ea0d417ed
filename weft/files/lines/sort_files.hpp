// Sorts, merges and checks files of lines of any size. What does not fit in memory is sorted in runs, which
// are written to temporary files and merged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <weft/base/device.hpp>
#include <weft/files/lines/line_merge.hpp>
#include <weft/files/lines/sort_inputs.hpp>

namespace weft::files {

// Takes the lines of the output, each with its terminator, in large pieces.
using line_sink = std::function<void(std::string_view)>;

// Texts that are sorted together.
struct text_sources {
  // Returns the next text, without its header; null after the last one.
  std::function<std::unique_ptr<io::byte_source>()> next;
  std::uint64_t num_header_lines = 0; // of each text, for the numbers of lines in messages
};

// The report of sort_files().
struct sort_report {
  std::uint64_t bytes = 0;                // bytes that were read
  device_choice device{device_kind::cpu}; // where lines were sorted: a GPU if it sorted any, and its index
};

// Passes the lines of all inputs to `sink` in the order of the settings, without the headers. Throws
// memory_error for a line that does not fit in the memory, cancelled_error, the errors of the inputs, of
// temporary files and of the sorter, and the exceptions of the sink. O(n log n) for n bytes, and two more
// passes over the text if it does not fit in memory.
sort_report sort_files(sort_inputs inputs, sort_settings settings, const line_sink& sink);
// Does the same with texts from any source.
sort_report sort_texts(text_sources texts, sort_settings settings, const line_sink& sink);

// Merges inputs that are sorted: passes their lines to `sink` in order. Throws what sort_files() throws.
// Returns the number of bytes merged; bytes that are merged twice count twice.
std::uint64_t merge_files(sort_inputs inputs, sort_settings settings, const line_sink& sink);

// A line that is out of order: the name of its file, its number from 1 (the header counts), and its text.
struct disorder {
  std::string file;
  std::uint64_t line = 0;
  std::string text;
};

// Returns the first line of the first input that is before the line above it, or, if the settings say unique,
// has the same keys. Returns nothing if the lines are in order.
[[nodiscard]] std::optional<disorder> find_disorder(sort_inputs inputs, const sort_settings& settings);

} // namespace weft::files
