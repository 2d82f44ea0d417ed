// Engine bit-sliced computes full m x n tables, hundreds of cells with each instruction. docs/design/lcs.md
// describes it. bit_sliced_distance() and bit_sliced_path() are the engine. The rest of this header is a
// table prepared for the kernels of bit_sliced_kernel.hpp, and its sweep by several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <hwy/aligned_allocator.h>
#include <vector>
#include <weft/lcs/core/bit_planes.hpp>
#include <weft/lcs/cpu/bit_sliced_kernel.hpp>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// Return the distance and the canonical path (weft/lcs/lcs.hpp) of two texts, from the full table of a (rows)
// and b (columns). The path sweeps the table once and computes the tiles that it crosses a second time. O(m
// n) time; O(m + n) memory for the distance. Throw memory_error, cancelled_error; std::invalid_argument if a
// and b have different numbers of planes.
[[nodiscard]] std::uint64_t bit_sliced_distance(const bit_planes& a, const bit_planes& b,
                                                const lcs_call& call);
[[nodiscard]] edit_script bit_sliced_path(const bit_planes& a, const bit_planes& b, const lcs_call& call);

using aligned_words = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;
[[nodiscard]] aligned_words allocate_words(std::size_t count); // throws memory_error

// The shape of a strip: rows [first_row, first_row + lanes * registers) of the table. `lanes` is the width
// of the vector, except in a last strip of one register. The numbers of registers are powers of two that do
// not grow from strip to strip.
struct strip_shape {
  std::uint64_t first_row;
  int lanes, registers;
  std::size_t a_words; // the offset of its rows in the table's a
  [[nodiscard]] std::uint64_t rows() const {
    return static_cast<std::uint64_t>(lanes) * static_cast<std::uint64_t>(registers);
  }
};

// The differences between two strips, or above the first strip; words[k] holds those of word k of the cells.
// Block i of a strip reads word i + vector_words() (the columns from 64 i on) and writes word i (the columns
// from 64 i - lanes on). Because it reads ahead of what it writes, one array can be both `above` and `below`.
struct boundary {
  std::vector<std::uint64_t> words[2];
};

// A table of a (rows) and b (columns): the texts in the order in which kernels read them, and the strips.
class bit_sliced_table {
public:
  // Keeps rearranged copies of a and b.
  bit_sliced_table(bool edit, const bit_planes& a, const bit_planes& b);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t columns() const { return columns_; }
  [[nodiscard]] const std::vector<strip_shape>& strips() const { return strips_; }
  [[nodiscard]] int cell_words() const { return edit_ ? 2 : 1; }
  [[nodiscard]] int vector_words() const { return kernels_.lanes / 64; }
  [[nodiscard]] int trace_words() const { return kernels_.trace_words; }
  // Returns the number of words of a strip's v and h.
  [[nodiscard]] std::size_t state_words(const strip_shape& strip) const;
  // Returns the number of blocks of time in which all lanes of the strip compute the columns [0, columns).
  [[nodiscard]] static std::uint64_t blocks(const strip_shape& strip, std::uint64_t columns) {
    return (columns + static_cast<std::uint64_t>(strip.lanes) + 63) / 64;
  }

  [[nodiscard]] boundary make_boundary() const; // returns the boundary above the first row
  // Sets the state of a strip to its values left of the first column.
  void start(const strip_shape& strip, std::uint64_t* state) const;
  // Computes the blocks [first, last) of a strip. If `trace` is not null, traces the vectors from word
  // trace_word on.
  void run(const strip_shape& strip, std::uint64_t first, std::uint64_t last, std::uint64_t* state,
           const boundary& above, boundary& below, std::uint64_t* trace = nullptr, int trace_word = 0) const;

private:
  void arrange_rows(const bit_planes& a);
  void arrange_columns(const bit_planes& b);

  bool edit_;
  kernel_set kernels_;
  int planes_;
  std::uint64_t rows_, columns_;
  std::vector<strip_shape> strips_;
  aligned_words a_;
  std::vector<std::vector<std::uint64_t>> b_;
  std::vector<const std::uint64_t*> b_pointers_;
};

// A sweep computes the strips [first, last) over the columns [0, columns), by several threads. above(s) and
// below(s) return the boundaries of strip s. below(s) is the same object as above(s + 1), and may be the
// same as above(s). visit(s, block, state) is called before each block whose number is a multiple of
// visit_every (a multiple of chunk_blocks; 0: never).
inline constexpr std::uint64_t chunk_blocks = 16;
struct bit_sliced_sweep {
  std::size_t first, last;
  std::uint64_t columns;
  std::function<boundary&(std::size_t)> above, below;
  std::uint64_t visit_every = 0;
  std::function<void(std::size_t, std::uint64_t, const std::uint64_t*)> visit;
};
void sweep(const bit_sliced_table& table, const bit_sliced_sweep& plan, int threads, cell_counter& work);

// Returns the distance of texts of m and n symbols from the boundary below the last strip of their table.
[[nodiscard]] std::uint64_t distance_below(const bit_sliced_table& table, bool edit, std::uint64_t m,
                                           std::uint64_t n, const boundary& row);

} // namespace weft::lcs_detail
