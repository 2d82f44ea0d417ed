#include <weft/bwt/cuda/text/text_parts.hpp>

#include <bit>
#include <weft/bwt/cuda/text/part_kernels.hpp>

namespace weft::bwt_cuda {

text_parts::text_parts(std::span<const std::uint64_t> begins, cudaStream_t stream)
    : size_(begins.back()), begins_(gpu::uploaded(begins, stream, "upload parts")),
      blocks_(bwt_core::part_blocks(size_), stream) {
  make_part_blocks(begins_.data(), count(), size_, blocks_.data(), stream);
  gpu::check(cudaStreamSynchronize(stream), "upload parts");
}

bwt_core::part_text text_parts::batch(const packed_text& text) const {
  return {text.view(), layout().marks, static_cast<std::uint32_t>(std::bit_width(count() - 1))};
}

bwt_core::part_text text_parts::collection(const packed_text& text) const {
  return {text.view(), layout().marks, 0};
}

} // namespace weft::bwt_cuda
