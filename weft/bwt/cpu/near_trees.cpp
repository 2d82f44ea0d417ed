#include <string>
#include <vector>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/near_search.hpp>

namespace weft::bwt_detail {

namespace {

// Returns whether a part of a strand is the rightmost one without a mismatch.
bool is_rightmost_exact(const near_parts& parts, std::uint32_t part,
                        const near_mismatches<max_near_distance>& found) {
  if (found.any_in(parts.begins[part], parts.begins[part + 1])) return false;
  for (std::size_t i = part + 1; i + 1 < parts.begins.size(); ++i)
    if (!found.any_in(parts.begins[i], parts.begins[i + 1])) return false;
  return true;
}

// Looks up the rows of leaves, and compares the strands of their trees there.
void compare_leaves(const fm_index::view& index, std::span<const near_tree> trees,
                    std::span<const near_leaf> leaves, unsigned max_distance, std::vector<near_hit>& hits) {
  std::vector<std::uint64_t> rows, positions(leaves.size());
  rows.reserve(leaves.size());
  for (const near_leaf& leaf : leaves) rows.push_back(leaf.row);
  find_positions_of_rows(index, rows, positions);
  constexpr std::size_t ahead = 16;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (i + ahead < leaves.size()) __builtin_prefetch(index.packed_text + positions[i + ahead] / 32);
    const near_leaf& leaf = leaves[i];
    const near_tree& tree = trees[leaf.tree];
    near_hit hit{};
    near_mismatches<max_near_distance> found;
    if (tree.time_left >= 0 &&
        compare_strand(index, *tree.strand, positions[i], leaf.letter, max_distance, hit, found) &&
        is_rightmost_exact(*tree.parts, leaf.part, found))
      hits.push_back(hit);
  }
}

} // namespace

std::vector<near_strand> search_by_trees(const fm_index::view& index, std::span<const near_strand> strands,
                                         const near_options& options, near_costs& costs, near_collector& to) {
  constexpr std::size_t group = 16; // strands whose leaves are in memory together
  std::vector<near_strand> left;
  std::vector<near_tree> trees;
  std::vector<near_leaf> leaves;
  std::vector<near_hit> hits;
  const auto search = [&] {
    search_trees(index, trees, leaves);
    compare_leaves(index, trees, leaves, options.max_distance, hits);
    for (const near_tree& tree : trees)
      if (tree.time_left < 0) left.push_back(*tree.strand);
    to.add(hits);
    trees.clear();
    leaves.clear();
  };
  for (const near_strand& strand : strands) {
    const double scan = costs.of_scan(strand);
    if (costs.of_tree(strand) > scan)
      left.push_back(strand);
    else
      trees.push_back({&strand, &costs.parts(strand), scan});
    if (trees.size() == group) search();
  }
  search();
  return left;
}

} // namespace weft::bwt_detail
