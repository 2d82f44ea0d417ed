#include <weft/scan/cuda/searcher_cache.hpp>

#include <utility>
#include <weft/base/error.hpp>

namespace weft::scan_detail {

resolve_tables::resolve_tables(const motif_set::compiled& motifs, edge which, cudaStream_t stream)
    : host_(motifs.motifs) {
  const auto send = [stream](auto& to, const auto& items) {
    to = gpu::uploaded(std::span(items), stream, "copy motifs to the GPU");
  };
  send(elements_, host_.elements);
  send(motifs_, host_.motifs);
  send(classes_, host_.classes);
  send(optional_start_, host_.optional_start);
  if (which == edge::starts) return;
  const flat_automaton_tables automata(motifs.motifs);
  send(automata_, automata.automata);
  send(masks_, automata.masks);
  send(code_of_, automata.code_of);
  max_words_ = automata.max_words;
  gpu::check(cudaStreamSynchronize(stream), "copy motifs to the GPU");
}

// The cache may be destroyed at the end of the process, when the device can no longer be used. The searcher
// and the tables are then freed without waiting for the stream.
searcher_context::~searcher_context() {
  try {
    const gpu::device_scope scope(key.device);
    // After an exception the device may still be working.
    (void)cudaStreamSynchronize(work.get());
    searcher.reset();
    tables.reset();
  } catch (const error&) {
    searcher.reset();
  }
}

void searcher_context::make_ready(const motif_set::compiled& motifs) {
  if (searcher && tables) return;
  if (!searcher) searcher = key.make(motifs, key.which, work.get());
  if (!tables) tables = std::make_unique<resolve_tables>(motifs, key.which, work.get());
  work.wait();
}

searcher_context& searcher_cache::at(const searcher_key& key) {
  const std::lock_guard lock(mutex_);
  for (const std::unique_ptr<searcher_context>& context : contexts_)
    if (context->key == key) return *context;
  contexts_.push_back(std::make_unique<searcher_context>(key));
  return *contexts_.back();
}

void searcher_cache::keep_plan(std::shared_ptr<const host_plan> plan) {
  const std::lock_guard lock(mutex_);
  plan_ = std::move(plan);
}

std::shared_ptr<const host_plan> searcher_cache::take_plan() {
  const std::lock_guard lock(mutex_);
  return std::exchange(plan_, nullptr);
}

} // namespace weft::scan_detail
