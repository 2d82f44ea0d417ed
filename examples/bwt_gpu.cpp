// Computes the Burrows-Wheeler transform and the suffix array of a text in GPU memory, and inverts the
// transform, on a stream.
// prints: annbaa, primary index 4
// prints: 5 3 1 0 4 2
// prints: banana
#include <cstdio>
#include <span>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
// example-begin
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/bwt.cuh>

// d_text: n bytes in device memory. The results stay in device memory, too.
std::uint64_t transform(const unsigned char* d_text, std::uint64_t n, unsigned char* d_bwt,
                        std::uint32_t* d_sa, cudaStream_t stream) {
  weft::gpu::suffix_array(d_text, n, d_sa, {}, stream);
  return weft::gpu::bwt(d_text, n, weft::bwt_form::sentinel, d_bwt, {}, stream);
}

void invert(const unsigned char* d_bwt, std::uint64_t n, std::uint64_t primary_index, unsigned char* d_text,
            cudaStream_t stream) {
  weft::gpu::inverse_bwt(d_bwt, n, primary_index, weft::bwt_form::sentinel, d_text, {}, stream);
}
// example-end

template <class Item>
std::vector<Item> read(const weft::gpu::device_buffer<Item>& there, const weft::gpu::stream& work) {
  std::vector<Item> items(there.size());
  weft::gpu::copy(items.data(), there.data(), items.size(), work.get(), "read");
  work.wait();
  return items;
}

int main() {
  if (const weft::gpu_report& gpus = weft::known_gpus(); gpus.devices.empty()) {
    std::printf("no GPU: %s\n", gpus.unavailable.c_str());
    return 0;
  }
  const std::vector<unsigned char> text = {'b', 'a', 'n', 'a', 'n', 'a'};
  const weft::gpu::stream work;
  const auto d_text = weft::gpu::uploaded(std::span(text), work.get(), "copy the text");
  const weft::gpu::device_buffer<unsigned char> d_bwt(text.size(), work.get()),
      d_back(text.size(), work.get());
  const weft::gpu::device_buffer<std::uint32_t> d_sa(text.size(), work.get());
  const std::uint64_t index = transform(d_text.data(), text.size(), d_bwt.data(), d_sa.data(), work.get());
  invert(d_bwt.data(), text.size(), index, d_back.data(), work.get());
  const std::vector<unsigned char> bwt = read(d_bwt, work), back = read(d_back, work);
  std::printf("%s, primary index %d\n", std::string(bwt.begin(), bwt.end()).c_str(), static_cast<int>(index));
  const std::vector<std::uint32_t> sa = read(d_sa, work);
  for (std::size_t row = 0; row < sa.size(); ++row)
    std::printf("%d%c", static_cast<int>(sa[row]), row + 1 < sa.size() ? ' ' : '\n');
  std::printf("%s\n", std::string(back.begin(), back.end()).c_str());
  return 0;
}
