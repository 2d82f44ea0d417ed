// Whether rows are in order, in O(n): for texts that are too long to be sorted again.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace weft::reference {

// The rows as a permutation's inverse; empty if they are none of [0, n).
template <class Index> std::vector<Index> places_of_rows(std::span<const Index> rows) {
  const auto n = static_cast<Index>(rows.size());
  std::vector<Index> places(rows.size(), n);
  for (Index i = 0; i < n; ++i) {
    if (rows[i] >= n || places[rows[i]] != n) return {};
    places[rows[i]] = i;
  }
  return places;
}

// Burkhardt & Kärkkäinen, 2003: first symbols ascend, and of neighbours with equal ones the suffixes behind
// these are in order.
template <class Index> bool is_suffix_array(std::string_view text, std::span<const Index> rows) {
  const std::size_t n = text.size();
  const std::vector<Index> places = places_of_rows(rows);
  if (rows.size() != n || places.size() != n) return false;
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t a = rows[i - 1], b = rows[i];
    const auto x = static_cast<unsigned char>(text[a]), y = static_cast<unsigned char>(text[b]);
    if (x > y) return false;
    if (x == y && (b + 1 == n || (a + 1 < n && places[a + 1] > places[b + 1]))) return false;
  }
  return true;
}

// The same of rotations; root: the length of the shortest u with text = u^k, a rotation being equal to those
// a multiple of it away, which then stand together.
template <class Index>
bool is_rotation_order(std::string_view text, std::size_t root, std::span<const Index> rows) {
  const std::size_t n = text.size();
  if (rows.size() != n || places_of_rows(rows).size() != n) return false;
  if (n == 0) return true;
  std::vector<Index> distinct; // one of each n / root
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Index>(rows[i] % root);
    if (i % (n / root) == 0)
      distinct.push_back(row);
    else if (row != distinct.back())
      return false;
  }
  const std::vector<Index> places = places_of_rows<Index>(distinct);
  if (places.size() != root) return false;
  for (std::size_t i = 1; i < root; ++i) {
    const std::size_t a = distinct[i - 1], b = distinct[i];
    const auto x = static_cast<unsigned char>(text[a]), y = static_cast<unsigned char>(text[b]);
    if (x > y || (x == y && places[(a + 1) % root] > places[(b + 1) % root])) return false;
  }
  return true;
}

} // namespace weft::reference
