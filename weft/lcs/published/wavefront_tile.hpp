// Computes a tile of engine wavefront (published/cuda/wavefront.cu describes the algorithm). A tile has 1024
// columns, which are the bits of the vector, and 1024 rows, which are one step each. A block of 32 threads
// computes it; each thread has 32 columns.
//
// Bit j of the vector V stands for column j. For each row r:
//     V = (V + (V & M)) | (V & ~M),   M: the columns whose symbol is r's
// A tile needs V as the tile above left it, and one carry for each row from the tile on its left: 1024
// bits, one word for each thread.
//
// Matches. A thread keeps the codes of its 32 columns as bit planes: bit i of plane p is bit p of column
// i's code. M = valid & ~(plane[0] ^ bit 0 of r) & ~(plane[1] ^ bit 1 of r) & .. Columns past the end are
// not valid: they match nothing and keep their ones. They are higher bits than all columns that exist, so
// the carries that they produce are never used.
// The paper pads the texts instead, with symbols that neither text contains. Rows past the end are not
// computed.
#pragma once

#include <cstdint>
#include <weft/lcs/core/conditional_sum.hpp>

namespace weft::lcs_detail {

inline constexpr int wavefront_threads = 32;
inline constexpr std::uint64_t wavefront_tile_size = 1024; // bits and rows of a tile
inline constexpr std::uint64_t wavefront_tile_words = 32;  // of the vector, and of the carries, of a tile

// A sweep computes the last row of the table of `rows` and `columns`, as a bit vector. A backward sweep
// reads both texts from their ends.
struct wavefront_sweep {
  const std::uint8_t* columns;
  std::uint64_t num_columns;
  const std::uint8_t* rows;
  std::uint64_t num_rows;
  std::uint32_t* vector;  // out: wavefront_tile_words for each tile of columns
  std::uint32_t* carries; // 2 * wavefront_tile_words for each tile of columns: one half for the current
                          // anti-diagonal, the other half for the one before; the halves alternate
};

// Returns the number of tiles that `size` rows or columns fill.
WEFT_HOST_DEVICE inline std::uint64_t wavefront_tiles(std::uint64_t size) {
  return size / wavefront_tile_size + (size % wavefront_tile_size != 0 ? 1 : 0);
}
// The tiles (tile of columns c, tile of rows d - c) of anti-diagonal d are those with first <= c < last.
struct wavefront_range {
  std::uint64_t first, last;
};
WEFT_HOST_DEVICE inline wavefront_range wavefront_diagonal(const wavefront_sweep& sweep, std::uint64_t d) {
  const std::uint64_t across = wavefront_tiles(sweep.num_columns), down = wavefront_tiles(sweep.num_rows);
  return {d < down ? 0 : d + 1 - down, d < across ? d + 1 : across};
}
// Returns the number of anti-diagonals of tiles.
WEFT_HOST_DEVICE inline std::uint64_t wavefront_diagonals(const wavefront_sweep& sweep) {
  return wavefront_tiles(sweep.num_columns) + wavefront_tiles(sweep.num_rows) - 1; // both texts are not empty
}

// The private state of a thread.
template <int Planes> struct wavefront_thread {
  std::uint32_t vector, kept, valid; // V, V & ~M, the columns that exist
  std::uint32_t plane[Planes];
  conditional_digit digit; // of V + (V & M)
};

// The state that the threads of a block share.
struct wavefront_shared {
  std::uint8_t rows[wavefront_tile_size];
  std::uint32_t carry_in[wavefront_tile_words], carry_out[wavefront_tile_words]; // bit r % 32 of word r / 32
  std::uint32_t digit_carries[wavefront_threads];
};

template <bool Backward>
WEFT_HOST_DEVICE inline std::uint32_t symbol_at(const std::uint8_t* text, std::uint64_t size,
                                                std::uint64_t i) {
  return Backward ? text[size - 1 - i] : text[i];
}

// Loads the planes of the 32 columns from `first` on.
template <bool Backward, int Planes>
WEFT_HOST_DEVICE inline void load_columns(const wavefront_sweep& sweep, std::uint64_t first,
                                          wavefront_thread<Planes>& mine) {
  mine.valid = 0;
  for (int p = 0; p < Planes; ++p) mine.plane[p] = 0;
  for (std::uint32_t i = 0; i < 32 && first + i < sweep.num_columns; ++i) {
    const std::uint32_t symbol = symbol_at<Backward>(sweep.columns, sweep.num_columns, first + i);
    mine.valid |= 1U << i;
    for (int p = 0; p < Planes; ++p) mine.plane[p] |= (symbol >> p & 1) << i;
  }
}

template <int Planes>
WEFT_HOST_DEVICE inline std::uint32_t match_columns(const wavefront_thread<Planes>& mine,
                                                    std::uint32_t symbol) {
  std::uint32_t match = mine.valid;
  for (int p = 0; p < Planes; ++p) match &= ~(mine.plane[p] ^ (0 - (symbol >> p & 1)));
  return match;
}

// Begins the addition of row r, before the combining steps; end_row() does the rest of the row after them.
template <int Planes>
WEFT_HOST_DEVICE inline void begin_row(int t, std::uint32_t r, wavefront_thread<Planes>& mine,
                                       wavefront_shared& shared) {
  const std::uint32_t match = match_columns(mine, shared.rows[r]);
  mine.kept = mine.vector & ~match;
  mine.digit = add_digits(mine.vector, mine.vector & match);
  shared.digit_carries[t] = mine.digit.carries;
}
template <int Planes>
WEFT_HOST_DEVICE inline void end_row(int t, std::uint32_t r, wavefront_thread<Planes>& mine,
                                     wavefront_shared& shared) {
  const std::uint32_t carry = shared.carry_in[r / 32] >> (r % 32) & 1;
  mine.vector = (carry != 0 ? mine.digit.with : mine.digit.without) | mine.kept;
  if (t == wavefront_threads - 1) shared.carry_out[r / 32] |= (mine.digit.carries >> carry & 1) << (r % 32);
}

// Computes the tile of anti-diagonal d at tile `across` of the columns. thread_of(t) returns a reference to
// the state of thread t. All codes are below 2^Planes.
template <bool Backward, int Planes, class Block, class ThreadOf>
WEFT_HOST_DEVICE inline void compute_wavefront_tile(const Block& block, const ThreadOf& thread_of,
                                                    wavefront_shared& shared, const wavefront_sweep& sweep,
                                                    std::uint64_t d, std::uint64_t across) {
  const std::uint64_t down = d - across, first_row = down * wavefront_tile_size;
  const std::uint64_t rows_left = sweep.num_rows - first_row, tiles = wavefront_tiles(sweep.num_columns);
  const auto num_rows =
      static_cast<std::uint32_t>(rows_left < wavefront_tile_size ? rows_left : wavefront_tile_size);
  std::uint32_t* const vector = sweep.vector + across * wavefront_tile_words;
  const std::uint32_t* const before = sweep.carries + (d + 1) % 2 * tiles * wavefront_tile_words;
  std::uint32_t* const after = sweep.carries + d % 2 * tiles * wavefront_tile_words;

  block.phase([&](int t) {
    wavefront_thread<Planes>& mine = thread_of(t);
    mine.vector = down == 0 ? ~std::uint32_t{0} : vector[t];
    load_columns<Backward>(sweep, across * wavefront_tile_size + static_cast<std::uint64_t>(t) * 32, mine);
    shared.carry_in[t] =
        across == 0 ? 0 : before[(across - 1) * wavefront_tile_words + static_cast<unsigned>(t)];
    shared.carry_out[t] = 0;
    for (auto r = static_cast<std::uint32_t>(t); r < num_rows; r += wavefront_threads)
      shared.rows[r] =
          static_cast<std::uint8_t>(symbol_at<Backward>(sweep.rows, sweep.num_rows, first_row + r));
  });
  for (std::uint32_t r = 0; r < num_rows; ++r) {
    block.phase([&](int t) {
      if (r > 0) end_row(t, r - 1, thread_of(t), shared);
      begin_row(t, r, thread_of(t), shared);
    });
    combine_digits(
        block, [&](int t) -> conditional_digit& { return thread_of(t).digit; }, shared.digit_carries);
  }
  block.phase([&](int t) {
    end_row(t, num_rows - 1, thread_of(t), shared);
    vector[t] = thread_of(t).vector;
  });
  block.phase(
      [&](int t) { after[across * wavefront_tile_words + static_cast<unsigned>(t)] = shared.carry_out[t]; });
}

// The LCS of all rows and the first k columns is the number of zeros among the first k bits of the vector
// of the last row.
WEFT_HOST_DEVICE inline std::uint64_t zero_bit(const std::uint32_t* vector, std::uint64_t i) {
  return ~vector[i / 32] >> (i % 32) & 1;
}
WEFT_HOST_DEVICE inline std::uint64_t count_zero_bits(const std::uint32_t* vector, std::uint64_t size) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < size; ++i) count += zero_bit(vector, i);
  return count;
}

// Returns the smallest k at which L1[k] + L2[n - k] is largest, where L1 comes from the forward sweep of
// the upper rows and L2 from the backward sweep of the lower rows.
WEFT_HOST_DEVICE inline std::uint64_t smallest_best_split(const std::uint32_t* forward,
                                                          const std::uint32_t* backward, std::uint64_t n) {
  std::int64_t sum = 0, best = 0; // relative to L2[n], the sum at k = 0
  std::uint64_t best_k = 0;
  for (std::uint64_t k = 0; k < n; ++k) {
    sum += static_cast<std::int64_t>(zero_bit(forward, k));
    sum -= static_cast<std::int64_t>(zero_bit(backward, n - 1 - k));
    if (sum <= best) continue;
    best = sum;
    best_k = k + 1;
  }
  return best_k;
}

} // namespace weft::lcs_detail
