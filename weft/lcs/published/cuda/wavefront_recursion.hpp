// Hirschberg's recursion as engine wavefront runs it on the host. Needs no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// If either text is shorter than this, the engine leaves a part to the CPU.
inline constexpr std::uint64_t wavefront_smallest = 4096;

// A part of both texts: rows [a_first, a_first + m), columns [b_first, b_first + n).
struct wavefront_part {
  std::uint64_t a_first, m, b_first, n;
};

// Appends the canonical path of a part. split(part) returns the smallest column k, counted from the part's
// first column, in which an optimal path touches row m / 2. small(part) returns the canonical path of a
// part with m or n below `smallest` >= 2. cpu/hirschberg.hpp explains why the result is the canonical path.
template <class Split, class Small>
void divide(const wavefront_part& part, std::uint64_t smallest, const Split& split, const Small& small,
            edit_script& path) {
  if (part.m == 0 || part.n == 0) return append_unmatched(path, part.m, part.n);
  if (std::min(part.m, part.n) < smallest) return append(path, small(part));
  const std::uint64_t mid = part.m / 2, k = split(part);
  divide({part.a_first, mid, part.b_first, k}, smallest, split, small, path);
  divide({part.a_first + mid, part.m - mid, part.b_first + k, part.n - k}, smallest, split, small, path);
}

} // namespace weft::lcs_detail
