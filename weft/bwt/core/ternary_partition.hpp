// One level of the ternary quicksort of suffixes or rotations: the two steps of a block of threads.
//
// A segment holds rows (starting positions in the text) that agree in their first `depth` symbols. A level
// splits every segment by the symbol at that depth into those less than, equal to and greater than a pivot.
// Segments are cut into tiles, one block of threads each:
//   count_parts    how many rows of the tile belong to each part; summed over the tiles of the segment they
//                  say where '=' starts and where the tile's own share of each part goes;
//   scatter_parts  writes the rows there.
// All tiles of all segments run in one launch of each step, whatever their depths.
//
// Departure from the paper: it fills '<' from the left and '>' from the right by atomic counters, so that the
// order inside a part depends on timing; the sums over tiles give every run the same order.
//
// Source: Yamanaka, Ino & Hagihara, Fast Burrows-Wheeler Transform with CUDA; Bentley & Sedgewick, SODA 1997.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_core {

// Symbols of a row: cyclic, the rotation that begins there; else the suffix, behind whose end stands 0, less
// than the bytes, which are 1 to 256.
template <class Index> struct row_text {
  const unsigned char* bytes;
  Index size;
  bool cyclic;

  // row < size; depth < size, or row + depth <= size if not cyclic. No overflow: size is less than half of
  // what Index holds.
  WEFT_HOST_DEVICE Index symbol(Index row, Index depth) const {
    const Index at = row + depth;
    if (at < size) return static_cast<Index>(bytes[at]) + 1;
    return cyclic ? static_cast<Index>(bytes[at - size]) + 1 : 0;
  }
  WEFT_HOST_DEVICE Index symbol_step() const { return 1; }

  // The next seven symbols, and how many of them stand before the end of the text: as numbers they are in
  // the order of the rows.
  WEFT_HOST_DEVICE std::uint64_t word(Index row, Index depth) const {
    Index at = row + depth;
    if (cyclic && at >= size) at -= size;
    std::uint64_t symbols = 0, there = 0;
    for (Index i = 0; i < word_step(); ++i) {
      const bool is_there = at < size;
      symbols = symbols << 8 | (is_there ? bytes[at] : 0U);
      there += is_there ? 1 : 0;
      ++at;
      if (cyclic && at == size) at = 0;
    }
    return symbols << 8 | there;
  }
  WEFT_HOST_DEVICE Index word_step() const { return 7; }
};

// Which part a symbol belongs to: 0 '<', 1 '=', 2 '>'.
template <class Index> WEFT_HOST_DEVICE int part_of_symbol(Index symbol, Index pivot) {
  return symbol < pivot ? 0 : symbol == pivot ? 1 : 2;
}

// Sizes of the three parts, or places to write them to.
template <class Index> struct part_numbers {
  Index less, equal, greater;

  // The number of a part, which goes up by one. No reference to one of the three: they stay in registers.
  WEFT_HOST_DEVICE Index take(int part) {
    const Index number = part == 0 ? less : part == 1 ? equal : greater;
    less += part == 0 ? 1 : 0;
    equal += part == 1 ? 1 : 0;
    greater += part == 2 ? 1 : 0;
    return number;
  }
};

// Rows [first, last), of a segment that is split by the symbol at this depth.
template <class Index> struct row_tile { Index first, last, depth, pivot; };

// The rows of one thread of a block: every threads-th. Keys: row_text, or what else has its symbol().
template <class Keys, class Index>
WEFT_HOST_DEVICE part_numbers<Index> count_rows(const Keys& keys, const Index* rows,
                                                const row_tile<Index>& tile, Index thread, Index threads) {
  part_numbers<Index> counts{0, 0, 0};
  for (Index i = tile.first + thread; i < tile.last; i += threads)
    counts.take(part_of_symbol(keys.symbol(rows[i], tile.depth), tile.pivot));
  return counts;
}

// next: where the thread's share of each part goes in `to`, which does not overlap `rows`.
template <class Keys, class Index>
WEFT_HOST_DEVICE void scatter_rows(const Keys& keys, const Index* rows, Index* to,
                                   const row_tile<Index>& tile, Index thread, Index threads,
                                   part_numbers<Index> next) {
  for (Index i = tile.first + thread; i < tile.last; i += threads) {
    const Index row = rows[i];
    to[next.take(part_of_symbol(keys.symbol(row, tile.depth), tile.pivot))] = row;
  }
}

// The same two for up to 32 rows of a thread, which look at each symbol once: `parts` has two bits a row.
inline constexpr int max_noted_rows = 32;

template <class Keys, class Index>
WEFT_HOST_DEVICE part_numbers<Index> note_parts(const Keys& keys, const Index* rows,
                                                const row_tile<Index>& tile, Index thread, Index threads,
                                                std::uint64_t& parts) {
  part_numbers<Index> counts{0, 0, 0};
  int bit = 0;
  parts = 0;
  for (Index i = tile.first + thread; i < tile.last; i += threads, bit += 2) {
    const int part = part_of_symbol(keys.symbol(rows[i], tile.depth), tile.pivot);
    counts.take(part);
    parts |= static_cast<std::uint64_t>(part) << bit;
  }
  return counts;
}

template <class Index>
WEFT_HOST_DEVICE void scatter_noted(std::uint64_t parts, const Index* rows, Index* to,
                                    const row_tile<Index>& tile, Index thread, Index threads,
                                    part_numbers<Index> next) {
  for (Index i = tile.first + thread; i < tile.last; i += threads, parts >>= 2)
    to[next.take(static_cast<int>(parts & 3))] = rows[i];
}

// Scratch: block.threads entries, shared by the block.
template <class Block, class Keys, class Index>
WEFT_HOST_DEVICE void count_parts(const Block& block, const Keys& keys, const Index* rows,
                                  const row_tile<Index>& tile, part_numbers<Index>* scratch,
                                  part_numbers<Index>* counts) {
  const auto threads = static_cast<Index>(block.threads);
  block.phase([&](int t) { scratch[t] = count_rows(keys, rows, tile, static_cast<Index>(t), threads); });
  block.phase([&](int t) {
    if (t != 0) return;
    part_numbers<Index> sum{0, 0, 0};
    for (Index k = 0; k < threads; ++k) {
      sum.less += scratch[k].less;
      sum.equal += scratch[k].equal;
      sum.greater += scratch[k].greater;
    }
    *counts = sum;
  });
}

// places: where the tile's shares of the three parts begin in `to`, which does not overlap `rows`.
template <class Block, class Keys, class Index>
WEFT_HOST_DEVICE void scatter_parts(const Block& block, const Keys& keys, const Index* rows, Index* to,
                                    const row_tile<Index>& tile, part_numbers<Index>* scratch,
                                    const part_numbers<Index>& places) {
  const auto threads = static_cast<Index>(block.threads);
  block.phase([&](int t) { scratch[t] = count_rows(keys, rows, tile, static_cast<Index>(t), threads); });
  block.phase([&](int t) {
    if (t != 0) return;
    part_numbers<Index> next = places;
    for (Index k = 0; k < threads; ++k) {
      const part_numbers<Index> mine = scratch[k];
      scratch[k] = next;
      next = {next.less + mine.less, next.equal + mine.equal, next.greater + mine.greater};
    }
  });
  block.phase([&](int t) { scatter_rows(keys, rows, to, tile, static_cast<Index>(t), threads, scratch[t]); });
}

} // namespace weft::bwt_core
