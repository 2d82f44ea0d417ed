// Flat motifs and automata (core/flat_motifs.hpp) in device memory.
#pragma once

#include <weft/base/cuda/device_memory.hpp>
#include <weft/scan/core/flat_motifs.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>

namespace weft::scan_cuda {

// The tables that one context needs to resolve occurrences. Owns their device memory.
class resolve_tables {
public:
  // Makes the tables that resolve occurrences of the given edge. Enqueues copies; `motifs` may be destroyed
  // as soon as the constructor returns. The memory is freed in the stream's order. Throws memory_error,
  // device_error.
  resolve_tables(const motif_set::compiled& motifs, edge which, cudaStream_t stream);

  [[nodiscard]] scan_detail::flat_motifs motifs() const {
    return {elements_.data(), motifs_.data(), classes_.data()};
  }
  [[nodiscard]] scan_detail::flat_automata automata() const {
    return {automata_.data(), masks_.data(), code_of_.data()};
  }
  [[nodiscard]] const std::uint32_t* from_start() const { return from_start_.data(); }

  // Facts about the tables, in host memory.
  [[nodiscard]] const scan_detail::flat_motif_tables& host() const { return host_; }
  [[nodiscard]] std::uint32_t max_words() const {
    return max_words_;
  } // of the largest automaton; 0 for starts

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
