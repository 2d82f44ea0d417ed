// Chooses lines of a text by which the bytes of all its lines can be counted.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace weft::files {

// A line without its terminator, its position in the text of all inputs, and how many bytes of lines it
// stands for: those of itself, or those of a part of the text that it was chosen from.
struct weighted_line {
  std::string_view line;
  std::uint64_t position = 0;
  std::uint64_t weight = 0;
};

// A text of whole lines, each with its terminator but for the last one, and the position of the first line.
struct placed_text {
  std::string_view text;
  std::uint64_t position = 0;
};

// Returns lines that stand for bytes [begin, end) of the texts, in their order. If at most `count` lines
// begin in these bytes, which have at most 64 * count bytes, these are all of them. Otherwise the bytes are
// cut into `count` pieces of equal size, and a byte of each piece, chosen at random, chooses its line, which
// stands for all bytes of the piece. Only the beginning of a line longer than 4 KiB is returned. O(count)
// time, and O(end - begin) if lines are long.
[[nodiscard]] std::vector<weighted_line> choose_lines(const std::vector<placed_text>& texts,
                                                      std::uint64_t begin, std::uint64_t end,
                                                      std::uint64_t count, char terminator);

// Cuts the lines into `count` groups, and returns one of each, chosen at random with a probability
// proportional to its weight, which then stands for the group.
[[nodiscard]] std::vector<weighted_line> thinned(const std::vector<weighted_line>& lines,
                                                 std::uint64_t count);

// A line_sample is a sample of texts that come one after another, and are not kept: all of their lines, as
// long as these are few enough, and otherwise lines chosen at random, each of which stands for about as many
// bytes.
class line_sample {
public:
  // The sample has `max_lines` lines, or as many as take `memory` bytes with 32 bytes each, but at least 64.
  line_sample(std::uint64_t max_lines, std::uint64_t memory, char terminator)
      : max_lines_(max_lines), memory_(memory), terminator_(terminator) {}

  // Adds a text of whole lines. O(size) for the first texts, and then O(lines that are chosen).
  void add(const placed_text& text);
  // Returns the lines of the sample, which are valid until the object changes.
  [[nodiscard]] std::vector<weighted_line> lines() const;

private:
  // Returns the memory of the lines.
  [[nodiscard]] std::uint64_t size() const;
  // Copies lines to the sample.
  void copy(const std::vector<weighted_line>& chosen);

  const std::uint64_t max_lines_, memory_;
  const char terminator_;
  std::deque<std::string> texts_; // of the lines
  std::vector<weighted_line> lines_;
  std::uint64_t text_bytes_ = 0;   // of texts_
  std::uint64_t total_weight_ = 0; // of the lines
  std::uint64_t piece_bytes_ = 0;  // that a line of the next text stands for; 0: all lines are chosen
};

} // namespace weft::files
