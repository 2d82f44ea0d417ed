// The kernels that turn occurrences into matches, with one thread for each item (core/resolve_steps.hpp). All
// functions enqueue work in the stream and throw device_error.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/scan/core/resolve_steps.hpp>
#include <weft/scan/cuda/gpu_searcher.hpp>

namespace weft::scan_detail {

// A list of the deferred items: those whose walk or automaton needs more memory than a thread has of its own.
// If there are more than `capacity`, the list is incomplete and the items are recognized by the value
// value_deferred.
struct deferred_list {
  unsigned long long* count; // 0 at first; may exceed `capacity`
  std::uint32_t* items;
  std::uint32_t capacity;
};

// Device memory of the threads that resolve deferred items, each one item after another: stacks of choices
// and words of failure bits for walks, words of states for automata.
struct resolve_scratch {
  std::uint32_t threads;
  std::uint32_t choices, states; // for each thread
  std::uint64_t failures;        // words for each thread
  walk_choice* all_choices;
  std::uint32_t* all_failures;
  std::uint64_t* all_states;
};

// The optional-start motifs of a set: those with [<M], whose starts engines do not search.
struct optional_start_motifs {
  const std::uint32_t* motifs;
  std::uint64_t count, sequences;
};

// Replaces codes[0 .. n-1] by their keys.
void make_keys(const resolve_job& job, std::uint64_t* codes, std::uint64_t n, cudaStream_t stream);

// Compute the values of keys[0 .. n-1], which ascend. resolve() sets value_none for duplicate keys and
// value_deferred for the items of `deferred`, whose values resolve_deferred() then computes.
void resolve(const resolve_job& job, const std::uint64_t* keys, std::uint64_t* values, std::uint64_t n,
             const deferred_list& deferred, cudaStream_t stream);
void resolve_deferred(const resolve_job& job, const std::uint64_t* keys, std::uint64_t* values,
                      std::uint64_t n, const deferred_list& deferred, const resolve_scratch& scratch,
                      cudaStream_t stream);

// Find the matches of optional-start motifs: find_optional_start_motifs() adds their starts to the
// occurrences, fill_optional_start_values() computes the values of their keys.
void find_optional_start_motifs(const resolve_job& job, const optional_start_motifs& which,
                                const resolve_scratch& scratch, const code_buffer& to, cudaStream_t stream);
void fill_optional_start_values(const resolve_job& job, const optional_start_motifs& which,
                                const resolve_scratch& scratch, const std::uint64_t* keys,
                                std::uint64_t* values, std::uint64_t n, cudaStream_t stream);

// For rules without overlap. copy_without_flag() copies the values without over_max_x_flag, for the running
// maximum `reached`. select_without_overlap() sets the values of matches that are not reported to value_none.
void copy_without_flag(const std::uint64_t* values, std::uint64_t* to, std::uint64_t n, cudaStream_t stream);
void select_without_overlap(const std::uint64_t* keys, const std::uint64_t* reached, std::uint64_t* values,
                            std::uint64_t n, cudaStream_t stream);

// Selects the values that are matches: all except value_none (present), or those greater than the value
// before them (rising).
enum class match_filter { present, rising };

// Counts the matches of each tile of tile_items values; writes tiles(n) numbers.
inline constexpr std::uint64_t tile_items = 1024;
[[nodiscard]] constexpr std::uint64_t tiles(std::uint64_t n) { return (n + tile_items - 1) / tile_items; }
void count_matches(match_filter which, const std::uint64_t* values, std::uint64_t n, std::uint64_t* counts,
                   cudaStream_t stream);

// Where matches are written. Either `matches` is not null and receives finished matches, in order; or matches
// are written as pairs of numbers that are sorted later: `begins` receives the key of the begin, `ends` the
// end and the strand. The sequence number of a finished match is that in the text plus first_sequence; keys
// have the number in the text.
struct match_sink {
  scan_match* matches; // null: begins and ends are used
  std::uint64_t *begins, *ends;
  bool reverse; // the text was the reverse complement of the sequences
  std::uint32_t first_sequence;
};
// Write the selected matches. `tile_offsets`: the index of the first match of each tile.
void write_matches(const resolve_job& job, match_filter which, const std::uint64_t* keys,
                   const std::uint64_t* values, std::uint64_t n, const std::uint64_t* tile_offsets,
                   const match_sink& to, cudaStream_t stream);
void write_sorted(const match_keys& keys, const std::uint64_t* begins, const std::uint64_t* ends,
                  std::uint64_t n, std::uint32_t first_sequence, scan_match* matches, cudaStream_t stream);

} // namespace weft::scan_detail
