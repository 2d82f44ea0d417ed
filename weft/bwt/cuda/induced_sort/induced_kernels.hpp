// Host functions that launch the kernels of the induced sort (induced_sort.hpp). Each function only enqueues
// its work; parameters named d_... point to device memory. Positions and slots have 32 bits. A suffix rises
// if it is less than the next suffix (core/suffix_types.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/core/induced_slots.hpp>
#include <weft/bwt/core/suffix_types.hpp>

namespace weft::bwt_detail {

// Compares each symbol with the next one. Bit i of d_less becomes whether symbol i is less than symbol i + 1;
// the lowest level of `heads` marks where runs of equal symbols begin. d_less has as many words as that
// level.
void compare_symbols(const bit_text& text, std::uint64_t* d_less, const head_bits& heads,
                     cudaStream_t stream);
// find_first_rises() finds for each word of 64 suffixes whether its first suffix rises, as far as the word
// tells; d_rises has the last word first. scan_rises() then replaces each entry by whether the first suffix
// behind the word rises. It has two phases, as CUB's functions.
void find_first_rises(const std::uint64_t* d_less, const head_bits& heads, rise* d_rises,
                      cudaStream_t stream);
[[nodiscard]] cudaError_t scan_rises(void* d_temp, std::size_t& bytes, rise* d_rises, std::uint64_t words,
                                     cudaStream_t stream);
// Computes the counts that induced_slots takes. d_rises is the result of scan_rises(); d_counts must be 0.
void count_suffix_kinds(const bit_text& text, unsigned letters, const std::uint64_t* d_less,
                        const head_bits& heads, const rise* d_rises, std::uint32_t* d_counts,
                        cudaStream_t stream);
// Replaces d_less by a bitmap of the suffixes that rise while the next suffix does not.
void mark_last_rising(std::uint64_t* d_less, const head_bits& heads, const rise* d_rises,
                      cudaStream_t stream);

// Writes sorted suffixes to their slots; the first given has rank `first` among all sorted ones. The suffixes
// of rank d_group_ranks[k] and more, below d_group_ranks[k + 1], go to slot d_group_slots[k] and the slots
// after it, k < pairs.
void write_to_slots(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first,
                    const std::uint32_t* d_group_ranks, const std::uint32_t* d_group_slots,
                    std::uint32_t pairs, std::uint32_t* d_sa, cudaStream_t stream);

// Writes to d_before[0 .. count - 1] the bytes before the suffixes, which begin with `byte`. For suffix 0
// writes `byte` itself, and stores its slot in *d_row; the slot of the first suffix given is `first`.
void read_bytes_before(const bit_text& text, const unsigned char* d_bytes, const std::uint32_t* d_suffixes,
                       std::uint64_t count, unsigned char byte, std::uint64_t first, unsigned char* d_before,
                       std::uint32_t* d_row, cudaStream_t stream);
// Sets d_before[*d_row], the entry of suffix 0, to the last byte of the text.
void set_last_byte(const bit_text& text, const unsigned char* d_bytes, const std::uint32_t* d_row,
                   unsigned char* d_before, cudaStream_t stream);

// Selects the suffixes of d_suffixes[0 .. count - 1] that `byte` precedes, and writes the suffixes that are
// one symbol longer, in the same order. *d_number becomes their number. Two phases.
[[nodiscard]] cudaError_t select_longer(void* d_temp, std::size_t& bytes, const std::uint32_t* d_suffixes,
                                        const unsigned char* d_before, std::uint64_t count,
                                        unsigned char byte, std::uint32_t* d_longer, std::uint32_t* d_number,
                                        cudaStream_t stream);

// Writes, for each suffix whose byte before is greater (or, if `greater` is false, less) than `byte`, the
// suffix that is one symbol longer to the slots of that byte. d_slots[b] is the first slot for byte b. d_sums
// is the result of count_tiles() and sum_counts() for d_before.
void move_longer(const std::uint32_t* d_suffixes, const unsigned char* d_before, std::uint64_t count,
                 const std::uint32_t* d_sums, std::uint64_t tiles, const std::uint32_t* d_slots,
                 unsigned char byte, bool greater, std::uint32_t* d_sa, cudaStream_t stream);

// A suffix at a run of equal symbols, and the number of symbols of the run before it.
struct run_suffix {
  std::uint32_t suffix, more;
};
void measure_runs(const std::uint32_t* d_suffixes, std::uint64_t count, const head_bits& heads,
                  run_suffix* d_runs, cudaStream_t stream);
// Selects the runs with more > 0, in their order. Two phases.
[[nodiscard]] cudaError_t select_runs(void* d_temp, std::size_t& bytes, const run_suffix* d_runs,
                                      std::uint64_t count, run_suffix* d_selected, std::uint32_t* d_number,
                                      cudaStream_t stream);
// Sets *d_min_more to the minimum of itself and of `more` of d_runs[0 .. *d_number - 1]. max_runs: upper
// bound of *d_number.
void min_run(const run_suffix* d_runs, const std::uint32_t* d_number, std::uint64_t max_runs,
             std::uint32_t* d_min_more, cudaStream_t stream);
// Writes the suffix of each run 1, 2, ..., `levels` symbols longer, as far as the run reaches. The suffixes
// of one level are adjacent, and levels follow one another from d_slots on upwards, or if `downwards`, before
// d_slots. *d_number becomes the number of suffixes written. Two phases.
[[nodiscard]] cudaError_t write_levels(void* d_temp, std::size_t& bytes, const run_suffix* d_runs,
                                       std::uint64_t count, std::uint32_t levels, bool downwards,
                                       std::uint32_t* d_slots, std::uint32_t* d_number, cudaStream_t stream);
// Moves each run's suffix by the levels that write_levels() has written, and reduces `more` accordingly.
void shorten_runs(run_suffix* d_runs, std::uint64_t count, std::uint32_t levels, cudaStream_t stream);
// Writes all remaining suffixes of at most max_remaining_runs runs at once, in the order of write_levels().
// d_segments: memory for `count` segments.
inline constexpr std::uint32_t max_remaining_runs = 512;
struct run_segment {
  std::uint32_t before, levels, first;
};
void write_remaining_runs(const run_suffix* d_runs, std::uint32_t count, bool downwards,
                          run_segment* d_segments, std::uint32_t* d_slots, cudaStream_t stream);

// The value of a slot that holds no suffix, and the test by which kernels select the others.
inline constexpr std::uint32_t no_suffix = ~std::uint32_t{0};
struct is_suffix {
  WEFT_HOST_DEVICE bool operator()(std::uint32_t suffix) const { return suffix != no_suffix; }
};

} // namespace weft::bwt_detail
