// One level of the ternary quicksort of suffixes or rotations: the two steps that each block of threads
// executes.
//
// A segment holds rows (starting positions in the text) that agree in their first `depth` symbols. A level
// splits every segment by the symbol at that depth into the rows less than, equal to and greater than a
// pivot. Segments are cut into tiles, one for each block of threads:
//   count_parts    counts how many rows of the tile belong to each part. Summed over the tiles of the
//                  segment, the counts say where each part begins and where the tile's share of each part
//                  goes;
//   scatter_parts  writes the rows to their parts.
// All tiles of all segments are processed in one launch of each step, whatever their depths.
//
// Departure from the paper: the paper fills '<' from the left and '>' from the right with atomic counters, so
// the order inside a part depends on timing. Here sums over tiles give the same order in every run.
//
// Source: Yamanaka, Ino & Hagihara, Fast Burrows-Wheeler Transform with CUDA; Bentley & Sedgewick, SODA 1997.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_detail {

// The symbols of a row. If `cyclic`, the row is the rotation that begins at its position. Otherwise it is the
// suffix that begins there, and is followed by 0, which is less than the bytes, because these are 1 to 256
// here.
template <class Index> struct row_text {
  const unsigned char* bytes;
  Index size;
  bool cyclic;

  // Returns the symbol of a row at a depth. row < size; depth < size, or row + depth <= size if not cyclic.
  // The sum does not overflow, because size is less than half of the range of Index.
  WEFT_HOST_DEVICE Index symbol(Index row, Index depth) const {
    const Index at = row + depth;
    if (at < size) return static_cast<Index>(bytes[at]) + 1;
    return cyclic ? static_cast<Index>(bytes[at - size]) + 1 : 0;
  }
  WEFT_HOST_DEVICE Index symbol_step() const { return 1; }

  // Returns the next seven symbols, and in the lowest byte how many of them are inside the text. Comparing
  // these numbers compares the rows.
  WEFT_HOST_DEVICE std::uint64_t word(Index row, Index depth) const {
    Index at = row + depth;
    if (cyclic && at >= size) at -= size;
    std::uint64_t symbols = 0, num_inside = 0;
    for (Index i = 0; i < word_step(); ++i) {
      const bool is_inside = at < size;
      symbols = symbols << 8 | (is_inside ? bytes[at] : 0U);
      num_inside += is_inside ? 1 : 0;
      ++at;
      if (cyclic && at == size) at = 0;
    }
    return symbols << 8 | num_inside;
  }
  WEFT_HOST_DEVICE Index word_step() const { return 7; }
};

// Returns the part that a symbol belongs to: 0 is '<', 1 is '=', 2 is '>'.
template <class Index> WEFT_HOST_DEVICE int part_of_symbol(Index symbol, Index pivot) {
  return symbol < pivot ? 0 : symbol == pivot ? 1 : 2;
}

// A number for each of the three parts: their sizes, or the offsets at which to write them.
template <class Index> struct part_numbers {
  Index less, equal, greater;

  // Returns the number of a part, and increments it. The function takes no reference to the numbers, so that
  // they stay in registers.
  WEFT_HOST_DEVICE Index take(int part) {
    const Index number = part == 0 ? less : part == 1 ? equal : greater;
    less += part == 0 ? 1 : 0;
    equal += part == 1 ? 1 : 0;
    greater += part == 2 ? 1 : 0;
    return number;
  }
};

// Rows [first, last) of a segment that is split by the symbol at `depth`.
template <class Index> struct row_tile { Index first, last, depth, pivot; };

// Counts the parts of one thread's rows, which are every `threads`-th row of the tile. Keys is row_text or
// another type with a function symbol().
template <class Keys, class Index>
WEFT_HOST_DEVICE part_numbers<Index> count_rows(const Keys& keys, const Index* rows,
                                                const row_tile<Index>& tile, Index thread, Index threads) {
  part_numbers<Index> counts{0, 0, 0};
  for (Index i = tile.first + thread; i < tile.last; i += threads)
    counts.take(part_of_symbol(keys.symbol(rows[i], tile.depth), tile.pivot));
  return counts;
}

// Writes one thread's rows to their parts in `to`, which does not overlap `rows`. `next` says where the
// thread's share of each part begins.
template <class Keys, class Index>
WEFT_HOST_DEVICE void scatter_rows(const Keys& keys, const Index* rows, Index* to,
                                   const row_tile<Index>& tile, Index thread, Index threads,
                                   part_numbers<Index> next) {
  for (Index i = tile.first + thread; i < tile.last; i += threads) {
    const Index row = rows[i];
    to[next.take(part_of_symbol(keys.symbol(row, tile.depth), tile.pivot))] = row;
  }
}

// note_parts and scatter_noted do the same for at most 32 rows of a thread, and read each symbol only once:
// `parts` keeps two bits for each row.
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

// Counts how many rows of a tile belong to each part. `scratch` has block.threads entries, shared by the
// block.
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

// Writes the rows of a tile to their parts in `to`, which does not overlap `rows`. `offsets` says where the
// tile's share of each part begins.
template <class Block, class Keys, class Index>
WEFT_HOST_DEVICE void scatter_parts(const Block& block, const Keys& keys, const Index* rows, Index* to,
                                    const row_tile<Index>& tile, part_numbers<Index>* scratch,
                                    const part_numbers<Index>& offsets) {
  const auto threads = static_cast<Index>(block.threads);
  block.phase([&](int t) { scratch[t] = count_rows(keys, rows, tile, static_cast<Index>(t), threads); });
  block.phase([&](int t) {
    if (t != 0) return;
    part_numbers<Index> next = offsets;
    for (Index k = 0; k < threads; ++k) {
      const part_numbers<Index> mine = scratch[k];
      scratch[k] = next;
      next = {next.less + mine.less, next.equal + mine.equal, next.greater + mine.greater};
    }
  });
  block.phase([&](int t) { scatter_rows(keys, rows, to, tile, static_cast<Index>(t), threads, scratch[t]); });
}

} // namespace weft::bwt_detail
