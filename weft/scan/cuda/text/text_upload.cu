#include <weft/scan/cuda/text/resident_text.hpp>

#include <algorithm>

namespace weft::scan_detail {

namespace {

constexpr unsigned mark_threads = 256;

// Sets the start bit for each of offsets[0 .. count). An empty sequence has the same bit as the sequence
// behind it.
__global__ void __launch_bounds__(mark_threads)
    mark_starts(const std::uint64_t* offsets, std::uint64_t count, std::uint32_t* starts) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * mark_threads + threadIdx.x;
  if (i < count) atomicOr(starts + offsets[i] / 32, 1U << (offsets[i] % 32));
}

} // namespace

uploaded_text::uploaded_text(const sequences_view& sequences, cudaStream_t stream)
    : size_(sequences.data.size()), sequences_(sequences.count()), residues_(size_ + text_padding, stream),
      offsets_(sequences_ + 1, stream), starts_(start_words(size_), stream) {
  gpu::copy(residues_.data(), reinterpret_cast<const unsigned char*>(sequences.data.data()), size_, stream,
            "copy sequences to the GPU");
  gpu::check(cudaMemsetAsync(residues_.data() + size_, 0, text_padding, stream), "clear memory of the GPU");
  gpu::check(cudaMemsetAsync(starts_.data(), 0, starts_.bytes(), stream), "clear memory of the GPU");
  if (sequences.offsets.empty()) {
    gpu::check(cudaMemsetAsync(offsets_.data(), 0, offsets_.bytes(), stream), "clear memory of the GPU");
    return;
  }
  gpu::copy(offsets_.data(), sequences.offsets.data(), sequences_ + 1, stream, "copy sequences to the GPU");
  const auto blocks = static_cast<unsigned>(sequences_ / mark_threads + 1);
  mark_starts<<<blocks, mark_threads, 0, stream>>>(offsets_.data(), sequences_ + 1, starts_.data());
  gpu::check(cudaGetLastError(), "mark the starts of sequences");
}

} // namespace weft::scan_detail
