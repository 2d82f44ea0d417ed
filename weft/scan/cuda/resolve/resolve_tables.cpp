#include <weft/scan/cuda/resolve/resolve_tables.hpp>

namespace weft::scan_cuda {

resolve_tables::resolve_tables(const motif_set::compiled& motifs, edge which, cudaStream_t stream)
    : host_(motifs.motifs) {
  const auto send = [stream](auto& to, const auto& items) {
    to = gpu::uploaded(std::span(items), stream, "copy motifs to the GPU");
  };
  send(elements_, host_.elements);
  send(motifs_, host_.motifs);
  send(classes_, host_.classes);
  send(from_start_, host_.from_start);
  if (which == edge::starts) return;
  const scan_detail::flat_automaton_tables automata(motifs.motifs);
  send(automata_, automata.automata);
  send(masks_, automata.masks);
  send(code_of_, automata.code_of);
  max_words_ = automata.max_words;
  gpu::check(cudaStreamSynchronize(stream), "copy motifs to the GPU");
}

} // namespace weft::scan_cuda
