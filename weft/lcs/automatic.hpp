// Engine auto removes the parts of two texts that need no table (cpu/affixes.hpp), tries furthest-reaching
// as long as that is surely faster, and then fills the whole table by the engine that is fastest for it.
//
//   distance(a, b): remove the common prefix and suffix; run furthest-reaching, unless it gives up; remove
//                   unshared symbols, if there are any, and start again; fill the table.
//   path(a, b):     the same, under the conditions that keep the canonical path exact.
//
// Texts of numbers (lines, words) often have many unshared symbols and few matching pairs. So
// furthest-reaching first gets about the time that it takes to remove unshared symbols. Once there are none
// left, it gets the time of the table or of hunt-szymanski, whichever is estimated to be faster; that one
// then follows.
//
// The table is filled by an engine of GPUs if the options ask for a GPU, or if the table is large enough and
// there is one with enough memory; otherwise by bit-sliced, or by bit-parallel for the value of a small
// table. If memory is too small for bit-sliced, bit-parallel replaces it, with Hirschberg's recursion for
// the path. This needs linear space and is several times slower.
//
// Texts with wildcards are compared by furthest-reaching and then bit-parallel, because the other engines
// compare symbols by value.
//
// estimates.hpp has the figures by which auto decides.
#pragma once

#include <weft/lcs/engines.hpp>

namespace weft::lcs_detail {

// Solves a problem by engine auto. `gpu` is the engine of GPUs that may fill tables; null: none. If it is
// `gpu_required`, it fills every table.
void solve_automatically(lcs_problem& problem, const table_engine* gpu, bool gpu_required);

} // namespace weft::lcs_detail
