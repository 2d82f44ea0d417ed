// Where the records of B belong: on which record of A, on which strand, and from which letter on.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/search/cpu/chains.hpp>
#include <weft/search/variants.hpp>

namespace weft::search_detail {

// Returns the heaviest sequence of anchors that ascend in a and in b, where an anchor weighs as much as it
// has letters. The anchors are by (b, a). O(n log n). (Gusfield 1997, 12.5: the sequence before each anchor
// is the heaviest of those that end at a smaller a, which a Fenwick tree of maxima over the ranks of a
// finds.)
[[nodiscard]] std::vector<anchor> find_heaviest_sequence(const std::vector<anchor>& anchors);

// Returns the placement of each record of B: on the record of A and the strand on which its chains have the
// highest total score, without those that lie beside a heavier one. If several records of A have this score,
// it is placed on the first of those with the fewest records of B so far. For partners, the origin is 0
// unless another one brings 40 letters or more into order, and the anchors then reach from one end of both
// records to the other, across the first letter of the record of B.
[[nodiscard]] std::vector<genome_placement> assign_records(const std::vector<chain>& chains,
                                                           const genome_text& a, const genome_text& b);

// The placed text: each record of B as its placement says, at the position that the record has in B. A record
// that is not placed stays as it is.
[[nodiscard]] genome_text arrange_text(const genome_text& b, const std::vector<genome_placement>& placements);

// Returns the chains as chains between A and the placed text. A chain over the origin of a record is divided.
[[nodiscard]] std::vector<chain> arrange_chains(const std::vector<chain>& chains, const genome_text& b,
                                                const std::vector<genome_placement>& placements);

// Replaces the positions of blocks of the placed text by those of the records of B. A block over the first
// letter of a record of B, as it was given, is divided; a part without a match is dropped.
void unplace_blocks(std::vector<genome_block>& blocks, const genome_text& b,
                    const std::vector<genome_placement>& placements);

} // namespace weft::search_detail
