// Matches as numbers (keys) that sort in the order in which matches are reported: by sequence, motif, and an
// offset in the sequence.
//
// With keys, ps_scan's rule takes one comparison. The rule reports a match only if it ends behind all earlier
// matches of its motif in its sequence. If the offset of a key is the match's end, the keys of earlier motifs
// and sequences are smaller in any case, so a match is reported if and only if its key is greater than all
// keys before it.
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::scan_detail {

// The widths of the fields of keys, and the functions that make and read keys.
struct match_keys {
  int motif_bits, offset_bits;

  // Returns keys for `motifs` motifs and offsets 0 .. longest.
  [[nodiscard]] static constexpr match_keys made_for(std::uint64_t motifs, std::uint64_t longest) {
    return {width_of(motifs), static_cast<int>(std::bit_width(longest))};
  }
  [[nodiscard]] constexpr int bits(std::uint64_t sequences) const {
    return motif_bits + offset_bits + width_of(sequences);
  }
  static constexpr int max_bits = 63;
  // Returns the number of bits of a number below `count`.
  [[nodiscard]] static constexpr int width_of(std::uint64_t count) {
    return count < 2 ? 0 : static_cast<int>(std::bit_width(count - 1));
  }

  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t key(std::uint64_t sequence, std::uint64_t motif,
                                                   std::uint64_t offset) const {
    return (sequence << motif_bits | motif) << offset_bits | offset;
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t sequence_of(std::uint64_t key) const {
    return key >> offset_bits >> motif_bits;
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint32_t motif_of(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key >> offset_bits & ((std::uint64_t{1} << motif_bits) - 1));
  }
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t offset_of(std::uint64_t key) const {
    return key & ((std::uint64_t{1} << offset_bits) - 1);
  }
  // Returns the key of another offset, for the motif and the sequence of `key`.
  [[nodiscard]] WEFT_HOST_DEVICE std::uint64_t with_offset(std::uint64_t key, std::uint64_t offset) const {
    return key >> offset_bits << offset_bits | offset;
  }
};

// Finds the sequence that contains a position of the text. Marks for every 64th residue narrow the search.
struct sequence_index {
  static constexpr std::uint64_t granule = 64;
  const std::uint64_t* offsets; // sequences + 1 offsets
  // The sequence of each granule's first residue, and the sequence of the last residue.
  const std::uint32_t* marks;

  // Returns the last of the sequences low .. high that begins at or before `position`. Sequence `low` must do
  // so.
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
  // Return the number of marks of a text with `residues` residues, at least one; and the value of mark i.
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
