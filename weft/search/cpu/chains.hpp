// Chains: anchors of one strand that follow each other in both texts at a small distance.
//
// A chain maximises the letters of its anchors minus what the gaps between them cost, by the dynamic program
// of minimap2 (Li, Bioinformatics 34 (2018) 3094-3100): for each anchor, the best chain that ends with it
// continues one of the chains of the anchors shortly before it, the chain on its diagonal, or the heaviest
// one nearby.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/search/cpu/anchors.hpp>

namespace weft::search_detail {

// A chain: anchors that ascend in a and b within one record of A and one of B. They may overlap.
struct chain {
  bool reverse = false; // whether b counts in the reverse complement of B
  std::uint64_t a_record = 0, b_record = 0;
  std::uint64_t score = 0; // letters, minus the costs of the gaps
  std::vector<anchor> anchors;
};

// Appends the chains with at least min_score of the anchors of one strand, which are in their order. An
// anchor is in one chain at most. O(n) for n anchors.
void append_chains(const std::vector<anchor>& anchors, const genome_text& a, const genome_text& b,
                   bool reverse, std::uint64_t min_score, const run_options& run, std::vector<chain>& chains);

} // namespace weft::search_detail
