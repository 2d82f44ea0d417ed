// A search tree of splitters s_1 <= .. <= s_(k-1), k = 2^l, without pointers: node 1 is the root, and node j
// has the children 2j and 2j + 1. An item x belongs to bucket i if s_i <= x < s_(i+1) (s_0 = -inf, s_k =
// +inf).
//
// The plain version: bucket(x) = number of splitters that are not after x.
// Source: Leischner, Osipov & Sanders, GPU Sample Sort, IPDPS 2010.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::sort_detail {

// Returns the number of the splitter (1 .. k-1) at a node. 1 <= node < k.
WEFT_HOST_DEVICE inline std::uint32_t splitter_of_node(std::uint32_t node, std::uint32_t num_buckets) {
  std::uint32_t level_begin = 1; // the first node of the node's level, and the size of the level
  while (2 * level_begin <= node) level_begin *= 2;
  return (2 * (node - level_begin) + 1) * (num_buckets / (2 * level_begin));
}

// Returns the bucket of an item, 0 .. k-1, by l comparisons without branches. Reads tree[1 .. k-1], but not
// tree[0].
template <class T, class Less>
WEFT_HOST_DEVICE std::uint32_t find_bucket(const T* tree, std::uint32_t num_buckets, const T& item,
                                           Less& less) {
  std::uint32_t node = 1;
  while (node < num_buckets) node = 2 * node + (less(item, tree[node]) ? 0 : 1);
  return node - num_buckets;
}

} // namespace weft::sort_detail
