// Sorts records in GPU memory, on a stream.
// prints: ACG:7 TTG:7 CCA:3 GAT:1
// prints: positions 2 0 3 1
#include <cstdio>
#include <weft/base/device.hpp>
// example-begin
#include <weft/sort/sort.cuh>

struct counted_word {
  char word[4];
  unsigned count;
};

struct most_frequent_first {
  __device__ bool operator()(const counted_word& a, const counted_word& b) const { return a.count > b.count; }
};

// d_words: n records in device memory; most_frequent_first: a function object that the device can call.
cudaError_t enqueue_sort(counted_word* d_words, std::uint64_t n, cudaStream_t stream) {
  void* d_temp = nullptr;
  std::size_t bytes = 0; // how much it needs
  cudaError_t status =
      weft::gpu::stable_sort_async(nullptr, bytes, d_words, n, most_frequent_first{}, stream);
  if (status == cudaSuccess) status = cudaMallocAsync(&d_temp, bytes, stream);
  if (status == cudaSuccess)
    status = weft::gpu::stable_sort_async(d_temp, bytes, d_words, n, most_frequent_first{}, stream);
  if (d_temp != nullptr) (void)cudaFreeAsync(d_temp, stream);
  return status; // nothing has been waited for
}

// d_order[0] becomes the position of the least of n numbers, and so on. Allocates by itself, and throws.
void order_numbers(const double* d_numbers, unsigned* d_order, std::uint64_t n, cudaStream_t stream) {
  weft::gpu::argsort(d_numbers, d_order, n, weft::ascending(), stream);
}
// example-end

int main() {
  if (const weft::gpu_report& gpus = weft::known_gpus(); gpus.devices.empty()) {
    std::printf("no GPU: %s\n", gpus.unavailable.c_str());
    return 0;
  }
  counted_word words[] = {{"CCA", 3}, {"ACG", 7}, {"GAT", 1}, {"TTG", 7}};
  const double numbers[] = {0.5, 9, -2, 4};
  unsigned order[4] = {};
  const weft::gpu::stream stream;
  const weft::gpu::device_buffer<counted_word> d_words =
      weft::gpu::uploaded<counted_word>(words, stream.get(), "copy words");
  const weft::gpu::device_buffer<double> d_numbers =
      weft::gpu::uploaded<double>(numbers, stream.get(), "copy numbers");
  const weft::gpu::device_buffer<unsigned> d_order(4, stream.get());
  weft::gpu::check(enqueue_sort(d_words.data(), 4, stream.get()), "sort words");
  order_numbers(d_numbers.data(), d_order.data(), 4, stream.get());
  weft::gpu::copy(words, d_words.data(), 4, stream.get(), "copy words");
  weft::gpu::copy(order, d_order.data(), 4, stream.get(), "copy positions");
  stream.wait();
  for (const counted_word& each : words)
    std::printf("%s:%u%s", each.word, each.count, &each == words + 3 ? "\n" : " ");
  std::printf("positions %u %u %u %u\n", order[0], order[1], order[2], order[3]);
}
