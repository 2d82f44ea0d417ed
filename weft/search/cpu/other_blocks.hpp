// Blocks beside the backbones: inverted, moved and duplicated ones.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/search/cpu/backbones.hpp>

namespace weft::search_detail {

// The letters of both texts that are in no alignment.
struct open_texts {
  open_letters a, b;
};

// Returns the letters that are in no backbone, or in one of the gaps.
[[nodiscard]] open_texts find_open_letters(const std::vector<backbone>& backbones,
                                           const std::vector<backbone_gap>& gaps, const genome_text& a,
                                           const genome_text& placed);

// Returns the blocks, in positions of the texts, that the chains between A and the placed text make of open
// letters of the placed text, and removes their letters from `open`. The heaviest come first: each chain is
// cut to the letters that are still open. Takes time by the letters of the blocks.
[[nodiscard]] std::vector<genome_block> align_others(const std::vector<chain>& chains,
                                                     const std::vector<backbone_gap>& gaps,
                                                     const genome_text& a, const genome_text& placed,
                                                     open_texts& open, const comparison_options& options);

} // namespace weft::search_detail
