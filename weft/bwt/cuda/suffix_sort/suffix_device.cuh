// What the kernels of the suffix sort have in common.
#pragma once

#include <cstdint>
#include <type_traits>
#include <weft/bwt/cuda/grid.cuh>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

namespace weft::bwt_cuda {

inline constexpr int threads = 256; // of a block

// A group begins at the slot.
__device__ inline void mark(const head_bits& heads, std::uint64_t slot) {
  atomicOr(reinterpret_cast<unsigned long long*>(&heads.level[0][slot / 64]), 1ULL << (slot % 64));
}

// Of item i of the large groups: its group, and its slot.
struct item_place {
  std::uint32_t in_group;
  std::uint64_t slot;
  std::uint32_t number; // of the group
};
__device__ inline item_place place_of(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                                      std::uint64_t i) {
  std::uint32_t low = 0, high = count; // offsets[low] <= i < offsets[high]
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (offsets[middle] <= i ? low : high) = middle;
  }
  const std::uint64_t in_group = i - offsets[low];
  return {static_cast<std::uint32_t>(in_group), groups[low].begin + in_group, low};
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
