// Defines the result of every lcs engine: the whole table, and the canonical walk through it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/lcs/lcs.hpp>

namespace weft_test {

// Returns rest with rest[i][j] = the distance of a[i..) and b[j..): the least number of insertions and
// deletions and, if metric is edit, substitutions.
template <class Symbol>
std::vector<std::vector<std::uint64_t>> lcs_table(std::span<const Symbol> a, std::span<const Symbol> b,
                                                  weft::lcs_metric metric) {
  const std::size_t m = a.size(), n = b.size();
  std::vector<std::vector<std::uint64_t>> rest(m + 1, std::vector<std::uint64_t>(n + 1));
  for (std::size_t i = m + 1; i-- > 0;)
    for (std::size_t j = n + 1; j-- > 0;) {
      if (i == m || j == n) {
        rest[i][j] = (m - i) + (n - j);
        continue;
      }
      rest[i][j] = 1 + std::min(rest[i + 1][j], rest[i][j + 1]);
      if (a[i] == b[j]) rest[i][j] = std::min(rest[i][j], rest[i + 1][j + 1]);
      if (metric == weft::lcs_metric::edit) rest[i][j] = std::min(rest[i][j], 1 + rest[i + 1][j + 1]);
    }
  return rest;
}

// Returns the canonical path, one operation per step: down if that is optimal, otherwise diagonal if that is,
// otherwise right.
template <class Symbol>
std::vector<weft::edit_op> lcs_walk(std::span<const Symbol> a, std::span<const Symbol> b,
                                    weft::lcs_metric metric) {
  const auto rest = lcs_table(a, b, metric);
  std::vector<weft::edit_op> ops;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool inside = i < a.size() && j < b.size();
    const bool equal = inside && a[i] == b[j];
    const bool diagonal = inside && (equal || metric == weft::lcs_metric::edit);
    if (i < a.size() && rest[i + 1][j] + 1 == rest[i][j])
      ops.push_back(weft::edit_op::remove), ++i;
    else if (diagonal && rest[i + 1][j + 1] + (equal ? 0 : 1) == rest[i][j])
      ops.push_back(equal ? weft::edit_op::match : weft::edit_op::substitute), ++i, ++j;
    else
      ops.push_back(weft::edit_op::insert), ++j;
  }
  return ops;
}

} // namespace weft_test
