#include <weft/scan/cuda/resolve/sort_occurrences.hpp>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

namespace weft::scan_detail {

namespace {

// Returns the greater of two numbers.
struct maximum {
  __host__ __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return a < b ? b : a;
  }
};

} // namespace

cudaError_t sort_keys(void* d_temp, std::size_t& bytes, std::uint64_t* d_keys, std::uint64_t* d_other,
                      std::uint64_t n, int first_bit, int last_bit, std::uint64_t*& sorted,
                      cudaStream_t stream) {
  cub::DoubleBuffer<std::uint64_t> items(d_keys, d_other);
  const cudaError_t status =
      cub::DeviceRadixSort::SortKeys(d_temp, bytes, items, static_cast<int>(n), first_bit, last_bit, stream);
  sorted = items.Current();
  return status;
}

cudaError_t sort_occurrences(void* d_temp, std::size_t& bytes, std::uint64_t* d_codes, std::uint64_t* d_other,
                             std::uint64_t n, int bits, unsigned long long* d_count, std::uint64_t*& sorted,
                             cudaStream_t stream) {
  std::size_t to_sort = bytes, to_select = bytes;
  std::uint64_t* with_duplicates = nullptr;
  cudaError_t status = sort_keys(d_temp, to_sort, d_codes, d_other, n, 0, bits, with_duplicates, stream);
  if (status != cudaSuccess) return status;
  sorted = with_duplicates == d_codes ? d_other : d_codes;
  status = cub::DeviceSelect::Unique(d_temp, to_select, with_duplicates, sorted, d_count, static_cast<int>(n),
                                     stream);
  if (d_temp == nullptr) bytes = std::max(to_sort, to_select);
  return status;
}

cudaError_t sort_pairs(void* d_temp, std::size_t& bytes, number_pairs& pairs, std::uint64_t n, int bits,
                       cudaStream_t stream) {
  cub::DoubleBuffer<std::uint64_t> first(pairs.first, pairs.other_first),
      second(pairs.second, pairs.other_second);
  const cudaError_t status =
      cub::DeviceRadixSort::SortPairs(d_temp, bytes, first, second, static_cast<int>(n), 0, bits, stream);
  if (d_temp != nullptr) pairs = {first.Current(), second.Current(), first.Alternate(), second.Alternate()};
  return status;
}

cudaError_t running_maximum(void* d_temp, std::size_t& bytes, std::uint64_t* d_items, std::uint64_t n,
                            cudaStream_t stream) {
  return cub::DeviceScan::InclusiveScan(d_temp, bytes, d_items, d_items, maximum{}, static_cast<int>(n),
                                        stream);
}

cudaError_t exclusive_sum(void* d_temp, std::size_t& bytes, std::uint64_t* d_items, std::uint64_t n,
                          cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(d_temp, bytes, d_items, d_items, static_cast<int>(n), stream);
}

} // namespace weft::scan_detail
