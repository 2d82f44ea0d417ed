// Defines the result of metric affine: Gotoh's three tables in full, and the canonical walk through them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>
#include <weft/lcs/lcs.hpp>

namespace weft_test {

// The least penalties of a[i..) and b[j..) after a diagonal step or none, a deletion, and an insertion.
struct affine_rest {
  std::uint64_t closed, deleting, inserting;
};

// Returns the canonical path, one operation per step, and writes its penalty.
template <class Symbol>
std::vector<weft::edit_op> affine_walk(std::span<const Symbol> a, std::span<const Symbol> b,
                                       const weft::affine_penalties& cost, std::uint64_t& penalty) {
  constexpr std::uint64_t never = 1ULL << 60;
  const std::size_t m = a.size(), n = b.size();
  const std::uint64_t open = cost.gap_open, extend = cost.gap_extend;
  std::vector rest(m + 2, std::vector<affine_rest>(n + 2, {never, never, never}));
  const auto diagonal = [&](std::size_t i, std::size_t j) {
    return i < m && j < n ? rest[i + 1][j + 1].closed + (a[i] == b[j] ? 0 : cost.mismatch) : never;
  };
  for (std::size_t i = m + 1; i-- > 0;)
    for (std::size_t j = n + 1; j-- > 0;) {
      const std::uint64_t down = rest[i + 1][j].deleting + extend, right = rest[i][j + 1].inserting + extend;
      const std::uint64_t straight = i == m && j == n ? 0 : diagonal(i, j);
      rest[i][j] = {std::min({straight, down + open, right + open}), std::min({straight, down, right + open}),
                    std::min({straight, down + open, right})};
    }
  penalty = rest[0][0].closed;
  std::vector<weft::edit_op> ops;
  std::uint64_t affine_rest::*state = &affine_rest::closed;
  for (std::size_t i = 0, j = 0; i < m || j < n;) {
    const std::uint64_t least = rest[i][j].*state;
    if (rest[i + 1][j].deleting + extend + (state == &affine_rest::deleting ? 0 : open) == least)
      ops.push_back(weft::edit_op::remove), state = &affine_rest::deleting, ++i;
    else if (diagonal(i, j) == least)
      ops.push_back(a[i] == b[j] ? weft::edit_op::match : weft::edit_op::substitute),
          state = &affine_rest::closed, ++i, ++j;
    else
      ops.push_back(weft::edit_op::insert), state = &affine_rest::inserting, ++j;
  }
  return ops;
}

} // namespace weft_test
