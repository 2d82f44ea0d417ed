#include <weft/bwt/cuda/packed_text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <weft/bwt/cuda/suffix_kernels.hpp>

namespace weft::bwt_cuda {

packed_text::packed_text(const unsigned char* d_text, std::uint64_t n, cudaStream_t stream) {
  std::array<unsigned long long, 256> counts{};
  const gpu::device_buffer<unsigned long long> d_counts(counts.size(), stream);
  gpu::check(cudaMemsetAsync(d_counts.data(), 0, d_counts.bytes(), stream), "clear counts");
  count_bytes(d_text, n, d_counts.data(), stream);
  gpu::copy(counts.data(), d_counts.data(), counts.size(), stream, "read counts");
  gpu::check(cudaStreamSynchronize(stream), "count bytes");
  std::array<std::uint8_t, 256> codes{}, bytes{};
  for (std::size_t byte = 0; byte < 256; ++byte)
    if (counts[byte] > 0) {
      bytes[letters_] = static_cast<std::uint8_t>(byte);
      codes[byte] = static_cast<std::uint8_t>(letters_++);
    }
  const auto bits =
      static_cast<std::uint32_t>(std::max(1U, static_cast<unsigned>(std::bit_width(letters_ - 1))));
  words_ = {bwt_core::words_of_text(n, bits), stream};
  view_ = {words_.data(), n, bits};
  const auto d_codes = gpu::uploaded(std::span<const std::uint8_t>(codes), stream, "upload codes");
  bytes_ = gpu::uploaded(std::span<const std::uint8_t>(bytes), stream, "upload codes");
  pack_text(d_text, d_codes.data(), words_.data(), view_, stream);
  gpu::check(cudaStreamSynchronize(stream), "pack the text"); // codes and bytes have been read
}

} // namespace weft::bwt_cuda
