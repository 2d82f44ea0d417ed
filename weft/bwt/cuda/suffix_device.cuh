// What the kernels of the suffix sort have in common.
#pragma once

#include <cstdint>
#include <type_traits>
#include <weft/bwt/cuda/grid.cuh>
#include <weft/bwt/cuda/suffix_kernels.hpp>

namespace weft::bwt_cuda {

inline constexpr int threads = 256; // of a block

// A group begins at the slot.
__device__ inline void mark(const head_bits& heads, std::uint64_t slot) {
  atomicOr(reinterpret_cast<unsigned long long*>(&heads.level[0][slot / 64]), 1ULL << (slot % 64));
}

// Calls launch with the width of a kind of groups, of those from First to the last but large ones, as a
// constant.
template <int First, class Launch> void with_width(int kind, const Launch& launch) {
  if constexpr (First < large_groups) {
    if (kind == First)
      launch(std::integral_constant<int, width_of(First)>());
    else
      with_width<First + 1>(kind, launch);
  }
}

} // namespace weft::bwt_cuda
