#include <weft/scan/cuda/sort_found.hpp>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

namespace weft::scan_cuda {

cudaError_t sort_found(void* d_temp, std::size_t& bytes, std::uint64_t* d_found, std::uint64_t* d_other,
                       std::uint64_t n, int bits, unsigned long long* d_count, std::uint64_t*& sorted,
                       cudaStream_t stream) {
  const auto count = static_cast<int>(n);
  cub::DoubleBuffer<std::uint64_t> items(d_found, d_other);
  std::size_t to_sort = bytes, to_select = bytes;
  cudaError_t status = cub::DeviceRadixSort::SortKeys(d_temp, to_sort, items, count, 0, bits, stream);
  if (status != cudaSuccess) return status;
  sorted = items.Alternate();
  status = cub::DeviceSelect::Unique(d_temp, to_select, items.Current(), sorted, d_count, count, stream);
  if (d_temp == nullptr) bytes = std::max(to_sort, to_select);
  return status;
}

cudaError_t sort_by_high_bits(void* d_temp, std::size_t& bytes, std::uint64_t* d_items,
                              std::uint64_t* d_other, std::uint64_t n, int first_bit, int last_bit,
                              std::uint64_t*& sorted, cudaStream_t stream) {
  cub::DoubleBuffer<std::uint64_t> items(d_items, d_other);
  const cudaError_t status =
      cub::DeviceRadixSort::SortKeys(d_temp, bytes, items, static_cast<int>(n), first_bit, last_bit, stream);
  sorted = items.Current();
  return status;
}

} // namespace weft::scan_cuda
