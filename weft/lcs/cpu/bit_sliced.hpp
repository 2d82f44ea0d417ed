// Engine bit-sliced computes full m x n tables, hundreds of cells with each instruction. docs/design/lcs.md
// describes it.
#pragma once

#include <cstdint>
#include <weft/base/monitor.hpp>
#include <weft/lcs/core/bit_planes.hpp>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cpu {

// The options of a table.
struct table_options {
  int threads = 1;                 // 0: all threads of the machine
  std::uint64_t memory = 0;        // bytes for copies, tables and checkpoints; 0: memory_limit(0)
  task_monitor* monitor = nullptr; // receives m n / 2^20 units in all; the caller calls set_total
};

// Returns the number that the metric names, from the full table of a (m rows) and b (n columns): LCS
// length, indel distance or Levenshtein distance. O(m n) time, O(m + n) memory. Throws memory_error,
// cancelled_error; std::invalid_argument if a and b have different numbers of planes.
[[nodiscard]] std::uint64_t bit_sliced_value(lcs_metric metric, const lcs_core::bit_planes& a,
                                             const lcs_core::bit_planes& b, const table_options& options);

// Returns the canonical path (weft/lcs/lcs.hpp). Sweeps the table once and computes the tiles that the path
// crosses a second time. Throws as bit_sliced_value().
[[nodiscard]] edit_script bit_sliced_path(lcs_metric metric, const lcs_core::bit_planes& a,
                                          const lcs_core::bit_planes& b, const table_options& options);

// Return the distance and the canonical path of two texts of symbols below sigma.
template <class Symbol>
[[nodiscard]] std::uint64_t bit_sliced_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                                const lcs_call& call);
template <class Symbol>
[[nodiscard]] edit_script bit_sliced_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                          const lcs_call& call);

} // namespace weft::lcs_cpu
