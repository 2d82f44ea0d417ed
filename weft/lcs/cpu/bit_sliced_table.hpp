// A table prepared for the kernels of bit_sliced_kernel.hpp, and its sweep by a team of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <hwy/aligned_allocator.h>
#include <vector>
#include <weft/lcs/core/bit_planes.hpp>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/cpu/bit_sliced_kernel.hpp>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cpu {

using aligned_words = hwy::AlignedFreeUniquePtr<std::uint64_t[]>;
[[nodiscard]] aligned_words allocate_words(std::size_t count); // throws memory_error

// Rows [first_row, first_row + lanes * registers) of the table; lanes is the vector's width except in a last
// strip of one register. Registers are powers of two that do not grow from strip to strip.
struct strip_shape {
  std::uint64_t first_row;
  int lanes, registers;
  std::size_t a_words; // where its rows begin in the table's a
  [[nodiscard]] std::uint64_t rows() const {
    return static_cast<std::uint64_t>(lanes) * static_cast<std::uint64_t>(registers);
  }
};

// Differences between two strips, or above the first: a word per block of columns, for each of the cell's
// words. A strip reads its block i at [margin + i] and writes at [i], which is lanes columns earlier: both
// fit in one array.
struct boundary {
  std::vector<std::uint64_t> words[2];
};

class bit_sliced_table {
public:
  // Keeps rearranged copies of a and b.
  bit_sliced_table(bool edit, const lcs_core::bit_planes& a, const lcs_core::bit_planes& b);

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t columns() const { return columns_; }
  [[nodiscard]] const std::vector<strip_shape>& strips() const { return strips_; }
  [[nodiscard]] int cell_words() const { return edit_ ? 2 : 1; }
  [[nodiscard]] int vector_words() const { return kernels_.lanes / 64; }
  [[nodiscard]] int trace_words() const { return kernels_.trace_words; }
  // Of a strip's v and h.
  [[nodiscard]] std::size_t state_words(const strip_shape& strip) const;
  // Blocks of time in which all lanes of the strip have done columns [0, columns).
  [[nodiscard]] static std::uint64_t blocks(const strip_shape& strip, std::uint64_t columns) {
    return (columns + static_cast<std::uint64_t>(strip.lanes) + 63) / 64;
  }

  [[nodiscard]] boundary make_boundary() const; // what lies above the first row
  void start(const strip_shape& strip, std::uint64_t* state) const;
  // Blocks [first, last) of a strip; traced from trace_word on if trace is not null.
  void run(const strip_shape& strip, std::uint64_t first, std::uint64_t last, std::uint64_t* state,
           const boundary& above, boundary& below, std::uint64_t* trace = nullptr, int trace_word = 0) const;

private:
  void place_rows(const lcs_core::bit_planes& a);
  void place_columns(const lcs_core::bit_planes& b);

  bool edit_;
  kernel_set kernels_;
  int planes_;
  std::uint64_t rows_, columns_;
  std::vector<strip_shape> strips_;
  aligned_words a_;
  std::vector<std::vector<std::uint64_t>> b_;
  std::vector<const std::uint64_t*> b_pointers_;
};

// Strips [first, last) over columns [0, columns), by a team of threads. above(s) and below(s) are the
// boundaries of strip s: below(s) is above(s + 1), and may be above(s) as well. visit(s, block, state) is
// called before a strip's blocks that are multiples of visit_every (a multiple of chunk_blocks; 0: never).
inline constexpr std::uint64_t chunk_blocks = 16;
struct sweep_plan {
  std::size_t first, last;
  std::uint64_t columns;
  std::function<boundary&(std::size_t)> above, below;
  std::uint64_t visit_every = 0;
  std::function<void(std::size_t, std::uint64_t, const std::uint64_t*)> visit;
};
void sweep(const bit_sliced_table& table, const sweep_plan& plan, int threads, progress& work);

// Returns the distance of texts of m and n symbols from the boundary below the last strip of their table.
[[nodiscard]] std::uint64_t distance_below(const bit_sliced_table& table, bool edit, std::uint64_t m,
                                           std::uint64_t n, const boundary& row);

} // namespace weft::lcs_cpu
