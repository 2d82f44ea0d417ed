#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/transform_iterator.h>
#include <weft/sort/sort.cuh>

namespace weft::bwt_detail {

namespace {

struct size_of_group {
  __host__ __device__ std::uint64_t operator()(const group& each) const { return each.size; }
};

template <class Index> struct less_by_cover {
  cover_ranks ranks;
  __device__ bool operator()(const grouped_suffix<Index>& a, const grouped_suffix<Index>& b) const {
    return a.group != b.group ? a.group < b.group : ranks.less(a.suffix, b.suffix);
  }
};

} // namespace

cudaError_t sort_by_keys(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys, std::uint32_t* d_values,
                         std::uint64_t n, cudaStream_t stream) {
  return gpu::sort_by_key_async(d_temp, bytes, d_keys, d_values, n, ascending(), stream);
}

cudaError_t sort_items(void* d_temp, std::size_t& bytes, void* d_items, std::uint64_t n,
                       const std::uint64_t* d_offsets, std::uint32_t segments, cudaStream_t stream) {
  return gpu::segmented_sort_async(d_temp, bytes, static_cast<uint128*>(d_items), n, d_offsets, segments,
                                   ascending(), stream);
}

cudaError_t sum_sizes(void* d_temp, std::size_t& bytes, const group* d_groups, std::uint32_t count,
                      std::uint64_t* d_offsets, cudaStream_t stream) {
  if (d_temp != nullptr)
    if (const cudaError_t status = cudaMemsetAsync(d_offsets, 0, sizeof(*d_offsets), stream)) return status;
  return cub::DeviceScan::InclusiveSum(d_temp, bytes,
                                       thrust::make_transform_iterator(d_groups, size_of_group{}),
                                       d_offsets + 1, count, stream);
}

template <class Index>
cudaError_t sort_by_cover(void* d_temp, std::size_t& bytes, grouped_suffix<Index>* d_items, std::uint64_t n,
                          const cover_ranks& ranks, cudaStream_t stream) {
  // Always uses the merge engine, because the other engines of the library's sort take ten times as long to
  // compile for items of this size.
  return sort_detail::sort_device_items<sort_detail::device_engine::merge>(
      d_temp, bytes, d_items, n, less_by_cover<Index>{ranks}, stream);
}

template cudaError_t sort_by_cover(void*, std::size_t&, grouped_suffix<std::uint32_t>*, std::uint64_t,
                                   const cover_ranks&, cudaStream_t);
template cudaError_t sort_by_cover(void*, std::size_t&, grouped_suffix<std::uint64_t>*, std::uint64_t,
                                   const cover_ranks&, cudaStream_t);

} // namespace weft::bwt_detail
