// Matches as numbers in the order that they are reported in: sequence, motif, and a place in the sequence.
//
// The rule of ps_scan, that a match must end behind all those of its motif in its sequence that were before
// it, in numbers: with a match's end for the place, those of another motif or sequence before it are less
// anyway, so that it is reported if its number is greater than all before.
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::scan_detail {

struct match_keys {
  int motif_bits, place_bits;

  // A place is 0 .. longest.
  [[nodiscard]] static constexpr match_keys made_for(std::uint64_t motifs, std::uint64_t longest) {
    return {width_of(motifs), static_cast<int>(std::bit_width(longest))};
  }
  [[nodiscard]] constexpr int bits(std::uint64_t sequences) const {
    return motif_bits + place_bits + width_of(sequences);
  }
  static constexpr int max_bits = 63;
  // Of a number below `count`.
  [[nodiscard]] static constexpr int width_of(std::uint64_t count) {
    return count < 2 ? 0 : static_cast<int>(std::bit_width(count - 1));
  }

  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t key(std::uint64_t sequence, std::uint64_t motif,
                                                   std::uint64_t place) const {
    return (sequence << motif_bits | motif) << place_bits | place;
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t sequence_of(std::uint64_t key) const {
    return key >> place_bits >> motif_bits;
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t motif_of(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key >> place_bits & ((std::uint64_t{1} << motif_bits) - 1));
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t place_of(std::uint64_t key) const {
    return key & ((std::uint64_t{1} << place_bits) - 1);
  }
  // The key of another place, of the same motif in the same sequence.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t moved(std::uint64_t key, std::uint64_t place) const {
    return key >> place_bits << place_bits | place;
  }
};

// Which sequence a position of the text is in: looked for between those of the marks before and behind it.
struct sequence_index {
  static constexpr std::uint64_t granule = 64;
  const std::uint64_t* offsets; // sequences + 1
  const std::uint32_t* marks;   // the sequence at each granule's first residue, and the last residue's

  // The last of the sequences low .. high that begins at or before the position; low does.
  [[nodiscard]] WEFT_HOST_DEVICE static std::uint64_t
  last_before(const std::uint64_t* offsets, std::uint64_t low, std::uint64_t high, std::uint64_t position) {
    while (low < high) {
      const std::uint64_t middle = high - (high - low) / 2;
      if (offsets[middle] <= position)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t sequence_at(std::uint64_t position) const {
    const std::uint32_t* const mark = marks + position / granule;
    return last_before(offsets, mark[0], mark[1], position);
  }
  // Marks that a text of so many residues, at least one, has; what they are.
  [[nodiscard]] static constexpr std::uint64_t count(std::uint64_t residues) {
    return (residues - 1) / granule + 2;
  }
  [[nodiscard]] WEFT_HOST_DEVICE static std::uint32_t
  mark_of(const std::uint64_t* offsets, std::uint64_t sequences, std::uint64_t residues, std::uint64_t i) {
    const std::uint64_t first = i * granule, position = first < residues ? first : residues - 1;
    return static_cast<std::uint32_t>(last_before(offsets, 0, sequences - 1, position));
  }
};

} // namespace weft::scan_detail
