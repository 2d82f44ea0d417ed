// The switches of the published sample-merge, and its steps.
#pragma once

#include <array>
#include <cstdint>

namespace weft::bench {

// The same switches as in weft::gpu::sample_merge_options, whose header needs nvcc.
struct sample_merge_switches {
  std::uint32_t num_buckets = 0; // 0: the fastest number for the input
  bool transpose = true, align = true;
};

// The steps of sample-merge in their order.
enum class sort_step {
  splitters,
  bucket_sizes,
  prefix_sum,
  bucket_offsets,
  transposition,
  relocation,
  tile_sort,
  merges
};
// The names of the steps, in the order of sort_step.
inline constexpr std::array sort_step_names = {"splitters",     "bucket sizes", "prefix sum", "places",
                                               "transposition", "relocation",   "tile sort",  "merges"};

} // namespace weft::bench
