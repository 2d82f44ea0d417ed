// Search with mismatches by a tree of the index, for patterns that are too short for seeds. The plain
// version:
//     divide the strand into max_distance + 1 parts
//     for each part:
//         rows = all that begin with the part
//         for each letter to the left of the part, from right to left:
//             extend rows by every base, as long as there are not too many mismatches
//         for each row that is left:
//             compare the whole strand with the text there
//             report it if this part is the rightmost one without a mismatch
// Not too many means: at most max_distance less the number of parts to the right of this one.
// By the pigeonhole principle, an occurrence has a part without a mismatch; each part to the right of the
// rightmost one has at least one mismatch, so that fewer are left for the letters to the left.
// (Lam et al., BIBM 2009, distinguish such cases for an index of both directions.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/cpu/near_patterns.hpp>

namespace weft::bwt_detail {

// Nanoseconds to extend a node of a tree, and to look up a row and to compare the strand there.
constexpr double step_cost = 40, leaf_cost = 200;

// How a strand is divided: part i has the letters [begins[i], begins[i + 1]). `cost` is the number of
// nanoseconds that the search takes.
struct near_parts {
  std::vector<std::uint64_t> begins;
  double cost = 0;
};

// Returns the division of a strand of this size, which is more than max_distance > 0, that takes the least
// time in a random text.
[[nodiscard]] near_parts divide_strand(std::uint64_t size, unsigned max_distance, std::uint64_t num_symbols);

// A row of the index where letter `letter` of the strand of a tree may lie, found from a part of the strand.
struct near_leaf {
  std::uint64_t row;
  std::uint32_t tree, letter, part;
};

// A strand whose tree is searched.
struct near_tree {
  const near_strand* strand;
  const near_parts* parts;
  // Nanoseconds that the search may still take. Less than 0: it was given up, and some leaves are missing.
  double time_left;
};

// Appends the leaves of the trees.
void search_trees(const fm_index::view& index, std::span<near_tree> trees, std::vector<near_leaf>& leaves);

} // namespace weft::bwt_detail
