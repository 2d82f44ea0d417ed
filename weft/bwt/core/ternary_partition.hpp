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
  WEFT_HOST_DEVICE int symbol(Index row, Index depth) const {
    const Index at = row + depth;
    if (at < size) return bytes[at] + 1;
    return cyclic ? bytes[at - size] + 1 : 0;
  }
};

// Sizes of the three parts, or places to write them to.
template <class Index> struct part_numbers {
  Index less, equal, greater;

  WEFT_HOST_DEVICE Index& of(int symbol, int pivot) {
    return symbol < pivot ? less : symbol == pivot ? equal : greater;
  }
};

// rows [first, last) are the tile. Scratch: block.threads entries, shared by the block.
template <class Block, class Index>
WEFT_HOST_DEVICE void count_parts(const Block& block, const row_text<Index>& text, const Index* rows,
                                  Index first, Index last, Index depth, int pivot,
                                  part_numbers<Index>* scratch, part_numbers<Index>* counts) {
  const auto threads = static_cast<Index>(block.threads);
  block.phase([&](int t) {
    part_numbers<Index> mine{0, 0, 0};
    for (Index i = first + static_cast<Index>(t); i < last; i += threads)
      ++mine.of(text.symbol(rows[i], depth), pivot);
    scratch[t] = mine;
  });
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
template <class Block, class Index>
WEFT_HOST_DEVICE void scatter_parts(const Block& block, const row_text<Index>& text, const Index* rows,
                                    Index* to, Index first, Index last, Index depth, int pivot,
                                    part_numbers<Index>* scratch, const part_numbers<Index>& places) {
  const auto threads = static_cast<Index>(block.threads);
  block.phase([&](int t) {
    part_numbers<Index> mine{0, 0, 0};
    for (Index i = first + static_cast<Index>(t); i < last; i += threads)
      ++mine.of(text.symbol(rows[i], depth), pivot);
    scratch[t] = mine;
  });
  block.phase([&](int t) {
    if (t != 0) return;
    part_numbers<Index> next = places;
    for (Index k = 0; k < threads; ++k) {
      const part_numbers<Index> mine = scratch[k];
      scratch[k] = next;
      next = {next.less + mine.less, next.equal + mine.equal, next.greater + mine.greater};
    }
  });
  block.phase([&](int t) {
    part_numbers<Index> next = scratch[t];
    for (Index i = first + static_cast<Index>(t); i < last; i += threads)
      to[next.of(text.symbol(rows[i], depth), pivot)++] = rows[i];
  });
}

} // namespace weft::bwt_core
