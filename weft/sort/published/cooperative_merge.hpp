// The merge step of the sample-merge sort (Kozawa, Amagasa & Kitagawa, section 3.2). It sorts all buckets at
// the same time:
//
//   sort_tile, a block a tile             sorts each tile of each bucket
//   merge_tile, a block a tile            merges the sorted runs of `width` items of each bucket pair by
//   pair;
//                                         width starts at the tile size and doubles while it is less than the
//                                         largest bucket
//
// A bucket is cut into tiles from its start; its last tile may be short. In every pass a block produces one
// tile of the output: it finds the bucket and the pair of runs that its tile belongs to, and, by Merge Path,
// the part of each run that it needs. All blocks therefore do equal work, however much the bucket sizes
// differ. A run without a partner is copied. The last pass writes each bucket to its position in the result,
// where buckets are packed.
// Departure from the paper: no data about tiles is kept between passes; each block searches the table of
// buckets (log k steps) and the runs (log width steps) itself.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/sort/core/insertion_sort.hpp>
#include <weft/sort/core/merge_path.hpp>
#include <weft/sort/published/block_primitives.hpp>
#include <weft/sort/published/sample_partition.hpp>

namespace weft::sort_detail {

// Items [begin, end) of a bucket of `bucket_size` items: the tile that one block works on.
template <class Index> struct merge_job {
  std::uint32_t bucket;
  Index begin, end, bucket_size;
};

// Returns the items of merge tile `tile`, which must be less than table.first_tile[num_buckets].
template <class Index>
WEFT_HOST_DEVICE merge_job<Index> find_merge_job(const bucket_table<Index>& table, std::uint32_t tile_size,
                                                 Index tile) {
  std::uint32_t low = 0, high = table.num_buckets; // first_tile[low] <= tile < first_tile[high]
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (table.first_tile[middle] <= tile)
      low = middle;
    else
      high = middle;
  }
  const Index size = table.size(low), begin = (tile - table.first_tile[low]) * tile_size;
  return {low, begin, size - begin < tile_size ? size : begin + tile_size, size};
}

// Returns the number of merge_tile passes needed after sort_tile: the smallest p with tile_size * 2^p >= the
// size of the largest bucket.
template <class Index> WEFT_HOST_DEVICE int num_merge_passes(const bucket_table<Index>& table) {
  Index max_tiles = 1;
  for (std::uint32_t b = 0; b < table.num_buckets; ++b) {
    const Index tiles = table.first_tile[b + 1] - table.first_tile[b];
    if (tiles > max_tiles) max_tiles = tiles;
  }
  int passes = 0;
  for (Index tiles = 1; tiles < max_tiles; ++passes) tiles += tiles;
  return passes;
}

// Memory that a pass reads or writes. Bucket b begins at start[b] if `packed`, and at aligned_start[b]
// otherwise.
template <class T> struct bucket_space {
  T* items;
  bool packed;

  template <class Index> WEFT_HOST_DEVICE T* bucket(const bucket_table<Index>& table, std::uint32_t b) const {
    return items + (packed ? table.start[b] : table.aligned_start[b]);
  }
};

// Shared memory of sort_tile and merge_tile.
template <class T, class Index> struct merge_workspace {
  T *items, *other; // tile_size items each
  Index* splits;    // 2 elements
};

// Number of items that one thread sorts by insertion before the block merges the sorted runs.
inline constexpr std::uint32_t insertion_run_size = 16;

// Merges runs of `width` items pair by pair. Writes thread t's share of the output, one of `threads` equal
// shares.
template <class T, class Less>
WEFT_HOST_DEVICE void merge_thread_share(int t, int threads, const T* from, T* to, std::uint32_t n,
                                         std::uint32_t width, Less& less) {
  const std::uint32_t last = share_begin(n, t + 1, threads);
  for (std::uint32_t first = share_begin(n, t, threads); first < last;) {
    const std::uint32_t begin = first / (2 * width) * (2 * width);
    const std::uint32_t a_size = n - begin < width ? n - begin : width;
    const std::uint32_t b_size = n - begin - a_size < width ? n - begin - a_size : width;
    const std::uint32_t end = begin + a_size + b_size < last ? begin + a_size + b_size : last;
    merge_slice(from + begin, a_size, from + begin + a_size, b_size, first - begin, end - begin, to + first,
                less);
    first = end;
  }
}

// Sorts tile `tile` of `from` and writes it to the same tile of `to`, which may be the same memory. Stable.
template <class Block, class T, class Index, class Less>
WEFT_HOST_DEVICE void sort_tile(const Block& block, Index tile, const bucket_table<Index>& table,
                                std::uint32_t tile_size, const merge_workspace<T, Index>& shared,
                                bucket_space<T> from, bucket_space<T> to, bool aligned_writes, Less& less) {
  const merge_job<Index> job = find_merge_job(table, tile_size, tile);
  const std::uint32_t n = static_cast<std::uint32_t>(job.end - job.begin);
  const T* input = from.bucket(table, job.bucket) + job.begin;
  T *items = shared.items, *other = shared.other;
  for_each_strided(block, n, [&](std::uint32_t i) { items[i] = input[i]; });
  for_each_strided(block, (n + insertion_run_size - 1) / insertion_run_size, [&](std::uint32_t run) {
    const std::uint32_t begin = run * insertion_run_size;
    sort_by_insertion(items + begin, n - begin < insertion_run_size ? n - begin : insertion_run_size, less);
  });
  for (std::uint32_t width = insertion_run_size; width < n; width *= 2) {
    block.phase([&](int t) { merge_thread_share(t, block.threads, items, other, n, width, less); });
    exchange(items, other);
  }
  write_run(block, items, to.bucket(table, job.bucket) + job.begin, n, aligned_writes);
}

// Produces tile `tile` of the output of a pass, which merges runs of `width` items (tile_size * 2^pass) pair
// by pair. Stable. `from` and `to` must not overlap.
template <class Block, class T, class Index, class Less>
WEFT_HOST_DEVICE void merge_tile(const Block& block, Index tile, const bucket_table<Index>& table,
                                 std::uint32_t tile_size, Index width,
                                 const merge_workspace<T, Index>& shared, bucket_space<T> from,
                                 bucket_space<T> to, bool aligned_writes, Less& less) {
  const merge_job<Index> job = find_merge_job(table, tile_size, tile);
  const std::uint32_t n = static_cast<std::uint32_t>(job.end - job.begin);
  const Index run = job.begin / width, pair = (run - run % 2) * width, left = job.bucket_size - pair;
  const Index a_size = left < width ? left : width;
  const Index b_size = left - a_size < width ? left - a_size : width;
  const T *a = from.bucket(table, job.bucket) + pair, *b = a + a_size;
  T* output = to.bucket(table, job.bucket) + job.begin;
  const Index diagonal = job.begin - pair;
  if (b_size == 0) return write_run(block, a + diagonal, output, n, aligned_writes);

  for_each_strided(block, 2U, [&](std::uint32_t i) {
    shared.splits[i] = merge_path(a, a_size, b, b_size, static_cast<Index>(diagonal + i * n), less);
  });
  const Index a_begin = shared.splits[0], b_begin = diagonal - a_begin;
  // With a strict weak order, a_end is within this range already. Otherwise these bounds keep all reads
  // within the runs.
  Index a_end = shared.splits[1];
  if (a_end < a_begin) a_end = a_begin;
  if (a_end > a_begin + n) a_end = a_begin + n;
  const std::uint32_t a_part = static_cast<std::uint32_t>(a_end - a_begin), b_part = n - a_part;
  for_each_strided(block, n, [&](std::uint32_t i) {
    shared.items[i] = i < a_part ? a[a_begin + i] : b[b_begin + (i - a_part)];
  });
  block.phase([&](int t) {
    const std::uint32_t first = share_begin(n, t, block.threads);
    merge_slice(shared.items, a_part, shared.items + a_part, b_part, first,
                share_begin(n, t + 1, block.threads), shared.other + first, less);
  });
  write_run(block, shared.other, output, n, aligned_writes);
}

} // namespace weft::sort_detail
