// The parts of ternary quicksort that a GPU needs beside the two steps of published/ternary_partition.hpp:
// where tiles and parts go, the sort of small segments, and the ranks that bound the number of levels for
// repetitive texts.
//
// Small segments: each round takes the next word of each row that is still tied, and counts for each row how
// many rows of its group have a smaller word. One thread handles each row, all rows at once; the control flow
// does not depend on the text.
//
// Repeats: in a text with long repeats, each level advances by one symbol only, so there are n levels if all
// bytes are equal, and the comparison of two rows may take as long. From some level on, the "symbol" of a row
// at a depth is therefore the current rank of the row (row + depth), which is the index at which the group of
// rows tied with it begins. Different ranks have the order of the rows. Equal ranks say that the rows agree
// in `known` symbols, the smallest number of symbols in which the rows of any group agree, so the '=' part
// goes `known` symbols deeper. The two steps are unchanged. Each new computation of ranks multiplies `known`.
//
// Ties are stored as one bit for each row: bit p is set if row p, in order, is tied with row p - 1.
//
// Sources: as published/ternary_partition.hpp names; Larsson & Sadakane, Faster suffix sorting, 1999 (ranks).
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/published/ternary_partition.hpp>

namespace weft::bwt_detail {

inline constexpr int small_segment_rows = 32;

// A segment: rows [begin, end), in order, which agree in `depth` symbols.
template <class Index> struct row_segment {
  Index begin, end, depth;

  // Returns whether the segment is sorted. Rows that agree in `limit` symbols are equal.
  WEFT_HOST_DEVICE bool is_done(Index limit) const { return end - begin <= 1 || depth >= limit; }
};

// A segment that is being split: its pivot, and the first of the successive tiles into which it is cut.
template <class Index> struct open_segment {
  row_segment<Index> rows;
  Index pivot, first_tile;

  WEFT_HOST_DEVICE Index tiles(Index tile_rows) const {
    return (rows.end - rows.begin + tile_rows - 1) / tile_rows;
  }
  WEFT_HOST_DEVICE row_tile<Index> tile(Index number, Index tile_rows) const {
    const Index first = rows.begin + (number - first_tile) * tile_rows;
    return {first, rows.end - first < tile_rows ? rows.end : first + tile_rows, rows.depth, pivot};
  }
};

// Keys of rows that are their ranks, which are 1 or more. 1 <= known < size; row and depth are limited as in
// row_text.
template <class Index> struct rank_keys {
  const Index* ranks;
  Index size;
  bool cyclic;
  Index known;

  WEFT_HOST_DEVICE Index symbol(Index row, Index depth) const {
    const Index at = row + depth;
    if (at < size) return ranks[at];
    return cyclic ? ranks[at - size] : 0;
  }
  WEFT_HOST_DEVICE Index symbol_step() const { return known; }
  WEFT_HOST_DEVICE std::uint64_t word(Index row, Index depth) const { return symbol(row, depth); }
  WEFT_HOST_DEVICE Index word_step() const { return known; }
};

// Returns the median of the symbols of three rows.
template <class Keys, class Index>
WEFT_HOST_DEVICE Index choose_pivot(const Keys& keys, const Index* rows, const row_segment<Index>& of) {
  const Index a = keys.symbol(rows[of.begin], of.depth),
              b = keys.symbol(rows[of.begin + (of.end - of.begin) / 2], of.depth),
              c = keys.symbol(rows[of.end - 1], of.depth);
  const Index low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c < high ? c : high;
}

// Packs a tile's counts into one number, so that threads can add them up; no sum may reach 2^21.
template <class Index> WEFT_HOST_DEVICE std::uint64_t packed(const part_numbers<Index>& counts) {
  return std::uint64_t{counts.less} | std::uint64_t{counts.equal} << 21 | std::uint64_t{counts.greater} << 42;
}
template <class Index> WEFT_HOST_DEVICE part_numbers<Index> unpacked(std::uint64_t counts) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << 21) - 1;
  return {static_cast<Index>(counts & mask), static_cast<Index>(counts >> 21 & mask),
          static_cast<Index>(counts >> 42)};
}

template <class Index>
WEFT_HOST_DEVICE part_numbers<Index> sum(const part_numbers<Index>& a, const part_numbers<Index>& b) {
  return {a.less + b.less, a.equal + b.equal, a.greater + b.greater};
}
template <class Index>
WEFT_HOST_DEVICE part_numbers<Index> difference(const part_numbers<Index>& a, const part_numbers<Index>& b) {
  return {a.less - b.less, a.equal - b.equal, a.greater - b.greater};
}

// Returns where the rows of a tile go. `sizes` are the sizes of the segment's parts, and `before` the counts
// of the segment's earlier tiles.
template <class Index>
WEFT_HOST_DEVICE part_numbers<Index> part_offsets(Index begin, const part_numbers<Index>& sizes,
                                                  const part_numbers<Index>& before) {
  return sum({begin, begin + sizes.less, begin + sizes.less + sizes.equal}, before);
}

// Returns a part of a split segment: which = 0 is '<', 1 is '=', which is `step` symbols deeper, and 2 is
// '>'.
template <class Index>
WEFT_HOST_DEVICE row_segment<Index> part_of(const row_segment<Index>& segment,
                                            const part_numbers<Index>& sizes, int which, Index step) {
  const Index equal = segment.begin + sizes.less, greater = equal + sizes.equal;
  if (which == 0) return {segment.begin, equal, segment.depth};
  if (which == 1) return {equal, greater, segment.depth + step};
  return {greater, segment.end, segment.depth};
}

// Returns whether a row is tied with the row before it. There are n / 32 + 2 words of bits; bits from n on
// are 0.
WEFT_HOST_DEVICE inline bool is_tied(const std::uint32_t* tied, std::uint64_t row) {
  return (tied[row / 32] >> (row % 32) & 1) != 0;
}
template <class Index> WEFT_HOST_DEVICE Index first_of_tied(const std::uint32_t* tied, Index row) {
  while (is_tied(tied, row)) --row;
  return row;
}
template <class Index> WEFT_HOST_DEVICE Index end_of_tied(const std::uint32_t* tied, Index row) {
  do ++row;
  while (is_tied(tied, row));
  return row;
}
// Returns which of the rows 32 * word .. 32 * word + 31 begin a group of tied rows: the next row is tied with
// them, and they are not tied with the row before.
WEFT_HOST_DEVICE inline std::uint32_t heads_of_tied(const std::uint32_t* tied, std::uint64_t word) {
  return ~tied[word] & (tied[word] >> 1 | tied[word + 1] << 31);
}

template <class Index> struct small_segment_scratch {
  std::uint64_t words[small_segment_rows];
  Index rows[small_segment_rows];
  std::uint8_t ranks[small_segment_rows], next[small_segment_rows]; // how many rows are less than the row
  bool tied[small_segment_rows], open;
};

// Sorts the rows of a small segment, which agree in `depth` symbols, in at most `rounds` rounds; `from` and
// `to` may be the same. Calls mark(p, depth) for each row p, in order, that is then still tied with the row
// before it: the two rows agree in `depth` symbols, which is less than the limit.
template <class Block, class Keys, class Index, class Mark>
WEFT_HOST_DEVICE void sort_small_segment(const Block& block, const Keys& keys, const Index* from, Index* to,
                                         const row_segment<Index>& segment, Index limit, int rounds,
                                         small_segment_scratch<Index>* scratch, const Mark& mark) {
  const int count = static_cast<int>(segment.end - segment.begin), threads = block.threads;
  block.phase([&](int t) {
    for (int i = t; i < count; i += threads) {
      scratch->rows[i] = from[segment.begin + static_cast<Index>(i)];
      scratch->ranks[i] = 0;
      scratch->tied[i] = true;
    }
    if (t == 0) scratch->open = true;
  });
  Index depth = segment.depth;
  for (int round = 0; round < rounds && depth < limit && scratch->open; ++round) {
    block.phase([&](int t) {
      for (int i = t; i < count; i += threads)
        if (scratch->tied[i]) scratch->words[i] = keys.word(scratch->rows[i], depth);
    });
    block.phase([&](int t) {
      for (int i = t; i < count; i += threads) {
        int less = 0, same = 0;
        for (int k = 0; k < count; ++k) {
          if (scratch->ranks[k] != scratch->ranks[i]) continue;
          less += scratch->words[k] < scratch->words[i] ? 1 : 0;
          same += scratch->words[k] == scratch->words[i] ? 1 : 0;
        }
        scratch->next[i] = static_cast<std::uint8_t>(scratch->ranks[i] + less);
        scratch->tied[i] = same > 1;
      }
    });
    block.phase([&](int t) {
      for (int i = t; i < count; i += threads) scratch->ranks[i] = scratch->next[i];
      if (t != 0) return;
      scratch->open = false;
      for (int i = 0; i < count; ++i) scratch->open |= scratch->tied[i];
    });
    depth += keys.word_step();
  }
  block.phase([&](int t) {
    for (int i = t; i < count; i += threads) {
      int before = 0;
      for (int k = 0; k < i; ++k) before += scratch->ranks[k] == scratch->ranks[i] ? 1 : 0;
      const Index position = segment.begin + static_cast<Index>(scratch->ranks[i] + before);
      to[position] = scratch->rows[i];
      if (before > 0 && depth < limit) mark(position, depth);
    }
  });
}

} // namespace weft::bwt_detail
