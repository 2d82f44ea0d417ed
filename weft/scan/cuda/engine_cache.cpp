#include <weft/scan/cuda/engine_cache.hpp>

#include <weft/base/error.hpp>

namespace weft::scan_cuda {

// Also at the end of the process, when there may be no device any more.
engine_place::~engine_place() {
  try {
    const gpu::device_scope scope(key.device);
    (void)cudaStreamSynchronize(work.get()); // after an exception it may still be at work
    engine.reset();
    tables.reset();
  } catch (const error&) {
    engine.reset();
  }
}

void engine_place::make_ready(const motif_set::compiled& motifs) {
  if (engine && tables) return;
  if (!engine) engine = key.make(motifs, key.which, work.get());
  if (!tables) tables = std::make_unique<resolve_tables>(motifs, key.which, work.get());
  work.wait();
}

engine_place& engine_cache::at(const engine_key& key) {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<engine_place>& place : places_)
    if (place->key == key) return *place;
  places_.push_back(std::make_unique<engine_place>(key));
  return *places_.back();
}

} // namespace weft::scan_cuda
