// The GPU engines that a motif set has been compiled for, kept between calls together with their tables,
// their streams and staging buffers.
#pragma once

#include <memory>
#include <mutex>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/scan/core/flat_motifs.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>

namespace weft::scan_detail {

// Identifies a compiled engine: the device that it runs on, the function that makes it, and the edge of
// matches (starts or ends) that it finds.
struct engine_key {
  int device;
  gpu_engine_maker make;
  edge which;
  friend bool operator==(const engine_key&, const engine_key&) = default;
};

// The tables that one context needs to resolve occurrences: flat motifs and automata (core/flat_motifs.hpp).
// Owns their device memory.
class resolve_tables {
public:
  // Makes the tables that resolve occurrences of the given edge. Enqueues copies; `motifs` may be destroyed
  // as soon as the constructor returns. The memory is freed in the stream's order. Throws memory_error,
  // device_error.
  resolve_tables(const motif_set::compiled& motifs, edge which, cudaStream_t stream);

  [[nodiscard]] flat_motifs motifs() const { return {elements_.data(), motifs_.data(), classes_.data()}; }
  [[nodiscard]] flat_automata automata() const { return {automata_.data(), masks_.data(), code_of_.data()}; }
  [[nodiscard]] const std::uint32_t* from_start() const { return from_start_.data(); }

  // Facts about the tables, in host memory.
  [[nodiscard]] const flat_motif_tables& host() const { return host_; }
  [[nodiscard]] std::uint32_t max_words() const {
    return max_words_;
  } // of the largest automaton; 0 for starts

private:
  flat_motif_tables host_;
  gpu::device_buffer<flat_element> elements_;
  gpu::device_buffer<flat_motif> motifs_;
  gpu::device_buffer<std::uint32_t> classes_, from_start_;
  gpu::device_buffer<flat_automaton> automata_;
  gpu::device_buffer<std::uint64_t> masks_;
  gpu::device_buffer<std::uint32_t> code_of_;
  std::uint32_t max_words_ = 0;
};

// A compiled engine with the streams and the staging buffers that scans with it use. The memory of the engine
// and of its tables belongs to the stream `work`. All work of a scan is enqueued in these streams, except for
// calls that bring their own stream (scan.cuh). Whoever uses an object of this type holds `busy` until these
// streams have finished all work; memory that is freed in a stream's order need not be waited for.
struct engine_context {
  // Makes no engine yet. The key's device must be the current one.
  explicit engine_context(const engine_key& of) : key(of), staging(of.device), uploading(of.device) {}
  ~engine_context();
  engine_context(const engine_context&) = delete;
  engine_context& operator=(const engine_context&) = delete;

  // Makes the engine and its tables unless they exist. `motifs` must be the motif set that this context
  // belongs to.
  void make_ready(const motif_set::compiled& motifs);

  const engine_key key;
  std::mutex busy;
  // `staging` copies results from the device. `uploading` copies texts to the device at the same time.
  gpu::staged_copy staging, uploading;
  // Declared after the staging buffers, so that the streams are destroyed before the memory that they copy
  // from and to.
  gpu::stream work, upload, download;
  std::unique_ptr<gpu_engine> engine;
  std::unique_ptr<resolve_tables> tables; // for scans that resolve matches on the device
  // Expected occurrences per residue, which decides how much memory a search reserves. Grows when a text has
  // more.
  double density = 0.125;
};

// Maps keys to contexts. Thread-safe.
class engine_cache {
public:
  // Returns the context of a key, and adds it if it does not exist; its engine may not be made yet. The key's
  // device must be the current one. The context lives as long as the cache.
  [[nodiscard]] engine_context& at(const engine_key& key);

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<engine_context>> contexts_;
};

} // namespace weft::scan_detail
