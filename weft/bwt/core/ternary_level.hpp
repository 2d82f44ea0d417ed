// What a GPU needs of ternary quicksort beside the two steps of core/ternary_partition.hpp: where tiles and
// parts go, segments of few rows, and what ends the sort of texts that repeat themselves.
//
// Few rows: each round looks at a word of what comes next in the rows that are still tied, and counts for
// each how many of its group are less. All rows at once, a thread each; no text makes it take another path.
//
// Repeats: a text that holds long words twice takes a level a symbol, n levels if all its bytes are equal,
// and comparing two rows may take as long. From some level on the symbol of a row at a depth is therefore the
// rank that the row there (row + depth) has reached: the place where its group of tied rows begins. Different
// ranks are in the order of the rows, and equal ranks say that the rows agree in `known` symbols, the fewest
// that any group agrees in; so '=' goes `known` symbols deeper, by the very same two steps. Each time that
// ranks are taken anew `known` has multiplied.
//
// Tied rows are kept as a bit each: row p in order is tied with row p - 1.
//
// Sources: as core/ternary_partition.hpp names; Larsson & Sadakane, Faster suffix sorting, 1999 (ranks).
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/ternary_partition.hpp>

namespace weft::bwt_core {

inline constexpr int few_rows = 32;

// Rows [begin, end) in order agree in `depth` symbols.
template <class Index> struct row_segment {
  Index begin, end, depth;

  // limit: rows that agree in so many symbols are equal.
  WEFT_HOST_DEVICE bool is_done(Index limit) const { return end - begin <= 1 || depth >= limit; }
};

// A segment under way: its pivot, and the first of the tiles it is cut into, which are in a row.
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

// Keys of rows by their ranks, which are 1 and more. 1 <= known < size; row and depth as in row_text.
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

// Median of the symbols of three rows.
template <class Keys, class Index>
WEFT_HOST_DEVICE Index choose_pivot(const Keys& keys, const Index* rows, const row_segment<Index>& of) {
  const Index a = keys.symbol(rows[of.begin], of.depth),
              b = keys.symbol(rows[of.begin + (of.end - of.begin) / 2], of.depth),
              c = keys.symbol(rows[of.end - 1], of.depth);
  const Index low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c < high ? c : high;
}

// A tile's counts as one number, to be added up over threads; no sum reaches 2^21.
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

// Where a tile's rows go: `sizes` are the segment's parts, `before` what its tiles before this one have.
template <class Index>
WEFT_HOST_DEVICE part_numbers<Index> places_of(Index begin, const part_numbers<Index>& sizes,
                                               const part_numbers<Index>& before) {
  return sum({begin, begin + sizes.less, begin + sizes.less + sizes.equal}, before);
}

// 0: '<', 1: '=', `step` symbols deeper, 2: '>'.
template <class Index>
WEFT_HOST_DEVICE row_segment<Index> part_of(const row_segment<Index>& segment,
                                            const part_numbers<Index>& sizes, int which, Index step) {
  const Index equal = segment.begin + sizes.less, greater = equal + sizes.equal;
  if (which == 0) return {segment.begin, equal, segment.depth};
  if (which == 1) return {equal, greater, segment.depth + step};
  return {greater, segment.end, segment.depth};
}

// Bits of tied rows: n / 32 + 2 words, those from n on 0.
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
// Of the rows 32 * word .. 32 * word + 31, those that others are tied with, and that are tied with none
// before.
WEFT_HOST_DEVICE inline std::uint32_t heads_of_tied(const std::uint32_t* tied, std::uint64_t word) {
  return ~tied[word] & (tied[word] >> 1 | tied[word + 1] << 31);
}

template <class Index> struct few_scratch {
  std::uint64_t words[few_rows];
  Index rows[few_rows];
  std::uint8_t places[few_rows], next[few_rows]; // how many rows are less
  bool tied[few_rows], open;
};

// Sorts the few rows of a segment, which agree in `depth` symbols, in so many rounds at most; from and to
// may be the same. mark(p, depth) for each row p in order that is then still tied with the one before it:
// they agree in `depth` symbols, less than the limit.
template <class Block, class Keys, class Index, class Mark>
WEFT_HOST_DEVICE void sort_few(const Block& block, const Keys& keys, const Index* from, Index* to,
                               const row_segment<Index>& segment, Index limit, int rounds,
                               few_scratch<Index>* scratch, const Mark& mark) {
  const int count = static_cast<int>(segment.end - segment.begin), threads = block.threads;
  block.phase([&](int t) {
    for (int i = t; i < count; i += threads) {
      scratch->rows[i] = from[segment.begin + static_cast<Index>(i)];
      scratch->places[i] = 0;
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
          if (scratch->places[k] != scratch->places[i]) continue;
          less += scratch->words[k] < scratch->words[i] ? 1 : 0;
          same += scratch->words[k] == scratch->words[i] ? 1 : 0;
        }
        scratch->next[i] = static_cast<std::uint8_t>(scratch->places[i] + less);
        scratch->tied[i] = same > 1;
      }
    });
    block.phase([&](int t) {
      for (int i = t; i < count; i += threads) scratch->places[i] = scratch->next[i];
      if (t != 0) return;
      scratch->open = false;
      for (int i = 0; i < count; ++i) scratch->open |= scratch->tied[i];
    });
    depth += keys.word_step();
  }
  block.phase([&](int t) {
    for (int i = t; i < count; i += threads) {
      int before = 0;
      for (int k = 0; k < i; ++k) before += scratch->places[k] == scratch->places[i] ? 1 : 0;
      const Index place = segment.begin + static_cast<Index>(scratch->places[i] + before);
      to[place] = scratch->rows[i];
      if (before > 0 && depth < limit) mark(place, depth);
    }
  });
}

} // namespace weft::bwt_core
