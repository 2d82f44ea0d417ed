// Occurrences of motifs in a text: the results of the engines on the CPU and the GPU, to which the rules are
// applied.
//
// The *position* of an occurrence indexes sequences_view::data. It is the index of the first residue of a
// match (edge::starts), or one past the index of its last residue (edge::ends). An occurrence is *in the
// range* [begin, end) if that first or last residue lies in it, so an end in the range is a position in
// (begin, end].
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

// The edge of matches that is searched: where matches start or where they end.
enum class edge { starts, ends };

// Returns whether engines search this edge of the motif's matches. They do not search the starts of
// optional-start motifs, which are motifs with [<M], because ps_scan lets the sequence start wherever its
// search continues after a match (see find_matches_stepwise()).
[[nodiscard]] inline bool is_searched_by_engines(const motif& m, edge which) {
  return which == edge::ends ||
         std::none_of(m.elements.begin(), m.elements.end(),
                      [](const motif_element& element) { return element.or_sequence_start; });
}

// The occurrences found in one block of text, grouped by motif: positions[offsets[k], offsets[k + 1]) belong
// to motif k, ascending and distinct. A match never leaves its sequence, and an empty match is no match.
struct occurrence_block {
  std::uint64_t begin = 0, end = 0;   // the occurrences are in this range
  std::vector<std::uint32_t> offsets; // motifs + 1 offsets
  std::vector<std::uint64_t> positions;
};

// The code of an occurrence is the number motif << position_bits | position.
inline constexpr int position_bits = 40;
inline constexpr std::uint64_t max_code_motifs = std::uint64_t{1} << (64 - position_bits);

// Concatenated sequences in device memory, or in host memory for tests that run device code on the host.
struct device_text {
  const unsigned char* residues;
  std::uint64_t size;
  const std::uint64_t* offsets; // sequences + 1 offsets
  std::uint64_t sequences;
  // Bit i % 32 of word i / 32 says that a sequence begins at residue i, or that i is the size. Empty
  // sequences have no bit of their own.
  const std::uint32_t* starts;
};

} // namespace weft::scan_detail
