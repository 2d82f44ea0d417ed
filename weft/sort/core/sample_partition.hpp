// The partition of the sample-merge sort: Kozawa, Amagasa & Kitagawa, An Efficient Sorting Algorithm on GPUs
// via Data Partitioning and Cooperative Merge, section 3.1.
//
//   choose_splitters, 1 block             S = sorted sample of alpha k items; S[alpha], S[2 alpha], ... split
//   count_buckets, a block a tile         c[i][j] = how many items of tile j belong to bucket i
//   (the caller)                          s = exclusive prefix sum of c, row by row
//   transpose, a block a square           so that what tile j needs of s, a column, stands together
//   place_buckets, 1 block                buckets begin at s[i][0], moved up to a multiple of 128 bytes
//   relocate, a block a tile              an item of bucket i in tile j: to s[i][j] + its number in (i, j)
//
// Index is an unsigned type that holds 2 num_items + num_buckets * (tile_size + 128) and num_buckets * tiles.
// Each body runs in one block. "Shared" pointers are memory of the block's own. The number of an item in
// (i, j) is the order in which threads add to a counter: here, and only here, the sort is not stable on a
// device. (A block of one thread keeps the order.)
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/base/mixed.hpp>
#include <weft/sort/core/block_primitives.hpp>
#include <weft/sort/core/splitter_tree.hpp>

namespace weft::detail {

inline constexpr std::uint32_t max_buckets = 1U << 16;
inline constexpr std::uint32_t max_tile_items = 1U << 20;

template <class T, class Index> struct tiled_items {
  const T* items;
  Index num_items;
  std::uint32_t tile_size;

  WEFT_HOST_DEVICE Index num_tiles() const { return (num_items + tile_size - 1) / tile_size; }
  WEFT_HOST_DEVICE const T* tile(Index j) const { return items + j * tile_size; }
  WEFT_HOST_DEVICE std::uint32_t size(Index j) const {
    const Index left = num_items - j * tile_size;
    return left < tile_size ? static_cast<std::uint32_t>(left) : tile_size;
  }
};

// s[i][j]: how many items stand before those of tile j in bucket i, buckets packed.
template <class Index> struct bucket_offsets {
  const Index* sums; // num_buckets rows of num_tiles; if transposed, num_tiles rows of num_buckets
  std::uint32_t num_buckets;
  Index num_tiles, num_items;
  bool transposed;

  WEFT_HOST_DEVICE Index operator()(std::uint32_t bucket, Index tile) const {
    if (tile == num_tiles) {
      ++bucket;
      tile = 0;
    }
    if (bucket == num_buckets || num_items == 0) return num_items;
    return transposed ? sums[tile * num_buckets + bucket] : sums[bucket * num_tiles + tile];
  }
};

// Where buckets stand: in the result from start[i] on, in the buffers from aligned_start[i] on. The merge
// tiles of bucket i are first_tile[i] .. first_tile[i + 1] - 1. Each array has num_buckets + 1 places.
template <class Index> struct bucket_table {
  Index *start, *aligned_start, *first_tile;
  std::uint32_t num_buckets;

  WEFT_HOST_DEVICE Index size(std::uint32_t bucket) const { return start[bucket + 1] - start[bucket]; }
};

// tree[0 .. num_buckets-1] (tree[0] is not set); samples: shared, oversampling * num_buckets places.
// num_items > 0.
template <class Block, class T, class Index, class Less>
WEFT_HOST_DEVICE void choose_splitters(const Block& block, const T* items, Index num_items,
                                       std::uint32_t num_buckets, std::uint32_t oversampling,
                                       std::uint64_t seed, T* samples, T* tree, Less& less) {
  const std::uint32_t num_samples = oversampling * num_buckets;
  for_each_strided(block, num_samples, [&](std::uint32_t i) {
    samples[i] = items[static_cast<Index>(mixed(mixed(seed) ^ i) % num_items)];
  });
  bitonic_sort(block, samples, num_samples, less);
  for_each_strided(block, num_buckets, [&](std::uint32_t node) {
    if (node > 0) tree[node] = samples[splitter_of_node(node, num_buckets) * oversampling];
  });
}

// Column `tile` of the counts, num_buckets rows of num_tiles; shared: num_buckets places.
template <class Block, class T, class Index, class Add, class Less>
WEFT_HOST_DEVICE void count_buckets(const Block& block, Index tile, const tiled_items<T, Index>& input,
                                    const T* tree, std::uint32_t num_buckets, std::uint32_t* shared,
                                    Index* counts, Add add, Less& less) {
  const T* items = input.tile(tile);
  const Index num_tiles = input.num_tiles();
  for_each_strided(block, num_buckets, [&](std::uint32_t b) { shared[b] = 0; });
  for_each_strided(block, input.size(tile), [&](std::uint32_t i) {
    add(&shared[find_bucket(tree, num_buckets, items[i], less)], 1U);
  });
  for_each_strided(block, num_buckets, [&](std::uint32_t b) { counts[b * num_tiles + tile] = shared[b]; });
}

inline constexpr std::uint32_t square_size = 32; // of transpose

// Square `square` (counted row by row) of a matrix into its place in the transposed matrix. shared:
// square_size * (square_size + 1) places; a row has one to spare so that columns lie in different banks.
template <class Block, class Index>
WEFT_HOST_DEVICE void transpose(const Block& block, Index square, const Index* from, Index rows,
                                Index columns, Index* to, Index* shared) {
  const Index squares_a_row = (columns + square_size - 1) / square_size;
  const Index top = square / squares_a_row * square_size, left = square % squares_a_row * square_size;
  constexpr std::uint32_t places = square_size * square_size;
  for_each_strided(block, places, [&](std::uint32_t i) {
    const std::uint32_t row = i / square_size, column = i % square_size;
    if (top + row < rows && left + column < columns)
      shared[row * (square_size + 1) + column] = from[(top + row) * columns + left + column];
  });
  for_each_strided(block, places, [&](std::uint32_t i) {
    const std::uint32_t column = i / square_size, row = i % square_size;
    if (top + row < rows && left + column < columns)
      to[(left + column) * rows + top + row] = shared[row * (square_size + 1) + column];
  });
}

// Fills the table. Buckets in the buffers begin at multiples of `alignment` items (1: packed).
template <class Block, class Index>
WEFT_HOST_DEVICE void place_buckets(const Block& block, const bucket_offsets<Index>& offsets,
                                    std::uint32_t tile_size, std::uint32_t alignment,
                                    const bucket_table<Index>& table) {
  for_each_strided(block, table.num_buckets + 1,
                   [&](std::uint32_t b) { table.start[b] = offsets(b, Index{0}); });
  block.phase([&](int t) {
    if (t != 0) return;
    Index place = 0, tile = 0;
    for (std::uint32_t b = 0; b < table.num_buckets; ++b) {
      table.aligned_start[b] = place;
      table.first_tile[b] = tile;
      place = (place + table.size(b) + alignment - 1) / alignment * alignment;
      tile += (table.size(b) + tile_size - 1) / tile_size;
    }
    table.aligned_start[table.num_buckets] = place;
    table.first_tile[table.num_buckets] = tile;
  });
}

// Shared memory of relocate.
template <class T, class Index> struct relocation_memory {
  T* items;               // tile_size
  std::uint16_t* buckets; // tile_size
  std::uint32_t *counts, *scratch;
  Index* shifts; // num_buckets, as counts and scratch
};

// Moves the items of a tile to their buckets in `to`: first into the order of buckets in shared memory, then
// out in runs. How many there are of each bucket is the difference of neighbouring offsets.
template <class Block, class T, class Index, class Add, class Less>
WEFT_HOST_DEVICE void relocate(const Block& block, Index tile, const tiled_items<T, Index>& input,
                               const T* tree, const bucket_offsets<Index>& offsets,
                               const bucket_table<Index>& table, const relocation_memory<T, Index>& shared,
                               T* to, Add add, Less& less) {
  const T* items = input.tile(tile);
  const std::uint32_t n = input.size(tile), num_buckets = table.num_buckets;
  for_each_strided(block, num_buckets, [&](std::uint32_t b) {
    const Index begin = offsets(b, tile);
    shared.counts[b] = static_cast<std::uint32_t>(offsets(b, tile + 1) - begin);
    shared.shifts[b] = table.aligned_start[b] + (begin - table.start[b]);
  });
  std::uint32_t* next = block_prefix_sum(block, shared.counts, shared.scratch, num_buckets);
  for_each_strided(block, num_buckets, [&](std::uint32_t b) { shared.shifts[b] -= next[b]; }); // may wrap
  for_each_strided(block, n, [&](std::uint32_t i) {
    const std::uint32_t bucket = find_bucket(tree, num_buckets, items[i], less);
    const std::uint32_t place = add(&next[bucket], 1U);
    shared.items[place] = items[i];
    shared.buckets[place] = static_cast<std::uint16_t>(bucket);
  });
  for_each_strided(block, n, [&](std::uint32_t i) {
    to[static_cast<Index>(shared.shifts[shared.buckets[i]] + i)] = shared.items[i];
  });
}

} // namespace weft::detail
