// The GPU searchers that a motif set has been compiled for, kept between calls together with their tables,
// their streams and staging buffers.
#pragma once

#include <memory>
#include <mutex>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/scan/core/flat_motifs.hpp>
#include <weft/scan/cuda/gpu_searcher.hpp>

namespace weft::scan_detail {

struct host_plan; // bit_stream/bit_stream_tables.hpp

// Identifies a searcher: the device that it runs on, the function that makes it, and the edge of matches
// (starts or ends) that it finds.
struct searcher_key {
  int device;
  gpu_searcher_maker make;
  edge which;
  friend bool operator==(const searcher_key&, const searcher_key&) = default;
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
  [[nodiscard]] const std::uint32_t* optional_start() const { return optional_start_.data(); }

  // Facts about the tables, in host memory.
  [[nodiscard]] const flat_motif_tables& host() const { return host_; }
  [[nodiscard]] std::uint32_t max_words() const {
    return max_words_;
  } // of the largest automaton; 0 for starts

private:
  flat_motif_tables host_;
  gpu::device_buffer<flat_element> elements_;
  gpu::device_buffer<flat_motif> motifs_;
  gpu::device_buffer<std::uint32_t> classes_, optional_start_;
  gpu::device_buffer<flat_automaton> automata_;
  gpu::device_buffer<std::uint64_t> masks_;
  gpu::device_buffer<std::uint32_t> code_of_;
  std::uint32_t max_words_ = 0;
};

// A searcher with the streams and the staging buffers that scans with it use. The memory of the searcher and
// of its tables belongs to the stream `work`. All work of a scan is enqueued in these streams, except for
// calls that bring their own stream (scan.cuh). Whoever uses an object of this type holds `busy` until these
// streams have finished all work; memory that is freed in a stream's order need not be waited for.
struct searcher_context {
  // Makes no searcher yet. The key's device must be the current one.
  explicit searcher_context(const searcher_key& of) : key(of), staging(of.device), uploading(of.device) {}
  ~searcher_context();
  searcher_context(const searcher_context&) = delete;
  searcher_context& operator=(const searcher_context&) = delete;

  // Makes the searcher and its tables unless they exist. `motifs` must be the motif set that this context
  // belongs to.
  void make_ready(const motif_set::compiled& motifs);

  const searcher_key key;
  std::mutex busy;
  // `staging` copies results from the device. `uploading` copies texts to the device at the same time.
  gpu::staged_copy staging, uploading;
  // Declared after the staging buffers, so that the streams are destroyed before the memory that they copy
  // from and to.
  gpu::stream work, upload, download;
  std::unique_ptr<gpu_searcher> searcher;
  std::unique_ptr<resolve_tables> tables; // for scans that resolve matches on the device
  // Expected occurrences per residue, which decides how much memory a search reserves. Grows when a text has
  // more.
  double density = 0.125;
};

// Maps keys to contexts, and keeps what was prepared for the first of them. Thread-safe.
class searcher_cache {
public:
  // Returns the context of a key, and adds it if it does not exist; its searcher may not be made yet. The
  // key's device must be the current one. The context lives as long as the cache.
  [[nodiscard]] searcher_context& at(const searcher_key& key);

  // Keeps a plan until take_plan(), which returns null if there is none.
  void keep_plan(std::shared_ptr<const host_plan> plan);
  [[nodiscard]] std::shared_ptr<const host_plan> take_plan();

private:
  std::mutex mutex_; // guards the members below
  std::shared_ptr<const host_plan> plan_;
  std::vector<std::unique_ptr<searcher_context>> contexts_;
};

} // namespace weft::scan_detail
