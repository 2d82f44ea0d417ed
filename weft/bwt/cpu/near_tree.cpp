// Each step waits for two cache lines, so that several trees are searched at a time, as in fm_search.cpp.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/near_tree.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <weft/bwt/cpu/near_tree.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

// A node of a tree: the rows [low, high) that begin with the letters from `letter` to the end of the part.
struct tree_node {
  std::uint64_t low, high;
  std::uint32_t letter, errors;
};

// The search of one part of a strand.
class tree_lane {
public:
  tree_lane(const fm_index::view& index, std::vector<near_leaf>& leaves) : index_(index), leaves_(leaves) {}

  void start(near_tree& tree, std::uint32_t number, std::uint32_t part) {
    tree_ = &tree;
    number_ = number;
    part_ = part;
    part_begin_ = tree.parts->begins[part];
    max_errors_ = part; // the parts to the right have at least one each
    nodes_.assign(1, {0, index_.num_rows, static_cast<std::uint32_t>(tree.parts->begins[part + 1]), 0});
  }
  [[nodiscard]] bool done() const { return nodes_.empty() || tree_->time_left < 0; }

  // Replaces a node by its children.
  void step() {
    const tree_node node = nodes_.back();
    nodes_.pop_back();
    tree_->time_left -= step_cost;
    const std::uint32_t letter = node.letter - 1;
    const std::uint8_t set = tree_->strand->sets[letter];
    const bool may_differ =
        letter < part_begin_ && node.errors < max_errors_ && !tree_->strand->is_exact(letter);
    if (may_differ) add_open_rows(node);
    if (node.high - node.low == 1) {
      std::uint64_t row = node.low;
      const unsigned code = index_.step_back<true>(row);
      if (code == 0) return;
      const bool match = (set >> (code - 1) & 1) != 0;
      if (match || may_differ) add({row, row + 1, letter, node.errors + (match ? 0 : 1)});
      return;
    }
    for (unsigned code = 1; code <= 4; ++code) {
      const bool match = (set >> (code - 1) & 1) != 0;
      if (!match && !may_differ) continue;
      tree_node child{node.low, node.high, letter, node.errors + (match ? 0 : 1)};
      index_.narrow<true>(code, child.low, child.high);
      if (child.low < child.high) add(child);
    }
  }

private:
  void add(const tree_node& node) {
    constexpr std::uint32_t max_walk = 16; // letters that are compared row by row
    const std::uint64_t rows = node.high - node.low;
    if (node.letter == 0 || (rows == 1 && node.letter > max_walk && node.letter < part_begin_)) {
      for (std::uint64_t row = node.low; row < node.high && tree_->time_left >= 0; ++row)
        add_leaf(row, node.letter);
      return;
    }
    index_.prefetch<true>(node.low);
    if (rows > 1) index_.prefetch<true>(node.high);
    nodes_.push_back(node);
  }
  // Adds the rows before which a segment begins: the letters to the left may lie in the segment before it.
  void add_open_rows(const tree_node& node) {
    for (std::uint64_t i = index_.open_before(node.low);
         i < index_.open_rows.size() && index_.open_rows[i] < node.high && tree_->time_left >= 0; ++i)
      add_leaf(index_.open_rows[i], node.letter);
  }
  void add_leaf(std::uint64_t row, std::uint32_t letter) {
    leaves_.push_back({row, number_, letter, part_});
    tree_->time_left -= leaf_cost;
  }

  const fm_index::view& index_;
  std::vector<near_leaf>& leaves_;
  near_tree* tree_ = nullptr;
  std::uint32_t number_ = 0, part_ = 0;
  std::uint64_t part_begin_ = 0;
  unsigned max_errors_ = 0;
  std::vector<tree_node> nodes_;
};

void search_interleaved(const fm_index::view& index, std::span<near_tree> trees,
                        std::vector<near_leaf>& leaves) {
  constexpr std::size_t num_lanes = 16;
  std::vector<tree_lane> lanes(num_lanes, tree_lane(index, leaves));
  std::uint32_t tree = 0, part = 0;
  const auto refill = [&](tree_lane& lane) {
    while (tree < trees.size() && part + 1 == trees[tree].parts->begins.size()) {
      ++tree;
      part = 0;
    }
    if (tree == trees.size()) return false;
    lane.start(trees[tree], tree, part++);
    return true;
  };
  std::vector<tree_lane*> active;
  for (tree_lane& lane : lanes)
    if (refill(lane)) active.push_back(&lane);
  while (!active.empty())
    std::erase_if(active, [&](tree_lane* lane) {
      if (!lane->done()) lane->step();
      return lane->done() && !refill(*lane);
    });
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(search_interleaved);

void search_trees(const fm_index::view& index, std::span<near_tree> trees, std::vector<near_leaf>& leaves) {
  HWY_DYNAMIC_DISPATCH(search_interleaved)(index, trees, leaves);
}

namespace {

// Returns the nanoseconds of the search from a part of `exact` letters with `left` letters to the left of it.
double tree_cost(std::uint64_t exact, std::uint64_t left, unsigned max_errors, double num_symbols) {
  std::array<double, max_near_distance + 2> strings{1}; // of the letters so far, by their mismatches
  double rows = std::ldexp(num_symbols, -2 * static_cast<int>(std::min<std::uint64_t>(exact, 60)));
  double cost = step_cost * static_cast<double>(exact), nodes = std::min(1.0, rows);
  for (std::uint64_t i = 0; i < left && nodes > 1e-3; ++i) {
    cost += step_cost * nodes;
    for (unsigned e = max_errors; e > 0; --e) strings[e] += 3 * strings[e - 1];
    rows /= 4;
    nodes = 0;
    for (unsigned e = 0; e <= max_errors; ++e) nodes += strings[e] * std::min(1.0, rows);
  }
  double found = 0;
  for (unsigned e = 0; e <= max_errors; ++e) found += strings[e] * rows;
  return cost + leaf_cost * found;
}

} // namespace

near_parts divide_strand(std::uint64_t size, unsigned max_distance, std::uint64_t num_symbols) {
  const auto n = static_cast<double>(num_symbols);
  near_parts best;
  best.cost = std::numeric_limits<double>::infinity();
  // The first part is looked up, and the last one has the largest tree; those between are of equal sizes.
  const std::uint64_t between = max_distance - 1; // parts
  for (std::uint64_t first = 1; first + between + 1 <= size; ++first)
    for (std::uint64_t last = between == 0 ? size - first : 1; first + between + last <= size; ++last) {
      near_parts parts;
      parts.begins = {0};
      for (std::uint64_t i = 0; i <= between; ++i)
        parts.begins.push_back(first + (between == 0 ? 0 : (size - first - last) * i / between));
      parts.begins.push_back(size);
      for (std::uint64_t i = 0; i + 1 < parts.begins.size(); ++i)
        parts.cost +=
            tree_cost(parts.begins[i + 1] - parts.begins[i], parts.begins[i], static_cast<unsigned>(i), n);
      if (parts.cost < best.cost) best = std::move(parts);
    }
  return best;
}

} // namespace weft::bwt_detail
#endif
