// The kernels of the merge of the sample-merge sort: what core/cooperative_merge.hpp says.
//
//   sort_tiles_kernel, a block a tile     then for each pass:
//   split_kernel, two lanes a tile        where the tile's part of each run begins and ends (Merge Path)
//   merge_kernel, a block a tile
//
// Departures: tiles of the sort and of the merge may differ in size; that of the merge divides two of the
// sort's, so that no tile reaches into two pairs of runs. All searches of a pass are made by one small kernel
// before it: in a block's own time they would be some forty loads of the device's memory, one waiting for
// another.
// Passes alternate between the result (buckets packed) and the buffer (buckets aligned), which side is which
// follows from num_passes, so that the last writes to the result. The host launches as many passes as there
// could be; those that are not needed end at once.
#pragma once

#include <cuda_pipeline_primitives.h>
#include <weft/sort/core/cooperative_merge.hpp>
#include <weft/sort/cuda/partition_kernels.cuh>

namespace weft::gpu::detail {

using weft::detail::bucket_space;

template <class T> struct merge_buffers {
  T *result, *buffer;

  // Where items stand while so many passes are left.
  WEFT_HOST_DEVICE bucket_space<T> space(std::uint32_t passes_left) const {
    return passes_left % 2 == 0 ? bucket_space<T>{result, true} : bucket_space<T>{buffer, false};
  }
};

template <bool Full, class Shape, class T, class Less>
__device__ void sort_one_tile(const T* from, T* to, std::uint32_t n, bool aligned, Less& less) {
  const shared_tile<T> tile{reinterpret_cast<T*>(dynamic_shared)};
  T x[Shape::items];
  if constexpr (Full) {
    load_strided<Shape::threads>(from, Shape::size, x);
  } else {
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i) {
      const std::uint32_t index = threadIdx.x * Shape::items + static_cast<std::uint32_t>(i);
      x[i] = from[index < n ? index : n - 1];
    }
  }
  sort_block<Full, Shape::threads>(x, tile, n, less);
  write_tile<Shape::threads, Shape::items>(tile, to, n, aligned);
}

// from: where the buckets are; `to` depends on the passes. A tile may be sorted in its place.
template <class Shape, class T, class Index, class Less>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_tiles_kernel(merge_plan<Index> plan, bucket_space<T> from, merge_buffers<T> buffers, bool aligned,
                      Less less) {
  const bucket_table<Index>& table = plan.sort_tiles;
  const Index tile = blockIdx.x;
  if (tile >= table.first_tile[table.num_buckets]) return;
  const bucket_space<T> to = buffers.space(*plan.num_passes);
  const auto job = weft::detail::find_merge_job(table, Shape::size, tile);
  const std::uint32_t n = static_cast<std::uint32_t>(job.end - job.begin);
  const T* input = from.bucket(table, job.bucket) + job.begin;
  T* output = to.bucket(table, job.bucket) + job.begin;
  if (n == Shape::size)
    sort_one_tile<true, Shape>(input, output, Shape::size, aligned, less);
  else
    sort_one_tile<false, Shape>(input, output, n, aligned, less);
}

// What a block merges: from[a .. a+a_size-1] and from[b .. b+size-a_size-1], to to[place .. place+size-1].
template <class Index> struct merge_slice {
  Index a, b, output;
  std::uint32_t a_size, size;
};

inline constexpr int split_threads = 128;

// Runs of `width` items (a pass's) are merged two by two.
template <std::uint32_t Tile, class T, class Index, class Less>
__global__ void __launch_bounds__(split_threads)
    split_kernel(merge_plan<Index> plan, std::uint32_t pass, Index width, merge_buffers<T> buffers,
                 merge_slice<Index>* slices, Less less) {
  const std::uint32_t num_passes = *plan.num_passes;
  if (pass >= num_passes) return;
  const bucket_table<Index>& table = plan.merge_tiles;
  const bucket_space<T> from = buffers.space(num_passes - pass), to = buffers.space(num_passes - pass - 1);
  const Index num_tiles = table.first_tile[table.num_buckets];
  const Index asked = static_cast<Index>(blockIdx.x) * (split_threads / 2) + threadIdx.x / 2;
  const Index tile = asked < num_tiles ? asked : num_tiles - 1;
  const bool end = threadIdx.x % 2 != 0;

  const auto job = weft::detail::find_merge_job(table, Tile, tile);
  const Index run = job.begin / width, pair = (run - run % 2) * width, left = job.bucket_size - pair;
  const Index a_size = left < width ? left : width;
  const Index b_size = left - a_size < width ? left - a_size : width;
  const T *items = from.bucket(table, job.bucket), *a = items + pair, *b = a + a_size;
  const Index taken =
      weft::detail::merge_path(a, a_size, b, b_size, (end ? job.end : job.begin) - pair, less);
  const Index other = __shfl_xor_sync(0xFFFFFFFFU, taken, 1);
  if (end || asked >= num_tiles) return;

  // In order already, by any strict weak order; else what is read must at least exist.
  const Index n = job.end - job.begin, diagonal = job.begin - pair;
  const Index a_part = other < taken ? 0 : other - taken < n ? other - taken : n;
  const Index first = static_cast<Index>(a - from.items);
  slices[tile] = {first + taken, first + a_size + (diagonal - taken),
                  static_cast<Index>(to.bucket(table, job.bucket) - to.items) + job.begin,
                  static_cast<std::uint32_t>(a_part), static_cast<std::uint32_t>(n)};
}

// A slice that is all of one run.
template <class Shape, class T>
__device__ void copy_slice(const T* from, T* to, std::uint32_t n, bool aligned) {
  constexpr int threads = Shape::threads;
  const int first = first_write_index(to, aligned), last = static_cast<int>(n);
  from += first;
  to += first;
  constexpr int each = 4; // at a time
#pragma unroll 1
  for (int i = first; i < last; i += each * threads) {
    T x[each];
    WEFT_UNROLL
    for (int k = 0; k < each; ++k)
      if (i + k * threads >= 0 && i + k * threads < last) x[k] = from[k * threads];
    WEFT_UNROLL
    for (int k = 0; k < each; ++k)
      if (i + k * threads >= 0 && i + k * threads < last) to[k * threads] = x[k];
    from += each * threads;
    to += each * threads;
  }
}

// An odd number of items a thread needs no padding.
template <class Shape, class T> using merge_tile_memory = shared_tile<T, Shape::items % 2 == 0>;

template <class T>
inline constexpr bool copies_asynchronously = (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
                                              alignof(T) == sizeof(T);

// a[0 .. a_size-1], then b[0 .. n-a_size-1]. Synchronised at the end.
template <class Shape, bool Async, bool Full, class T>
__device__ void load_slice(merge_tile_memory<Shape, T> tile, const T* a, std::uint32_t a_size, const T* b,
                           std::uint32_t n) {
  constexpr int threads = Shape::threads;
  static_assert(threads % padding_every<T> == 0);
  constexpr bool async = Async && copies_asynchronously<T>;
  T x[Shape::items];
  T* const to = tile.slots + tile.padded_index(static_cast<int>(threadIdx.x));
  a += threadIdx.x;
  b = b - a_size + threadIdx.x;
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i) {
    const std::uint32_t index = static_cast<std::uint32_t>(i * threads) + threadIdx.x;
    if (!Full && index >= n) break;
    if constexpr (async)
      __pipeline_memcpy_async(&to[i * tile.padded_index(threads)], (index < a_size ? a : b) + i * threads,
                              sizeof(T));
    else
      x[i] = (index < a_size ? a : b)[i * threads];
  }
  if constexpr (async) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
  } else {
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i) // places past the end are there, and never used
      to[i * tile.padded_index(threads)] = x[i];
  }
  __syncthreads();
}

template <class Shape, bool Async, class T, class Less>
__device__ void merge_one_slice(const T* a, std::uint32_t a_size, const T* b, std::uint32_t n, T* to,
                                bool aligned, Less& less) {
  using tile_memory = merge_tile_memory<Shape, T>;
  const tile_memory tile{reinterpret_cast<T*>(dynamic_shared)};
  if (n == Shape::size)
    load_slice<Shape, Async, true>(tile, a, a_size, b, n);
  else
    load_slice<Shape, Async, false>(tile, a, a_size, b, n);
  const std::uint32_t first = threadIdx.x * Shape::items;
  T x[Shape::items];
  if (first < n) {
    const std::uint32_t taken =
        weft::detail::merge_path(tile, a_size, tile_memory{tile.slots, a_size}, n - a_size, first, less);
    const std::uint32_t b_first = a_size + (first - taken);
    if (taken + Shape::items <= a_size && b_first + Shape::items <= n) // all but the last warps
      merge_registers<false>(tile, taken, a_size, b_first, n, x, less);
    else
      merge_registers(tile, taken, a_size, b_first, n, x, less);
  }
  __syncthreads();
  if (first < n) store_registers(tile, x);
  __syncthreads();
  write_tile<Shape::threads, Shape::items>(tile, to, n, aligned);
}

// If Few, blocks take every gridDim-th tile, else each its own.
template <class Shape, bool Async, bool Strided, class T, class Index, class Less>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    merge_kernel(merge_plan<Index> plan, std::uint32_t pass, merge_buffers<T> buffers,
                 const merge_slice<Index>* slices, bool aligned, Less less) {
  const std::uint32_t num_passes = *plan.num_passes;
  if (pass >= num_passes) return;
  const Index num_tiles = plan.merge_tiles.first_tile[plan.merge_tiles.num_buckets];
  for (Index tile = blockIdx.x; tile < num_tiles; tile += gridDim.x) {
    const merge_slice<Index> slice = slices[tile];
    const T* from = buffers.space(num_passes - pass).items;
    T* to = buffers.space(num_passes - pass - 1).items + slice.output;
    const T *a = from + slice.a, *b = from + slice.b;
    if (slice.a_size == slice.size || slice.a_size == 0)
      copy_slice<Shape>(slice.a_size == 0 ? b : a, to, slice.size, aligned);
    else
      merge_one_slice<Shape, Async>(a, slice.a_size, b, slice.size, to, aligned, less);
    if constexpr (!Strided) return;
    __syncthreads();
  }
}

} // namespace weft::gpu::detail
