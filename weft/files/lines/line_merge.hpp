// Reads lines, and merges sources of sorted lines; and the settings of sorting, merging and checking them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/monitor.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/sort/line_order.hpp>
#include <weft/sort/sort_options.hpp>

namespace weft::files {

// Reads the lines of a source one at a time. A line is valid until the next one is read.
class line_reader {
public:
  // Reads `buffer_size` bytes at a time. The buffer grows for longer lines, up to `max_buffer_size`; a line
  // that does not fit is a memory_error, which names `memory_option`. `buffer` is memory to use again.
  line_reader(std::unique_ptr<io::byte_source> source, char terminator, std::size_t buffer_size,
              std::uint64_t max_buffer_size, std::string_view memory_option = "memory",
              std::string buffer = {});
  // Sets `line` to the next line, without its terminator. Returns false if there is none.
  [[nodiscard]] bool next(std::string_view& line);
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; } // of the current line, from 1
  [[nodiscard]] const std::string& name() const noexcept { return source_->name(); }
  // Returns the memory of the buffer. The reader must not be used any more.
  [[nodiscard]] std::string take_buffer() { return std::move(buffer_); }

private:
  bool refill();
  std::unique_ptr<io::byte_source> source_;
  char terminator_;
  std::uint64_t max_buffer_size_;
  std::string_view memory_option_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t number_ = 0;
  bool ended_ = false;
};

// The options of merging and of reading lines.
struct merge_options {
  char terminator = '\n';
  bool unique = false;                             // whether to write only the first of lines with equal keys
  std::uint64_t memory = 0;                        // bytes for all buffers
  std::uint64_t max_line = std::uint64_t{1} << 21; // bytes; a longer line is a memory_error
  task_monitor* monitor = nullptr;                 // counts the merged bytes
  // The name of the option by which the user allows more memory, for messages.
  std::string_view memory_option = "memory";
};

// Everything that a user can choose about sorting, merging and checking lines.
struct sort_settings {
  line_order order;
  merge_options merging;      // merging.memory is also the memory for sorting
  std::uint64_t memory_limit; // bytes; merging.memory may grow to it if a line is long
  sort_options sorting;
  std::vector<std::string> folders; // for temporary files, used in turn; an empty name is the default
  std::string compress_program;     // compresses temporary files; empty if there is none
  std::uint64_t batch_size;         // maximum number of runs to merge at a time
  std::uint64_t decoder_memory = 0; // bytes to decompress one input; subtracted from the memory for sorting
  std::function<void()> while_reading = {}; // if set, called after each block that is read; may throw
};

// Merges sources of sorted lines; of equal lines, those of earlier sources come first. Passes the output to
// `sink` in pieces. Returns the size of the longest line.
std::uint64_t merge_lines(std::vector<std::unique_ptr<io::byte_source>> sources, const line_order& order,
                          const merge_options& options, const std::function<void(std::string_view)>& sink);

// Adds bytes that were read or merged to the monitor, if there is one. Throws cancelled_error if the monitor
// has been cancelled.
void count_bytes(task_monitor* monitor, std::uint64_t bytes);

// Returns how many sources merge_lines can merge at a time in `memory` bytes if no line is longer than
// `longest`.
[[nodiscard]] std::size_t merge_width(std::uint64_t memory, std::uint64_t longest = 0);

// The buffers of merge_pieces(). `read_bytes` are read from a source at a time, and `write_bytes` are passed
// to hand_over() at a time. The memory is allocated by the first call, and later calls use it again.
struct merge_buffers {
  std::uint64_t read_bytes, write_bytes;
  std::vector<std::string> sources = {};
  std::string out = {};
};
// Merges as merge_lines does, but leaves the output to the caller: calls hand_over(out) whenever `out` holds
// at least buffers.write_bytes bytes, and once at the end if there are sources. hand_over must leave `out`
// empty. The buffer of a source grows for longer lines. Returns the size of the longest line.
std::uint64_t merge_pieces(std::vector<std::unique_ptr<io::byte_source>> sources, const line_order& order,
                           const merge_options& options, merge_buffers& buffers,
                           const std::function<void(std::string& out)>& hand_over);

} // namespace weft::files
