// Merging sorted lines, and checking that lines are sorted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <weft/io/byte_source.hpp>
#include <weft/sort/line_order.hpp>

namespace weft::cli {

// The lines of a source, one at a time, each valid until the next.
class line_reader {
public:
  // `buffer_size`: bytes to read at a time; the buffer grows for longer lines, up to `most`: memory_error
  // beyond it.
  line_reader(std::unique_ptr<io::byte_source> source, char terminator, std::size_t buffer_size,
              std::uint64_t most);
  [[nodiscard]] bool next(std::string_view& line);
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; } // of the line: 1-based
  [[nodiscard]] const std::string& name() const noexcept { return source_->name(); }

private:
  bool refill();
  std::unique_ptr<io::byte_source> source_;
  char terminator_;
  std::uint64_t max_;
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t number_ = 0;
  bool ended_ = false;
};

struct merge_options {
  char terminator = '\n';
  bool unique = false;                             // of lines with equal keys only the first
  std::uint64_t memory = 0;                        // for all buffers
  std::uint64_t max_line = std::uint64_t{1} << 21; // a longer line is a memory_error
};

// Merges sources of sorted lines; of equal lines those of earlier sources come first. Pieces of output go to
// `sink`. Returns the size of the longest line.
std::uint64_t merge_lines(std::vector<std::unique_ptr<io::byte_source>> sources, const line_order& order,
                          const merge_options& options, const std::function<void(std::string_view)>& sink);

// How many sources merge_lines takes at a time, if no line is longer than `longest`.
[[nodiscard]] std::size_t merge_width(std::uint64_t memory, std::uint64_t longest = 0);

// The merge itself: reads `buffer` bytes of each source at a time (more for longer lines), and calls
// hand_over(out) whenever out, which hand_over leaves empty, holds `piece` bytes, and in the end. Returns the
// size of the longest line.
struct merge_buffers {
  std::uint64_t buffer, piece;
};
std::uint64_t merge_pieces(std::vector<std::unique_ptr<io::byte_source>> sources, const line_order& order,
                           const merge_options& options, const merge_buffers& buffers,
                           const std::function<void(std::string& out)>& hand_over);

} // namespace weft::cli
