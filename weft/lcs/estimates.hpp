// The estimates by which engine auto chooses, and the measurements behind them. All speeds are those of DNA,
// in cells of the table per second unless another unit is given. bench/record/cpu-zen5-2core.md and
// bench/record/gpu-h200.md have the measurements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <weft/lcs/core/bit_planes.hpp>
#include <weft/lcs/cpu/affine_kernel.hpp>
#include <weft/lcs/cpu/batch.hpp>

namespace weft::lcs_detail {

[[nodiscard]] inline double table_cells(std::uint64_t m, std::uint64_t n) {
  return static_cast<double>(m) * static_cast<double>(n);
}

// hirschberg-dp: 0.5 G on one thread (20,000 x 20,000).
[[nodiscard]] inline double hirschberg_dp_seconds(std::uint64_t m, std::uint64_t n) {
  return table_cells(m, n) / 0.5e9;
}

// bit-parallel: 81 G on one thread for a length (300,000 x 300,000); a path fills the table twice. Half of
// that, and 15 G for edit distances, is what surely holds on other machines.
[[nodiscard]] inline double bit_parallel_seconds(std::uint64_t m, std::uint64_t n, bool edit, int threads) {
  return table_cells(m, n) / ((edit ? 15e9 : 40e9) * threads);
}

// bit-sliced: 1037 G and 482 G (edit) on one thread with vectors of 8 words (1 M x 1 M), 925 G and 436 G
// for 100,000 x 100,000: the start and the end of the sweep matter for short texts. The estimate is lower,
// for machines with less. Every plane that the symbols need costs two operations and a cell three more, so
// 20 letters take 689 G and bytes 422 G.
[[nodiscard]] inline double bit_sliced_speed(std::uint64_t m, std::uint64_t n, bool edit, int threads) {
  const auto shorter = static_cast<double>(std::min(m, n));
  const double full = (edit ? 40e9 : 75e9) * static_cast<double>(lcs_detail::vector_words()) * threads;
  return full * shorter / (shorter + 10000);
}
[[nodiscard]] inline double bit_sliced_seconds(std::uint64_t m, std::uint64_t n, std::uint64_t sigma,
                                               bool edit, int threads) {
  const double operations = 3 + 2 * std::max(2, lcs_detail::planes_for(sigma));
  return table_cells(m, n) / bit_sliced_speed(m, n, edit, threads) * operations / 7;
}
// From this length of the shorter text on, bit-sliced computes a value faster than bit-parallel. (It is
// always faster for a path.)
inline constexpr std::uint64_t min_bit_sliced_length = 768;

// batch.hpp, eight tables at once.
[[nodiscard]] inline double batch_speed() { return 50e9 * static_cast<double>(lcs_detail::vector_words()); }

// hunt-szymanski: the time depends on the pairs of equal symbols. A path computes the thresholds twice.
[[nodiscard]] inline double hunt_szymanski_seconds(std::uint64_t m, std::uint64_t n, std::uint64_t pairs,
                                                   bool path) {
  constexpr double seconds_per_pair = 8e-9, seconds_per_symbol = 30e-9;
  return seconds_per_symbol * static_cast<double>(m + n) +
         (path ? 2 : 1) * seconds_per_pair * static_cast<double>(pairs);
}

// furthest-reaching: a step visits a diagonal at one distance.
inline constexpr double furthest_reaching_steps_per_second = 350e6;
[[nodiscard]] inline std::uint64_t steps_within(double seconds) {
  return static_cast<std::uint64_t>(std::min(1e18, seconds * furthest_reaching_steps_per_second));
}
// The worst case, in which the texts have nothing in common.
[[nodiscard]] inline double furthest_reaching_seconds(std::uint64_t m, std::uint64_t n) {
  return table_cells(m, n) / furthest_reaching_steps_per_second;
}

// Removing the symbols that occur in one text only takes this many seconds a number.
inline constexpr double removal_seconds_per_number = 20e-9;

// affine-table: 4.7 G on one thread with vectors of 16 lanes (20,000 x 20,000); a path takes 2.4 times as
// long.
[[nodiscard]] inline double affine_table_seconds(std::uint64_t m, std::uint64_t n, bool path) {
  return (path ? 2.5 : 1) * table_cells(m, n) / (0.25e9 * static_cast<double>(affine_lanes()));
}
// affine-wavefront: 380 M; a step visits a diagonal at one level.
inline constexpr double affine_wavefront_steps_per_second = 350e6;

// affine-batch: 3.3 T for all pairs of sequences of 20 to 500 letters on an H200, and 0.9 T of 100 to 150
// letters, where a pair takes 17 ns on the host. The speed of a single pair, which keeps one thread busy, is
// a guess. A process needs a quarter of a second to start using a GPU.
inline constexpr double affine_batch_full_speed = 3e12, affine_batch_lane_speed = 1e8;
inline constexpr double gpu_start_seconds = 0.25;
[[nodiscard]] inline double affine_batch_seconds(double cells) {
  return gpu_start_seconds + cells / affine_batch_full_speed;
}

// systolic: 67 T for 1 M x 1 M and 153 T for 16 M x 16 M on an H200, for an edit distance 23 T and 63 T.
// Until all strips run, multiprocessors are idle, which costs as much time as fill_symbols more of the
// shorter text. A path takes longer by what depends on the texts' lengths alone. Estimated too low are paths
// of texts of which one is several times as long as the other, which take twice as long, and edit distances
// over more than 8 letters, which take a third longer.
[[nodiscard]] inline double systolic_seconds(std::uint64_t m, std::uint64_t n, bool edit, bool path) {
  const auto shorter = static_cast<double>(std::min(m, n)), longer = static_cast<double>(std::max(m, n));
  const double full_speed = edit ? 70e12 : 160e12, fill_symbols = edit ? 2.2e6 : 1.4e6;
  const double table = longer * (shorter + fill_symbols) / full_speed;
  if (!path) return table;
  return table + (edit ? 40e-9 * shorter : std::min(0.025, 25e-9 * shorter) + 13e-9 * shorter);
}
// How many times as fast two GPUs compute the length of a large table as one. The plans of systolic_table.cpp
// give 1.95 for 16 M x 16 M and 1.5 for 2 M x 2 M.
inline constexpr double systolic_pair_speedup = 1.8;
// The number of cells from which systolic is faster than the CPU. A process needs a quarter of a second to
// start using a GPU; 16 threads of a CPU fill this many cells in that time (with an H200 beside a Xeon, 1 M
// x 1 M takes 0.25 s and 0.42 s).
inline constexpr double min_gpu_cells = 5e11;

// wavefront: 1.27 T for 1 M x 1 M on an H200, where it waits for its launches.
[[nodiscard]] inline double wavefront_seconds(std::uint64_t m, std::uint64_t n) {
  return table_cells(m, n) / 1.27e12;
}

} // namespace weft::lcs_detail
