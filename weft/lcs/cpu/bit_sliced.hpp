// Engine bit-sliced: full m x n tables, hundreds of cells an instruction. docs/lcs-cpu.md derives it.
#pragma once

#include <cstdint>
#include <weft/base/monitor.hpp>
#include <weft/lcs/core/bit_planes.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::lcs_cpu {

struct table_options {
  int threads = 1;                 // 0: all
  std::uint64_t memory = 0;        // bytes for copies, tables and checkpoints; 0: memory_limit(0)
  task_monitor* monitor = nullptr; // gets m n / 2^20 units in all; set_total is the caller's
};

// The number the metric names, of the full table of a (m rows) and b (n columns): LCS length, indel distance,
// or Levenshtein distance. O(m n) time, O(m + n) memory. a and b have equally many planes. Throws
// memory_error, cancelled_error; std::invalid_argument if the counts of planes differ.
[[nodiscard]] std::uint64_t bit_sliced_value(lcs_metric metric, const lcs_core::bit_planes& a,
                                             const lcs_core::bit_planes& b, const table_options& options);

// The canonical path (weft/lcs/lcs.hpp), from one run over the table and replays of the tiles the path
// crosses.
[[nodiscard]] edit_script bit_sliced_path(lcs_metric metric, const lcs_core::bit_planes& a,
                                          const lcs_core::bit_planes& b, const table_options& options);

} // namespace weft::lcs_cpu
