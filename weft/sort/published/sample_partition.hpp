// The partition step of the sample-merge sort: Kozawa, Amagasa & Kitagawa, An Efficient Sorting Algorithm on
// GPUs via Data Partitioning and Cooperative Merge, section 3.1. It moves every item to its bucket:
//
//   choose_splitters, 1 block             sorts a sample S of alpha k items; the splitters are S[alpha],
//                                         S[2 alpha], ...
//   count_buckets, a block a tile         c[i][j] = number of items of tile j that belong to bucket i
//   (the caller)                          s = exclusive prefix sum of c, row by row
//   transpose, a block a square           transposes s, so that the column that tile j needs is contiguous
//   lay_out_buckets, 1 block              bucket i begins at s[i][0], moved up to a multiple of 128 bytes
//   relocate, a block a tile              moves an item of bucket i in tile j to s[i][j] + its number in (i,
//   j)
//
// Index is an unsigned type that can hold 2 num_items + num_buckets * (tile_size + 128) and num_buckets *
// tiles. Each body runs in one block. "Shared" pointers point to memory that belongs to the block. The order
// in which threads increment a counter determines the number of an item in (i, j): only this step makes the
// sort unstable on a device. (A block of one thread keeps the order.)
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/base/mixed.hpp>
#include <weft/sort/core/splitter_tree.hpp>
#include <weft/sort/published/block_primitives.hpp>

namespace weft::sort_detail {

inline constexpr std::uint32_t max_sample_buckets = 1U << 16;
inline constexpr std::uint32_t max_tile_items = 1U << 20;

// An array of items that is cut into tiles. The last tile may be short.
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

// The sums s of the partition. s[i][j] is the position of the first item of tile j in bucket i, if buckets
// are packed.
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

// The positions of the buckets. Bucket i begins at start[i] in the result, and at aligned_start[i] in the
// buffers. Its merge tiles are first_tile[i] .. first_tile[i + 1] - 1. Each array has num_buckets + 1
// elements.
template <class Index> struct bucket_table {
  Index *start, *aligned_start, *first_tile;
  std::uint32_t num_buckets;

  WEFT_HOST_DEVICE Index size(std::uint32_t bucket) const { return start[bucket + 1] - start[bucket]; }
};

// Samples the items and stores the splitters as a search tree in tree[1 .. num_buckets-1]; tree[0] is not
// set. `samples` is shared memory for oversampling * num_buckets items. num_items must be positive.
template <class Block, class T, class Index, class Less>
WEFT_HOST_DEVICE void choose_splitters(const Block& block, const T* items, Index num_items,
                                       std::uint32_t num_buckets, std::uint32_t oversampling,
                                       std::uint64_t seed, T* samples, T* tree, Less& less) {
  const std::uint32_t num_samples = oversampling * num_buckets;
  for_each_strided(block, num_samples, [&](std::uint32_t i) {
    samples[i] = items[static_cast<Index>(base_detail::mixed(base_detail::mixed(seed) ^ i) % num_items)];
  });
  bitonic_sort(block, samples, num_samples, less);
  for_each_strided(block, num_buckets, [&](std::uint32_t node) {
    if (node > 0) tree[node] = samples[splitter_of_node(node, num_buckets) * oversampling];
  });
}

// Counts how many items of a tile belong to each bucket, and writes the numbers to column `tile` of `counts`,
// which has num_buckets rows of num_tiles elements. `shared` has num_buckets elements.
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

inline constexpr std::uint32_t square_size = 32; // rows, and columns, of a square of transpose

// Copies one square of a matrix to its position in the transposed matrix. Squares are counted row by row.
// `shared` has square_size * (square_size + 1) elements; each row has one unused element so that the elements
// of a column lie in different memory banks.
template <class Block, class Index>
WEFT_HOST_DEVICE void transpose(const Block& block, Index square, const Index* from, Index rows,
                                Index columns, Index* to, Index* shared) {
  const Index squares_a_row = (columns + square_size - 1) / square_size;
  const Index top = square / squares_a_row * square_size, left = square % squares_a_row * square_size;
  constexpr std::uint32_t square_items = square_size * square_size;
  for_each_strided(block, square_items, [&](std::uint32_t i) {
    const std::uint32_t row = i / square_size, column = i % square_size;
    if (top + row < rows && left + column < columns)
      shared[row * (square_size + 1) + column] = from[(top + row) * columns + left + column];
  });
  for_each_strided(block, square_items, [&](std::uint32_t i) {
    const std::uint32_t column = i / square_size, row = i % square_size;
    if (top + row < rows && left + column < columns)
      to[(left + column) * rows + top + row] = shared[row * (square_size + 1) + column];
  });
}

// Fills the table. Buckets in the buffers begin at multiples of `alignment` items (1: they are packed).
template <class Block, class Index>
WEFT_HOST_DEVICE void lay_out_buckets(const Block& block, const bucket_offsets<Index>& offsets,
                                      std::uint32_t tile_size, std::uint32_t alignment,
                                      const bucket_table<Index>& table) {
  for_each_strided(block, table.num_buckets + 1,
                   [&](std::uint32_t b) { table.start[b] = offsets(b, Index{0}); });
  block.phase([&](int t) {
    if (t != 0) return;
    Index position = 0, tile = 0;
    for (std::uint32_t b = 0; b < table.num_buckets; ++b) {
      table.aligned_start[b] = position;
      table.first_tile[b] = tile;
      position = (position + table.size(b) + alignment - 1) / alignment * alignment;
      tile += (table.size(b) + tile_size - 1) / tile_size;
    }
    table.aligned_start[table.num_buckets] = position;
    table.first_tile[table.num_buckets] = tile;
  });
}

// Shared memory of relocate.
template <class T, class Index> struct relocation_workspace {
  T* items;               // tile_size elements
  std::uint16_t* buckets; // tile_size elements
  std::uint32_t *counts, *scratch;
  Index* shifts; // num_buckets elements, as counts and scratch
};

// Moves the items of a tile to their buckets in `to`. First groups them by bucket in shared memory, then
// writes them out in runs. The number of the items of a bucket is the difference between the offsets of the
// next tile and this one.
template <class Block, class T, class Index, class Add, class Less>
WEFT_HOST_DEVICE void relocate(const Block& block, Index tile, const tiled_items<T, Index>& input,
                               const T* tree, const bucket_offsets<Index>& offsets,
                               const bucket_table<Index>& table, const relocation_workspace<T, Index>& shared,
                               T* to, Add add, Less& less) {
  const T* items = input.tile(tile);
  const std::uint32_t n = input.size(tile), num_buckets = table.num_buckets;
  for_each_strided(block, num_buckets, [&](std::uint32_t b) {
    const Index begin = offsets(b, tile);
    shared.counts[b] = static_cast<std::uint32_t>(offsets(b, tile + 1) - begin);
    shared.shifts[b] = table.aligned_start[b] + (begin - table.start[b]);
  });
  std::uint32_t* next = block_prefix_sum(block, shared.counts, shared.scratch, num_buckets);
  // The shifts may wrap around; adding i to them below wraps them back.
  for_each_strided(block, num_buckets, [&](std::uint32_t b) { shared.shifts[b] -= next[b]; });
  for_each_strided(block, n, [&](std::uint32_t i) {
    const std::uint32_t bucket = find_bucket(tree, num_buckets, items[i], less);
    const std::uint32_t position = add(&next[bucket], 1U);
    shared.items[position] = items[i];
    shared.buckets[position] = static_cast<std::uint16_t>(bucket);
  });
  for_each_strided(block, n, [&](std::uint32_t i) {
    to[static_cast<Index>(shared.shifts[shared.buckets[i]] + i)] = shared.items[i];
  });
}

} // namespace weft::sort_detail
