// The matches that are found in one range of text, until they are written in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// A found_matches holds the matches of the sequences that lie within a range. They come block by block, motif
// by motif, and are written in the order of scan(). A match takes 16 bytes until then, half as many as
// afterwards: the range has less than 2^32 residues, so numbers relative to it fit 32 bits.
class found_matches {
public:
  found_matches() = default;
  // Makes an empty list for the sequences [first, last) of the batch.
  found_matches(std::uint64_t first, std::uint64_t last)
      : first_sequence_(first), sequences_(static_cast<std::size_t>(last - first)) {}

  // Adds a match of a sequence, which is in [first, last) and has less than 2^32 residues.
  void add(std::uint64_t sequence, std::uint32_t motif, std::uint64_t begin, std::uint64_t end) {
    const auto index = static_cast<std::uint32_t>(sequence - first_sequence_);
    sequence_state& of = sequences_[index];
    const std::uint64_t key = std::uint64_t{motif} << 32 | begin;
    of.is_ordered = of.is_ordered && (of.count == 0 || of.last_key < key);
    of.last_key = key;
    ++of.count;
    found_.push_back({index, motif, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
  }

  [[nodiscard]] std::size_t size() const noexcept { return found_.size(); }
  // Writes the matches to `to`, which has space for size() matches, in order. Can be called only once.
  // O(matches + sequences), and a sort of the matches of each sequence whose matches came out of order.
  void write(scan_match* to);

private:
  struct found_match {
    std::uint32_t sequence, motif; // the sequence relative to first_sequence_
    std::uint32_t begin, end;
  };
  // The matches of one sequence so far: their number, and the motif and begin of the last one.
  struct sequence_state {
    std::uint64_t last_key = 0;
    std::uint32_t count = 0;
    bool is_ordered = true;
  };

  std::uint64_t first_sequence_ = 0;
  std::vector<sequence_state> sequences_;
  std::vector<found_match> found_;
};

} // namespace weft::scan_detail
