#include <bench/bwt/sort_pairs.hpp>

#include <bench/gpu_method.hpp>
#include <cub/device/device_radix_sort.cuh>
#include <weft/base/mixed.hpp>

namespace weft::bench {

namespace {

__global__ void write_random(std::uint64_t* keys, std::uint64_t n) {
  for (std::uint64_t i = blockIdx.x * 256ULL + threadIdx.x; i < n; i += gridDim.x * 256ULL)
    keys[i] = weft::base_detail::mixed(i);
}

__global__ void count_descents(const std::uint64_t* keys, std::uint64_t n, unsigned long long* count) {
  for (std::uint64_t i = 1 + blockIdx.x * 256ULL + threadIdx.x; i < n; i += gridDim.x * 256ULL)
    if (keys[i] < keys[i - 1]) atomicAdd(count, 1ULL);
}

} // namespace

sorted_pairs sort_random_pairs(std::uint64_t n) {
  using gpu::check, gpu::device_buffer;
  const gpu::stream work;
  const cudaStream_t stream = work.get();
  const device_buffer<std::uint64_t> keys(n, stream), other_keys(n, stream);
  const device_buffer<std::uint32_t> values(n, stream), other_values(n, stream);
  const device_buffer<unsigned long long> d_descents(1, stream);
  cub::DoubleBuffer<std::uint64_t> from(keys.data(), other_keys.data());
  cub::DoubleBuffer<std::uint32_t> with(values.data(), other_values.data());
  std::size_t bytes = 0;
  const auto sort = [&](void* d_temp) {
    check(cub::DeviceRadixSort::SortPairs(d_temp, bytes, from, with, n, 0, 64, stream), "sort pairs");
  };
  sort(nullptr);
  const device_buffer<std::byte> temp(bytes, stream);
  write_random<<<8192, 256, 0, stream>>>(keys.data(), n);
  check(cudaGetLastError(), "make keys");
  const event_timer clock;
  clock.begin(stream);
  sort(temp.data());
  clock.end(stream);
  check(cudaMemsetAsync(d_descents.data(), 0, d_descents.bytes(), stream), "prepare a count");
  count_descents<<<8192, 256, 0, stream>>>(from.Current(), n, d_descents.data());
  check(cudaGetLastError(), "look at keys");
  const unsigned long long descents = gpu::downloaded(d_descents.data(), stream, "read a count");
  return {clock.seconds(), descents == 0};
}

} // namespace weft::bench
