// The letters of the text of an index, and comparisons of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::files {

// A segment_text reads the text of an index, which consists of segments with a separator behind each
// (fm_parts.hpp). Segments are numbered in the order of the text. It keeps a copy of the index, which shares
// its bytes.
class segment_text {
public:
  explicit segment_text(fm_index index) : index_(std::move(index)), parts_(index_.parts()) {}
  segment_text(const segment_text&) = delete;
  segment_text& operator=(const segment_text&) = delete;

  // Returns the number of letters and separators.
  [[nodiscard]] std::uint64_t size() const { return num_segments() == 0 ? 0 : parts_.num_rows; }
  [[nodiscard]] std::uint64_t num_segments() const { return parts_.segments.size(); }
  [[nodiscard]] const bwt_detail::fm_segment& segment(std::uint64_t s) const { return parts_.segments[s]; }
  // Return the positions of the first letter of segment s and of the separator behind it.
  [[nodiscard]] std::uint64_t begin_of(std::uint64_t s) const { return parts_.segments[s].start; }
  [[nodiscard]] std::uint64_t end_of(std::uint64_t s) const {
    return (s + 1 < num_segments() ? begin_of(s + 1) : parts_.num_rows) - 1;
  }
  [[nodiscard]] std::uint64_t length_of(std::uint64_t s) const { return end_of(s) - begin_of(s); }
  // Return the number of the segment that contains a position or its separator, and of the segment that
  // contains the begin of a hit. O(log n) time for n segments.
  [[nodiscard]] std::uint64_t segment_at(std::uint64_t position) const {
    return static_cast<std::uint64_t>(&parts_.segment_of(position) - parts_.segments.data());
  }
  [[nodiscard]] std::uint64_t segment_of(const fm_hit& hit) const;
  // Returns the number of the i-th segment in the order of the suffixes that begin with segments; in this
  // order, equal segments are neighbours.
  [[nodiscard]] std::uint64_t sorted_segment(std::uint64_t i) const {
    return segment_at(parts_.open_positions[i]);
  }

  // Returns a letter, which is no separator.
  [[nodiscard]] char letter(std::uint64_t position) const {
    if (!parts_.dna()) return parts_.byte_text[position];
    return "ACGT"[parts_.packed_text[position / 32] >> (2 * (position % 32)) & 3];
  }
  // Appends the letters [begin, end), which contain no separator.
  void append_letters(std::string& to, std::uint64_t begin, std::uint64_t end) const;
  // Returns how many letters are equal from a and b on, at most `max`. The letters contain no separator.
  // O(result) time; for DNA 32 letters at a time.
  [[nodiscard]] std::uint64_t common_prefix(std::uint64_t a, std::uint64_t b, std::uint64_t max) const;
  // Returns how many letters before a and before b are equal, in the same way.
  [[nodiscard]] std::uint64_t common_suffix(std::uint64_t a, std::uint64_t b, std::uint64_t max) const;

private:
  fm_index index_;
  const bwt_detail::fm_parts& parts_;
};

} // namespace weft::files
