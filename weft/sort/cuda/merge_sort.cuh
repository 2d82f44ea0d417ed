// The engine `merge`: CUB's merge sort, for any comparator; stable.
//
// CUB launches its kernels before the kernels before them have ended. Before CCCL 3.1 the kernel that merges
// reads where its tiles begin without waiting for the kernel that writes this, which sometimes causes a wrong
// result or an illegal access (https://github.com/NVIDIA/cccl/issues/5297). For those versions, the kernel
// here does the same work, but waits first. (Later releases of 3.0 are said to contain the correction too.)
#pragma once

#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <type_traits>
#include <weft/sort/cuda/launch.cuh>
#include <weft/sort/cuda/temporary_storage.hpp>

namespace weft::sort_detail {

#if CCCL_VERSION < 3001000

template <class Policy, class Key, class Value, class Count, class Less>
using merge_agents =
    cub::detail::merge_sort::merge_sort_vsmem_helper_t<typename Policy::ActivePolicy::MergeSortPolicy, Key*,
                                                       Value*, Key*, Value*, Count, Less, Key, Value>;

// Merges pairs of sorted runs; two runs that are merged have merged_tiles tiles together. A block makes one
// tile of the result. The items are read from d_keys and d_values and written to d_other_keys and
// d_other_values if `from_first`, else the other way round.
template <class Policy, class Key, class Value, class Count, class Less>
__global__ void __launch_bounds__(merge_agents<Policy, Key, Value, Count, Less>::policy_t::BLOCK_THREADS)
    merge_tiles(bool from_first, Key* d_keys, Value* d_values, Count n, Key* d_other_keys,
                Value* d_other_values, Less less, Count* d_tile_begins, Count merged_tiles,
                cub::detail::vsmem_t global_memory) {
  using agent = typename merge_agents<Policy, Key, Value, Count, Less>::merge_agent_t;
  using memory = cub::detail::vsmem_helper_impl<agent>; // global memory if tiles are too large
  __shared__ typename memory::static_temp_storage_t shared_memory;
  wait_for_launch_before();
  auto& storage = memory::get_temp_storage(shared_memory, global_memory);
  agent(from_first, storage, typename agent::KeysLoadPingIt(d_keys),
        typename agent::ItemsLoadPingIt(d_values), typename agent::KeysLoadPongIt(d_other_keys),
        typename agent::ItemsLoadPongIt(d_other_values), n, d_other_keys, d_other_values, d_keys, d_values,
        less, d_tile_begins, merged_tiles)
      .Process();
  memory::discard_temp_storage(storage);
}

// The kernels of CUB's merge sort, with merge_tiles() in place of one of them.
template <class Policy, class Key, class Value, class Count, class Less>
struct merge_sort_kernels
    : cub::detail::merge_sort::DeviceMergeSortKernelSource<Policy, Key*, Value*, Key*, Value*, Count, Less> {
  static constexpr auto MergeSortMergeKernel() { return &merge_tiles<Policy, Key, Value, Count, Less>; }
};

template <class Key, class Value, class Count, class Less>
cudaError_t merge_sort_counted(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values, Count n,
                               Less less, cudaStream_t stream) {
  using count = cub::detail::choose_offset_t<Count>;
  using policy = cub::detail::merge_sort::policy_hub<Key*>;
  using kernels = merge_sort_kernels<typename policy::MaxPolicy, Key, Value, count, Less>;
  return cub::DispatchMergeSort<Key*, Value*, Key*, Value*, count, Less, policy, kernels>::Dispatch(
      d_temp, bytes, d_keys, d_values, d_keys, d_values, n, less, stream);
}

#else

template <class Key, class Value, class Count, class Less>
cudaError_t merge_sort_counted(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values, Count n,
                               Less less, cudaStream_t stream) {
  if constexpr (std::is_same_v<Value, cub::NullType>)
    return cub::DeviceMergeSort::StableSortKeys(d_temp, bytes, d_keys, n, less, stream);
  else
    return cub::DeviceMergeSort::StableSortPairs(d_temp, bytes, d_keys, d_values, n, less, stream);
}

#endif

template <class Key, class Value, class Less>
cudaError_t merge_sort_pairs(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values, std::uint64_t n,
                             Less less, cudaStream_t stream) {
  return with_count_type(n, [&](auto count) {
    count = static_cast<decltype(count)>(n);
    return merge_sort_counted(d_temp, bytes, d_keys, d_values, count, less, stream);
  });
}

template <class T, class Less>
cudaError_t merge_sort(void* d_temp, std::size_t& bytes, T* d_items, std::uint64_t n, Less less,
                       cudaStream_t stream) {
  return merge_sort_pairs(d_temp, bytes, d_items, static_cast<cub::NullType*>(nullptr), n, less, stream);
}

} // namespace weft::sort_detail
