// Engine affine-table: fills the tables of metric affine (Gotoh, J. Mol. Biol. 162 (1982) 705-708) with
// vector instructions. O(m n) time and O(m + n) memory. A path takes two to three times as long as a penalty.
//
// The tables are those of the reversed texts: H(i, j) is the least penalty of the last i symbols of a and the
// last j of b, D and I the same if the next step deletes or inserts, not counting gap_open
// (affine_kernel.cpp). So the canonical walk begins at the last cell, and reads the steps that each cell has
// noted.
//
// Myers & Miller (CABIOS 4 (1988) 11-17) find in linear space where some optimal path crosses the middle row,
// by sweeping from both sides. With affine gaps that does not tell which of the optimal crossings the
// canonical path has: two optimal paths can cross each other where one deletes and the other inserts, so the
// leftmost crossing need not be the canonical one. So the sweep carries the crossings along: each cell below
// the middle row has, for each of the three kinds of step by which the walk can come to it, where the
// canonical walk from there crosses the middle row. The walk takes the crossing from the cell that it goes
// to.
//
// The crossing divides a path into two, and both are canonical paths of smaller tables: if two paths begin
// and end alike, the one that first deletes, or else goes along the diagonal, is the same one in every table
// that contains them. If the walk crosses by a deletion, both parts have a gap at the crossing, as in Myers &
// Miller: the later part starts inside of the gap, and the earlier part ends in it (`ends_in_gap`), so that a
// deletion at its end costs no gap_open once more.
#pragma once

#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// The memory for the steps of the walk, in bytes. It is small, because taking more memory from the operating
// system costs more than it saves.
inline constexpr std::uint64_t default_max_trace = std::uint64_t{1} << 24;

// Return the penalty or the canonical path of two texts that are not empty. Symbols are bytes or 32-bit
// numbers below 2^28. A part of the table whose steps take more than max_trace bytes is divided. Throw
// memory_error, cancelled_error.
template <class Symbol>
[[nodiscard]] std::uint64_t affine_table_penalty(text<Symbol> a, text<Symbol> b, const lcs_call& call);
template <class Symbol>
[[nodiscard]] edit_script affine_table_path(text<Symbol> a, text<Symbol> b, const lcs_call& call,
                                            std::uint64_t max_trace = default_max_trace);

} // namespace weft::lcs_detail
