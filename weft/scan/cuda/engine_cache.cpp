#include <weft/scan/cuda/engine_cache.hpp>

#include <weft/base/error.hpp>

namespace weft::scan_cuda {

// The cache may be destroyed at the end of the process, when the device can no longer be used. The engine and
// the tables are then freed without waiting for the stream.
engine_context::~engine_context() {
  try {
    const gpu::device_scope scope(key.device);
    // After an exception the device may still be working.
    (void)cudaStreamSynchronize(work.get());
    engine.reset();
    tables.reset();
  } catch (const error&) {
    engine.reset();
  }
}

void engine_context::make_ready(const motif_set::compiled& motifs) {
  if (engine && tables) return;
  if (!engine) engine = key.make(motifs, key.which, work.get());
  if (!tables) tables = std::make_unique<resolve_tables>(motifs, key.which, work.get());
  work.wait();
}

engine_context& engine_cache::at(const engine_key& key) {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<engine_context>& context : contexts_)
    if (context->key == key) return *context;
  contexts_.push_back(std::make_unique<engine_context>(key));
  return *contexts_.back();
}

} // namespace weft::scan_cuda
