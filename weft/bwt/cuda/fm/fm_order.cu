#include <weft/bwt/cuda/fm/fm_order.hpp>

#include <cub/device/device_scan.cuh>
#include <weft/sort/sort.cuh>

namespace weft::bwt_cuda {

cudaError_t sum_before(void* d_temp, std::size_t& bytes, std::uint64_t* d_items, std::uint64_t n,
                       cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(d_temp, bytes, d_items, d_items, static_cast<std::int64_t>(n), stream);
}

cudaError_t sort_segments(void* d_temp, std::size_t& bytes, std::uint64_t* d_items, std::uint64_t n,
                          const std::uint64_t* d_offsets, std::uint64_t segments, cudaStream_t stream) {
  return gpu::segmented_sort(d_temp, bytes, d_items, n, d_offsets, segments, ascending{}, stream);
}

} // namespace weft::bwt_cuda
