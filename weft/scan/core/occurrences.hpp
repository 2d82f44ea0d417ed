// Occurrences of motifs in text, as engines of both kinds find them and rules take them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

enum class edge { starts, ends };

// Whether engines look for these edges of a motif's matches: not for the starts of one with [<M], since the
// rule of ps_scan has that sequence start wherever the search goes on (see scan_one).
[[nodiscard]] inline bool asked_of_engines(const motif& m, edge which) {
  return which == edge::ends ||
         std::none_of(m.elements.begin(), m.elements.end(),
                      [](const motif_element& element) { return element.or_sequence_start; });
}

// Occurrences found in one block of text, grouped by motif: positions[offsets[k], offsets[k + 1]) belong to
// motif k, ascending and distinct. Positions index sequence_batch::residues: a start is the first residue of
// a match, an end is one past its last. A match never leaves its sequence; an empty match is no match.
struct occurrence_block {
  std::uint64_t begin = 0,
                end = 0; // the block's text range: starts lie in [begin, end), ends in (begin, end]
  std::vector<std::uint32_t> offsets; // motifs + 1
  std::vector<std::uint64_t> positions;
};

// An occurrence as one number: motif << found_position_bits | position.
inline constexpr int found_position_bits = 40;
inline constexpr std::uint64_t max_found_motifs = std::uint64_t{1} << (64 - found_position_bits);

// Concatenated sequences as a device has them, and tests that do as devices do.
struct device_text {
  const unsigned char* residues;
  std::uint64_t size;
  const std::uint64_t* offsets; // sequences + 1
  std::uint64_t sequences;
  // Bit i of word i / 32: a sequence begins at residue i, or i is the size. Empty sequences leave no trace.
  const std::uint32_t* starts;
};

} // namespace weft::scan_detail
