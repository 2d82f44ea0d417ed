// Checks in O(n) whether rows are in order, for texts that are too long to be sorted again.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weft::reference {

// Returns the inverse of the rows as a permutation; empty if they are no permutation of [0, n).
template <class Index> std::vector<Index> ranks_of_rows(std::span<const Index> rows) {
  const auto n = static_cast<Index>(rows.size());
  std::vector<Index> ranks(rows.size(), n);
  for (Index i = 0; i < n; ++i) {
    if (rows[i] >= n || ranks[rows[i]] != n) return {};
    ranks[rows[i]] = i;
  }
  return ranks;
}

// Returns whether the rows are the suffix array (Burkhardt & Kärkkäinen, 2003): first symbols ascend, and
// neighbours with equal first symbols are in the order of the suffixes after these symbols.
template <class Index> bool is_suffix_array(std::string_view text, std::span<const Index> rows) {
  const std::size_t n = text.size();
  const std::vector<Index> ranks = ranks_of_rows(rows);
  if (rows.size() != n || ranks.size() != n) return false;
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t a = rows[i - 1], b = rows[i];
    const auto x = static_cast<unsigned char>(text[a]), y = static_cast<unsigned char>(text[b]);
    if (x > y) return false;
    if (x == y && (b + 1 == n || (a + 1 < n && ranks[a + 1] > ranks[b + 1]))) return false;
  }
  return true;
}

// Returns the same for rotations. `root` is the length of the shortest u with text = u^k: rotations at a
// distance of a multiple of `root` are equal, and must then be adjacent.
template <class Index>
bool is_rotation_order(std::string_view text, std::size_t root, std::span<const Index> rows) {
  const std::size_t n = text.size();
  if (rows.size() != n || ranks_of_rows(rows).size() != n) return false;
  if (n == 0) return true;
  std::vector<Index> distinct; // one of each n / root equal rotations
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Index>(rows[i] % root);
    if (i % (n / root) == 0)
      distinct.push_back(row);
    else if (row != distinct.back())
      return false;
  }
  const std::vector<Index> ranks = ranks_of_rows<Index>(distinct);
  if (ranks.size() != root) return false;
  for (std::size_t i = 1; i < root; ++i) {
    const std::size_t a = distinct[i - 1], b = distinct[i];
    const auto x = static_cast<unsigned char>(text[a]), y = static_cast<unsigned char>(text[b]);
    if (x > y || (x == y && ranks[(a + 1) % root] > ranks[(b + 1) % root])) return false;
  }
  return true;
}

} // namespace weft::reference
