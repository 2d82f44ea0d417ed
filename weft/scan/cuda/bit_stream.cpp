// Engine `bit-stream` on a GPU: filters over strided bit streams, exact checks of what passes
// (docs/scan-gpu.md). Ends are the starts of the reversed motifs in the reversed text.
#include <weft/scan/cuda/bit_stream_kernels.hpp>

namespace weft::scan_cuda {

namespace {

class bit_stream_engine final : public gpu_engine {
public:
  bit_stream_engine(const motif_set::compiled& motifs, edge which, cudaStream_t stream)
      : plan_(plan_for_gpu(motifs.motifs, motifs.syntax.alphabet, which), stream),
        reversed_(which == edge::ends) {
    gpu::check(cudaStreamSynchronize(stream), "copy compiled motifs");
  }

  void find(const device_text& text, std::uint64_t begin, std::uint64_t end, const found_buffer& to,
            cudaStream_t stream) override {
    if (!reversed_) return find_starts(plan_.view(), text, begin, end, 0, to, stream);
    const std::size_t bytes = text.size + text_padding;
    const gpu::device_buffer<unsigned char> residues(bytes, stream);
    const gpu::device_buffer<std::uint32_t> starts(bytes / 32 + 1, stream);
    reverse_text(text, residues.data(), starts.data(), stream);
    const device_text back{residues.data(), text.size, nullptr, text.sequences, starts.data()};
    find_starts(plan_.view(), back, text.size - end, text.size - begin, text.size, to, stream);
  }

private:
  uploaded_plan plan_;
  bool reversed_;
};

} // namespace

std::unique_ptr<gpu_engine> make_bit_stream(const motif_set::compiled& motifs, edge which,
                                            cudaStream_t stream) {
  return std::make_unique<bit_stream_engine>(motifs, which, stream);
}

} // namespace weft::scan_cuda
