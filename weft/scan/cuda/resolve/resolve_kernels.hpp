// The kernels that make matches of occurrences: a thread each (core/resolve_steps.hpp). All enqueue, and
// throw device_error.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/scan/core/resolve_steps.hpp>
#include <weft/scan/cuda/gpu_engine.hpp>

namespace weft::scan_cuda {

using scan_detail::resolve_job;

// Items whose walk, or automaton, needs more memory than a thread has of its own. Where there are more than
// the list has room for, they are known by value_left alone.
struct left_list {
  unsigned long long* count; // 0 before
  std::uint32_t* items;
  std::uint32_t capacity;
};

// Memory of threads that do not give up, one after another: choices and words of failures for walks, words of
// states for automata.
struct resolve_scratch {
  std::uint32_t threads;
  std::uint32_t choices, states; // of a thread
  std::uint64_t failures;        // words of a thread
  scan_detail::flat_choice* all_choices;
  std::uint32_t* all_failures;
  std::uint64_t* all_states;
};

// Motifs with [<M], whose starts engines are not asked for.
struct start_motifs {
  const std::uint32_t* motifs;
  std::uint64_t count, sequences;
};

// found[0 .. n-1] becomes keys.
void make_keys(const resolve_job& job, std::uint64_t* found, std::uint64_t n, cudaStream_t stream);

// values of keys[0 .. n-1], which ascend: value_none for what occurs again, value_left for items of `left`.
void resolve(const resolve_job& job, const std::uint64_t* keys, std::uint64_t* values, std::uint64_t n,
             const left_list& left, cudaStream_t stream);
void resolve_left(const resolve_job& job, const std::uint64_t* keys, std::uint64_t* values, std::uint64_t n,
                  const left_list& left, const resolve_scratch& scratch, cudaStream_t stream);

// The matches of motifs with [<M]: adds them to what is found; and fills in their values.
void find_from_starts(const resolve_job& job, const start_motifs& which, const resolve_scratch& scratch,
                      const found_buffer& to, cudaStream_t stream);
void fill_from_starts(const resolve_job& job, const start_motifs& which, const resolve_scratch& scratch,
                      const std::uint64_t* keys, std::uint64_t* values, std::uint64_t n, cudaStream_t stream);

// Without overlap. to[i] = values[i] as `reached` takes them; then what is left of values.
void copy_plain(const std::uint64_t* values, std::uint64_t* to, std::uint64_t n, cudaStream_t stream);
void take_in_turn(const std::uint64_t* keys, const std::uint64_t* reached, std::uint64_t* values,
                  std::uint64_t n, cudaStream_t stream);

// Which values are of matches: all but value_none, or those greater than the one before.
enum class kept { present, rising };

// Their number in each tile; tiles(n) numbers.
inline constexpr std::uint64_t tile_items = 1024;
[[nodiscard]] constexpr std::uint64_t tiles(std::uint64_t n) { return (n + tile_items - 1) / tile_items; }
void count_matches(kept which, const std::uint64_t* values, std::uint64_t n, std::uint64_t* counts,
                   cudaStream_t stream);

// Where matches go: they are in the order of matches, or else will be sorted as numbers (key of the begin;
// end and strand). A match's sequence is that of the text plus first_sequence; keys have that of the text.
struct match_sink {
  scan_match* matches; // or null, and
  std::uint64_t *begins, *ends;
  bool reverse; // the text was the reverse complement
  std::uint32_t first_sequence;
};
// places: of each tile's first match.
void write_matches(const resolve_job& job, kept which, const std::uint64_t* keys, const std::uint64_t* values,
                   std::uint64_t n, const std::uint64_t* places, const match_sink& to, cudaStream_t stream);
void write_sorted(const scan_detail::match_keys& keys, const std::uint64_t* begins, const std::uint64_t* ends,
                  std::uint64_t n, std::uint32_t first_sequence, scan_match* matches, cudaStream_t stream);

} // namespace weft::scan_cuda
