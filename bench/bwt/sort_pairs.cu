#include <bench/bwt/sort_pairs.hpp>

#include <algorithm>
#include <array>
#include <cub/device/device_radix_sort.cuh>
#include <map>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/mixed.hpp>

namespace weft_bench {

namespace {

__global__ void write_random(std::uint64_t* keys, std::uint64_t n) {
  for (std::uint64_t i = blockIdx.x * 256ULL + threadIdx.x; i < n; i += gridDim.x * 256ULL)
    keys[i] = weft::detail::mixed(i);
}

} // namespace

double sort_pairs_milliseconds(std::uint64_t n) {
  static std::map<std::uint64_t, double> known;
  if (const auto found = known.find(n); found != known.end()) return found->second;
  using weft::gpu::check, weft::gpu::device_buffer;
  const weft::gpu::stream work;
  const cudaStream_t stream = work.get();
  const device_buffer<std::uint64_t> keys(n, stream), other_keys(n, stream);
  const device_buffer<std::uint32_t> values(n, stream), other_values(n, stream);
  std::array<float, 5> times{};
  for (float& milliseconds : times) {
    cub::DoubleBuffer<std::uint64_t> from(keys.data(), other_keys.data());
    cub::DoubleBuffer<std::uint32_t> with(values.data(), other_values.data());
    std::size_t bytes = 0;
    const auto sort = [&](void* d_temp) {
      check(cub::DeviceRadixSort::SortPairs(d_temp, bytes, from, with, n, 0, 64, stream), "sort pairs");
    };
    sort(nullptr);
    const device_buffer<std::byte> temp(bytes, stream);
    write_random<<<8192, 256, 0, stream>>>(keys.data(), n);
    cudaEvent_t begin{}, end{};
    check(cudaEventCreate(&begin), "time a sort");
    check(cudaEventCreate(&end), "time a sort");
    check(cudaEventRecord(begin, stream), "time a sort");
    sort(temp.data());
    check(cudaEventRecord(end, stream), "time a sort");
    work.wait();
    check(cudaEventElapsedTime(&milliseconds, begin, end), "time a sort");
    (void)cudaEventDestroy(begin);
    (void)cudaEventDestroy(end);
  }
  std::sort(times.begin(), times.end());
  return known[n] = times[times.size() / 2];
}

} // namespace weft_bench
