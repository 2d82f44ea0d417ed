// The engine `merge`: CUB's merge sort, for any comparator; stable.
//
// CUB launches its merge kernels before the kernels before them have ended. Before CCCL 3.1 these merge
// kernels read what the earlier kernels write without waiting for it, which sometimes causes a wrong result
// or an illegal access (https://github.com/NVIDIA/cccl/issues/5297). For those versions, weft launches the
// merge kernels after the earlier kernels have ended. (Later releases of 3.0 are said to contain the
// correction too.)
#pragma once

#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <type_traits>
#include <utility>
#include <weft/sort/cuda/temporary_storage.hpp>

namespace weft::sort_detail {

#if CCCL_VERSION < 3001000

template <class MergeKernel> struct merge_launcher : cub::detail::TripleChevronFactory {
  struct launch {
    dim3 grid, block;
    std::size_t shared_bytes;
    cudaStream_t stream;
    bool early;
    template <class Kernel, class... Arguments>
    cudaError_t doit(Kernel kernel, const Arguments&... arguments) const {
      return THRUST_NS_QUALIFIER::cuda_cub::detail::triple_chevron(
                 grid, block, shared_bytes, stream, early && !std::is_same_v<Kernel, MergeKernel>)
          .doit(kernel, arguments...);
    }
  };
  launch operator()(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream,
                    bool early = false) const {
    return {grid, block, shared_bytes, stream, early};
  }
};

template <class Key, class Value, class Count, class Less>
cudaError_t merge_sort_counted(void* d_temp, std::size_t& bytes, Key* d_keys, Value* d_values, Count n,
                               Less less, cudaStream_t stream) {
  using count = cub::detail::choose_offset_t<Count>;
  using policy = cub::detail::merge_sort::policy_hub<Key*>;
  using kernels = cub::detail::merge_sort::DeviceMergeSortKernelSource<typename policy::MaxPolicy, Key*,
                                                                       Value*, Key*, Value*, count, Less>;
  using launcher = merge_launcher<decltype(std::declval<kernels>().MergeSortMergeKernel())>;
  return cub::DispatchMergeSort<Key*, Value*, Key*, Value*, count, Less, policy, kernels, launcher>::Dispatch(
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
