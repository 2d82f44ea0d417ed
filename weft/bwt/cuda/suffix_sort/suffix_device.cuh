// Device functions that several kernels of the suffix sort share.
#pragma once

#include <cstdint>
#include <type_traits>
#include <weft/base/cuda/grid.cuh>
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

namespace weft::bwt_detail {

using gpu::all_threads, gpu::first_item, gpu::launch;

inline constexpr int threads = 256; // per block

// Records that a group begins at the slot.
__device__ inline void mark_head(const head_bits& heads, std::uint64_t slot) {
  atomicOr(reinterpret_cast<unsigned long long*>(&heads.level[0][slot / 64]), 1ULL << (slot % 64));
}

// The location of an item of the large groups: its index within its group, its slot, and the number of the
// group.
struct item_position {
  std::uint32_t in_group;
  std::uint64_t slot;
  std::uint32_t number; // index of the group in `groups`
};
__device__ inline item_position locate_item(const group* groups, const std::uint64_t* offsets,
                                            std::uint32_t count, std::uint64_t i) {
  std::uint32_t low = 0, high = count; // offsets[low] <= i < offsets[high]
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (offsets[middle] <= i ? low : high) = middle;
  }
  const std::uint64_t in_group = i - offsets[low];
  return {static_cast<std::uint32_t>(in_group), groups[low].begin + in_group, low};
}

// Calls `launch` with the width of the groups of this kind as a compile-time constant. `kind` is at least
// First and is not that of the large groups.
template <int First, class Launch> void with_width(int kind, const Launch& launch) {
  if constexpr (First < large_groups) {
    if (kind == First)
      launch(std::integral_constant<int, width_of(First)>());
    else
      with_width<First + 1>(kind, launch);
  }
}

} // namespace weft::bwt_detail
