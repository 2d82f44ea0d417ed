// Backbones: what is in the same order in a record of A and in a record of B that is placed on it.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/search/cpu/block_alignment.hpp>
#include <weft/search/cpu/chains.hpp>
#include <weft/search/cpu/open_letters.hpp>
#include <weft/search/variants.hpp>

namespace weft::search_detail {

// The alignment of a record of A and a record of B, in positions of the text of A and of the placed text.
struct backbone {
  std::uint64_t a_record = 0, b_record = 0;
  aligned_ranges aligned;
};

// A gap of a backbone: letters of A, of B or of both between two stretches that are aligned. They are not
// similar, or too far apart to belong together. A substitution at the border of such a gap that is followed
// by less than `min_end` matches belongs to the gap, because the letters may match by chance: they are the
// letters of `a` before and behind `inner_a`, and as many of `b`.
struct backbone_gap {
  std::size_t backbone = 0; // its number
  text_range a, b;
  text_range inner_a, inner_b; // the letters that are deleted and inserted
};

// Returns the backbones of all records of the placed text that have one, by b_record. A letter of A is in one
// of them at most. `chains` are those between A and the placed text. Adds the other half of the work of the
// run to its monitor (see kmer_table and anchor_search).
[[nodiscard]] std::vector<backbone> align_backbones(const std::vector<chain>& chains, const genome_text& a,
                                                    const genome_text& placed,
                                                    const std::vector<genome_placement>& placements,
                                                    const comparison_options& options);

// Returns the gaps of a backbone in which A or B has at least min_size letters, in their order.
[[nodiscard]] std::vector<backbone_gap> find_gaps(const std::vector<backbone>& backbones,
                                                  std::uint64_t min_size);

// Returns the gap without those of its ends in which no letter is in another block and the matches outweigh
// the substitution. The sets have the letters that are in no block.
[[nodiscard]] backbone_gap without_open_ends(backbone_gap gap, const open_letters& open_of_a,
                                             const open_letters& open_of_b);

// Returns the collinear blocks, in positions of the texts: the backbones, divided at `gaps`, which are some
// of their gaps in their order.
[[nodiscard]] std::vector<genome_block> divide_backbones(const std::vector<backbone>& backbones,
                                                         const std::vector<backbone_gap>& gaps);

} // namespace weft::search_detail
