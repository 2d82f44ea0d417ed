// Flat motifs in device memory.
#pragma once

#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/core/flat_motifs.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>

namespace weft::scan_cuda {

class resolve_tables {
public:
  // What resolves occurrences of that edge. Enqueues copies, after which `motifs` may go. Memory is given
  // back in the stream's order. Throws memory_error, device_error.
  resolve_tables(const motif_set::compiled& motifs, edge which, cudaStream_t stream);

  [[nodiscard]] scan_detail::flat_motifs motifs() const {
    return {elements_.data(), motifs_.data(), classes_.data()};
  }
  [[nodiscard]] scan_detail::flat_automata automata() const {
    return {automata_.data(), masks_.data(), code_of_.data()};
  }
  [[nodiscard]] const std::uint32_t* from_start() const { return from_start_.data(); }

  // On the host.
  [[nodiscard]] const scan_detail::flat_motif_tables& host() const { return host_; }
  [[nodiscard]] std::uint32_t max_words() const { return max_words_; } // of an automaton; 0 for starts

private:
  scan_detail::flat_motif_tables host_;
  gpu::device_buffer<scan_detail::flat_element> elements_;
  gpu::device_buffer<scan_detail::flat_motif> motifs_;
  gpu::device_buffer<std::uint32_t> classes_, from_start_;
  gpu::device_buffer<scan_detail::flat_automaton> automata_;
  gpu::device_buffer<std::uint64_t> masks_;
  gpu::device_buffer<std::uint32_t> code_of_;
  std::uint32_t max_words_ = 0;
};

} // namespace weft::scan_cuda
