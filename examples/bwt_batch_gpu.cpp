// Computes the Burrows-Wheeler transforms of many texts in GPU memory in one call, on a stream.
// prints: annbaaana
// prints: 4 0 2
#include <cstdio>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
// example-begin
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/bwt_batch.cuh>

// d_texts: bytes in device memory, text i is at [offsets[i], offsets[i + 1]); d_bwt: as many bytes.
std::vector<std::uint64_t> bwts(const unsigned char* d_texts, const std::vector<std::uint64_t>& offsets,
                                unsigned char* d_bwt, cudaStream_t stream) {
  std::vector<std::uint64_t> primary_indexes(offsets.size() - 1);
  weft::gpu::bwt_batch(d_texts, offsets, weft::bwt_form::sentinel, d_bwt, primary_indexes, {}, stream);
  return primary_indexes;
}
// example-end

int main() {
  if (const weft::gpu_report& gpus = weft::known_gpus(); gpus.devices.empty()) {
    std::printf("no GPU: %s\n", gpus.unavailable.c_str());
    return 0;
  }
  const std::string text = "bananaana"; // "banana", "" and "ana"
  std::vector<unsigned char> bytes(text.begin(), text.end());
  const weft::gpu::stream work;
  const auto d_texts = weft::gpu::uploaded(std::span<const unsigned char>(bytes), work.get(), "copy texts");
  const weft::gpu::device_buffer<unsigned char> d_bwt(text.size(), work.get());
  const std::vector<std::uint64_t> indexes = bwts(d_texts.data(), {0, 6, 6, 9}, d_bwt.data(), work.get());
  weft::gpu::copy(bytes.data(), d_bwt.data(), bytes.size(), work.get(), "read transforms");
  work.wait();
  std::printf("%s\n", std::string(bytes.begin(), bytes.end()).c_str());
  std::printf("%d %d %d\n", static_cast<int>(indexes[0]), static_cast<int>(indexes[1]),
              static_cast<int>(indexes[2]));
  return 0;
}
