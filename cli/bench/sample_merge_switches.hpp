// The switches of the published sample-merge, and its steps.
#pragma once

#include <array>
#include <cstdint>

namespace weft::cli::bench {

// As in weft::gpu::sample_merge_options, which needs nvcc.
struct sample_merge_switches {
  std::uint32_t num_buckets = 0; // 0: as is quickest
  bool transpose = true, align = true;
};

enum class sort_step {
  splitters,
  bucket_sizes,
  prefix_sum,
  places,
  transposition,
  relocation,
  tile_sort,
  merges
};
// In their order, with names.
inline constexpr std::array sort_step_names = {"splitters",     "bucket sizes", "prefix sum", "places",
                                               "transposition", "relocation",   "tile sort",  "merges"};

} // namespace weft::cli::bench
