// The engines on GPUs that a set of motifs has been compiled for, kept with what they need between calls.
#pragma once

#include <memory>
#include <mutex>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>
#include <weft/scan/cuda/resolve/resolve_tables.hpp>

namespace weft::scan_cuda {

// Which engine: of a device, by what makes it, for an edge.
struct engine_key {
  int device;
  gpu_engine_maker make;
  edge which;
  friend bool operator==(const engine_key&, const engine_key&) = default;
};

// An engine, and the stream that its memory belongs to, and all work but that in streams of callers
// (scan.cuh); and streams for copies beside that work. Whoever uses it holds `busy` until these streams have
// nothing left to do; freeing memory in a stream's order goes without.
struct engine_place {
  // The key's device is the current one.
  explicit engine_place(const engine_key& of) : key(of), staging(of.device), uploading(of.device) {}
  ~engine_place();
  engine_place(const engine_place&) = delete;
  engine_place& operator=(const engine_place&) = delete;

  // Makes the engine and the tables of these motifs, which it is a place of, where they are not there yet.
  void make_ready(const motif_set::compiled& motifs);

  const engine_key key;
  std::mutex busy;
  gpu::staged_copy staging, uploading; // from the device; of texts, which go there at the same time
  gpu::stream work, upload, download;  // end before the memory that they copy from and to
  std::unique_ptr<gpu_engine> engine;
  std::unique_ptr<resolve_tables> tables; // made when matches are resolved on the device
  double density = 0.125; // occurrences of a residue to make room for: more, where there have been more
};

// Thread-safe.
class engine_cache {
public:
  // The key's device is the current one. Its engine is perhaps not made yet. Lives as long as the cache.
  [[nodiscard]] engine_place& at(const engine_key& key);

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<engine_place>> places_;
};

} // namespace weft::scan_cuda
