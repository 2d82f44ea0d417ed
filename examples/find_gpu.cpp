// Searches an index in GPU memory for patterns in GPU memory, on a stream.
// prints: pattern 0 occurs 2 times
// prints: pattern 1 occurs 1 times
// prints: pattern 0 in record 0 at 1
// prints: pattern 0 in record 0 at 8
// prints: pattern 1 in record 0 at 4
#include <cstdio>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
// example-begin
#include <weft/bwt/fm_index.cuh>

// How often each pattern occurs, in device memory: kernels on the stream could read it there.
// Does not wait for the device.
weft::gpu::device_buffer<std::uint64_t> count(const weft::gpu::device_fm_index& index,
                                              const weft::gpu::sequences_view& patterns,
                                              cudaStream_t stream) {
  weft::gpu::device_buffer<std::uint64_t> counts(patterns.count, stream);
  weft::gpu::count(index.view(), patterns, counts.data(), stream);
  return counts;
}

// Where they occur, at most ten of each.
weft::gpu::fm_device_hits locate(const weft::gpu::device_fm_index& index,
                                 const weft::gpu::sequences_view& patterns, cudaStream_t stream) {
  return weft::gpu::locate(index.view(), patterns, {.max_hits = 10}, stream);
}
// example-end

namespace {

template <class T>
std::vector<T> read(const weft::gpu::device_buffer<T>& from, const weft::gpu::stream& work) {
  std::vector<T> items(from.size());
  weft::gpu::copy(items.data(), from.data(), items.size(), work.get(), "read results");
  work.wait();
  return items;
}

} // namespace

int main() {
  if (const weft::gpu_report& gpus = weft::known_gpus(); gpus.devices.empty()) {
    std::printf("no GPU: %s\n", gpus.unavailable.c_str());
    return 0;
  }
  const std::vector<std::uint64_t> record = {0, 12}, offsets = {0, 4, 7};
  const std::vector<std::string> names = {"chr1"};
  const std::vector<char> letters = {'A', 'T', 'T', 'A', 'A', 'C', 'A'};
  const weft::gpu::stream work;
  const weft::gpu::device_fm_index index(weft::fm_index::build({"GATTACAGATTA", record, names}), work.get());
  const auto d_letters = weft::gpu::uploaded(std::span(letters), work.get(), "copy letters");
  const auto d_offsets = weft::gpu::uploaded(std::span(offsets), work.get(), "copy offsets");
  const weft::gpu::sequences_view patterns{d_letters.data(), d_offsets.data(), 2, letters.size()};
  const std::vector<std::uint64_t> counts = read(count(index, patterns, work.get()), work);
  for (std::size_t p = 0; p < 2; ++p)
    std::printf("pattern %d occurs %d times\n", static_cast<int>(p), static_cast<int>(counts[p]));
  const weft::gpu::fm_device_hits found = locate(index, patterns, work.get());
  const std::vector<weft::fm_hit> hits = read(found.hits, work);
  const std::vector<std::uint64_t> ends = read(found.offsets, work);
  for (std::size_t p = 0; p < 2; ++p)
    for (std::uint64_t h = ends[p]; h < ends[p + 1]; ++h)
      std::printf("pattern %d in record %d at %d\n", static_cast<int>(p), static_cast<int>(hits[h].record),
                  static_cast<int>(hits[h].begin));
  return 0;
}
