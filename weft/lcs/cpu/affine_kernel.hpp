// The inner loop of engine affine-table (affine_table.hpp): computes a strip of rows of the three tables, one
// anti-diagonal after another, many cells of an anti-diagonal at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::lcs_detail {

// A strip of `rows` rows and the columns 1 .. columns; the row above it and column 0 are given. Value is the
// type of penalties, crossings and symbols. Arrays of symbols and the trace are padded with kernel_padding
// entries.
template <class Value> struct affine_strip {
  std::size_t rows, columns;
  const Value* a;               // row t of the strip has the symbol a[t]
  const Value* b;               // column j has the symbol b[columns - j]
  Value any_symbol;             // a symbol that matches every symbol; all others are smaller
  Value mismatch, open, extend; // the penalties
  Value left_deleting;          // D in column 0 of the first row; it grows by `extend` from row to row
  Value *closed, *deleting;     // columns 0 .. columns: H and D of the row above; then of the last row
  // Where the canonical walk from a cell crosses the middle row, for the same rows; null: not wanted.
  Value *closed_crossing, *deleting_crossing;
  // The steps of the canonical walk: cell (t, j) at trace[(t + j) * rows + t]; null: not wanted.
  std::uint8_t* trace;
};

// What a cell of the trace says. The low two bits are the step after a diagonal step or none.
inline constexpr std::uint8_t trace_delete = 0, trace_diagonal = 1, trace_insert = 2, trace_step = 3;
// After a deletion the walk deletes again; after an insertion it inserts again. Without the bit, the low bits
// say what it does.
inline constexpr std::uint8_t trace_extends_deletion = 4, trace_extends_insertion = 8;

// A crossing is 2 k if the walk comes to column k of the middle row by a diagonal step, and 2 k + 1 if it
// comes there by a deletion.
inline constexpr std::size_t kernel_padding = 64;

// The largest penalty of a table with values of this type; a multiple of it stands for "no path".
template <class Value> inline constexpr Value max_kernel_penalty = Value{1} << (sizeof(Value) == 4 ? 28 : 60);

// Returns the number of values that compute_strip() needs as a workspace.
[[nodiscard]] constexpr std::size_t strip_workspace(std::size_t rows) {
  return 14 * (rows + 1 + kernel_padding);
}

void compute_strip(const affine_strip<std::int32_t>& strip, std::int32_t* workspace);
void compute_strip(const affine_strip<std::int64_t>& strip, std::int64_t* workspace);

// Returns the number of 32-bit values in this processor's vectors.
[[nodiscard]] std::size_t affine_lanes();

} // namespace weft::lcs_detail
