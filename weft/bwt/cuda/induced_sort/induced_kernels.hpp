// The kernels of the induced sort (induced_sort.hpp), as the host launches them. Each function enqueues its
// work; what is called d_... is device memory. Positions and slots have 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/head_bits.hpp>
#include <weft/bwt/core/induced_slots.hpp>
#include <weft/bwt/core/suffix_types.hpp>

namespace weft::bwt_cuda {

using bwt_core::bit_text;
using bwt_core::head_bits;
using bwt_core::run_lengths;

// Bit i of d_less: symbol i is less than the one behind it; heads, the lowest level: a run of equal symbols
// begins. d_less has as many words.
void compare_symbols(const bit_text& text, std::uint64_t* d_less, const head_bits& heads,
                     cudaStream_t stream);
// What the first suffixes of words do, words from the last to the first; and of each the one behind it, in
// two phases as CUB's.
void first_of_words(const std::uint64_t* d_less, const head_bits& heads, bwt_core::rise* d_rises,
                    cudaStream_t stream);
[[nodiscard]] cudaError_t behind_words(void* d_temp, std::size_t& bytes, bwt_core::rise* d_rises,
                                       std::uint64_t words, cudaStream_t stream);
// The counts that induced_slots takes, of the suffixes that rise; d_counts must be 0.
void count_kinds(const bit_text& text, unsigned letters, const std::uint64_t* d_less, const head_bits& heads,
                 const bwt_core::rise* d_rises, std::uint32_t* d_counts, cudaStream_t stream);
// Turns d_less into bits of the suffixes that rise while the next one does not.
void mark_last_rising(std::uint64_t* d_less, const head_bits& heads, const bwt_core::rise* d_rises,
                      cudaStream_t stream);

// Suffixes in order, the first of which is number `first` of all, to their slots: those from number
// d_numbers[k] on, up to the next, to d_places[k] and what follows, k < pairs.
void place_in_slots(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first,
                    const std::uint32_t* d_numbers, const std::uint32_t* d_places, std::uint32_t pairs,
                    std::uint32_t* d_sa, cudaStream_t stream);

// d_before[0 .. count - 1]: the bytes before suffixes that begin with `byte`; before the whole text `byte`
// itself, and *d_row becomes its slot, the first one being number `first`.
void read_bytes_before(const bit_text& text, const unsigned char* d_bytes, const std::uint32_t* d_suffixes,
                       std::uint64_t count, unsigned char byte, std::uint64_t first, unsigned char* d_before,
                       std::uint32_t* d_row, cudaStream_t stream);
// The byte before the whole text, its last, where *d_row is.
void set_last_byte(const bit_text& text, const unsigned char* d_bytes, const std::uint32_t* d_row,
                   unsigned char* d_before, cudaStream_t stream);

// Those of d_suffixes[0 .. count - 1] that `byte` is before, one symbol longer, in their order. Two phases.
[[nodiscard]] cudaError_t select_longer(void* d_temp, std::size_t& bytes, const std::uint32_t* d_suffixes,
                                        const unsigned char* d_before, std::uint64_t count,
                                        unsigned char byte, std::uint32_t* d_longer, std::uint32_t* d_number,
                                        cudaStream_t stream);

// One symbol longer to the slots of the bytes before: d_slots[b] is the first for byte b; those that are
// greater (or else less) than `byte` move. d_sums: count_tiles() and sum_counts() of d_before.
void move_longer(const std::uint32_t* d_suffixes, const unsigned char* d_before, std::uint64_t count,
                 const std::uint32_t* d_sums, std::uint64_t tiles, const std::uint32_t* d_slots,
                 unsigned char byte, bool greater, std::uint32_t* d_sa, cudaStream_t stream);

// A suffix and how often the symbol that it begins with is before it.
struct run_suffix {
  std::uint32_t suffix, more;
};
void measure_runs(const std::uint32_t* d_suffixes, std::uint64_t count, const head_bits& heads,
                  run_suffix* d_runs, cudaStream_t stream);
// Those before which there are more, in their order. Two phases.
[[nodiscard]] cudaError_t select_runs(void* d_temp, std::size_t& bytes, const run_suffix* d_runs,
                                      std::uint64_t count, run_suffix* d_selected, std::uint32_t* d_number,
                                      cudaStream_t stream);
// *d_least becomes the least of itself and `more` of d_runs[0 .. *d_number - 1].
void min_run(const run_suffix* d_runs, const std::uint32_t* d_number, std::uint64_t at_most,
             std::uint32_t* d_least, cudaStream_t stream);
// Each run's suffix 1, 2 .. `levels` symbols longer, as far as the run goes: those of a level side by side,
// levels one behind the other from d_slots on, or if downwards, before it. *d_number becomes how many. Two
// phases.
[[nodiscard]] cudaError_t write_levels(void* d_temp, std::size_t& bytes, const run_suffix* d_runs,
                                       std::uint64_t count, std::uint32_t levels, bool downwards,
                                       std::uint32_t* d_slots, std::uint32_t* d_number, cudaStream_t stream);
// Then they begin there, with so many less before them.
void shorten_runs(run_suffix* d_runs, std::uint64_t count, std::uint32_t levels, cudaStream_t stream);
// All that is left of up to few_runs runs, the same at once. d_segments: room for as many.
inline constexpr std::uint32_t few_runs = 512;
struct run_segment {
  std::uint32_t before, levels, first;
};
void write_few_runs(const run_suffix* d_runs, std::uint32_t count, bool downwards, run_segment* d_segments,
                    std::uint32_t* d_slots, cudaStream_t stream);

} // namespace weft::bwt_cuda
