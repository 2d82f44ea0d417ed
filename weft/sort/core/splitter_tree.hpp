// A search tree of splitters s_1 <= .. <= s_(k-1), k = 2^l, without pointers: node j has the children 2j and
// 2j + 1, node 1 is the root. An item x belongs to bucket i if s_i <= x < s_(i+1) (s_0 = -inf, s_k = +inf).
//
// The plain version: bucket(x) = how many splitters are not after x.
// Source: Leischner, Osipov & Sanders, GPU Sample Sort, IPDPS 2010.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::detail {

// Which splitter (1 .. k-1) stands at the node. 1 <= node < k.
WEFT_HOST_DEVICE inline std::uint32_t splitter_of_node(std::uint32_t node, std::uint32_t num_buckets) {
  std::uint32_t level_begin = 1; // the first node of the node's level, which has as many nodes
  while (2 * level_begin <= node) level_begin *= 2;
  return (2 * (node - level_begin) + 1) * (num_buckets / (2 * level_begin));
}

// The bucket of an item, 0 .. k-1; l comparisons, no branches. tree[1 .. k-1]; tree[0] is not read.
template <class T, class Less>
WEFT_HOST_DEVICE std::uint32_t find_bucket(const T* tree, std::uint32_t num_buckets, const T& item,
                                           Less& less) {
  std::uint32_t node = 1;
  while (node < num_buckets) node = 2 * node + (less(item, tree[node]) ? 0 : 1);
  return node - num_buckets;
}

} // namespace weft::detail
