// Hirschberg's recursion as engine wavefront does it on the host. Needs no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cuda {

// Below this, of either text, the engine leaves a problem to the CPU.
inline constexpr std::uint64_t wavefront_smallest = 4096;

// A part of both texts: rows [a_first, a_first + m), columns [b_first, b_first + n).
struct wavefront_part {
  std::uint64_t a_first, m, b_first, n;
};

// Appends the canonical path of a part. split(part) is the smallest column k, from the part's first, on an
// optimal path at row m / 2; small(part) the canonical path of a part with m or n below `smallest` >= 2. Why
// this yields the canonical path: cpu/hirschberg.hpp.
template <class Split, class Small>
void divide(const wavefront_part& part, std::uint64_t smallest, const Split& split, const Small& small,
            edit_script& path) {
  if (part.m == 0 || part.n == 0) return append_unmatched(path, part.m, part.n);
  if (std::min(part.m, part.n) < smallest) return append(path, small(part));
  const std::uint64_t mid = part.m / 2, k = split(part);
  divide({part.a_first, mid, part.b_first, k}, smallest, split, small, path);
  divide({part.a_first + mid, part.m - mid, part.b_first + k, part.n - k}, smallest, split, small, path);
}

} // namespace weft::lcs_cuda
