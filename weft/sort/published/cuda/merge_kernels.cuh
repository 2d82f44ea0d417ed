// The merge kernels of the sample-merge sort. published/cooperative_merge.hpp describes the algorithm.
//
//   sort_tiles_kernel   sorts each tile; one block per tile
//   split_kernel        finds which parts of two runs make a tile of the output (Merge Path); two lanes per
//                       tile
//   merge_kernel        merges these parts; one block per tile
//
// The last two run once per pass. The kernels differ from the description there in two points. The tiles of
// the sort and of the merge may differ in size; the merge's tile size divides twice the sort's, so that no
// tile spans two pairs of runs. One small kernel before each merge makes all searches of the pass: made by
// the merging blocks, they would be some forty loads of global memory, each of which waits for another.
//
// Passes alternate between the result (where buckets are packed) and the buffer (where buckets are aligned).
// num_passes decides which comes first, so that the last pass writes to the result. The host launches as many
// passes as could be needed; passes that are not needed end at once.
#pragma once

#include <cuda_pipeline_primitives.h>
#include <weft/sort/published/cooperative_merge.hpp>
#include <weft/sort/published/cuda/partition_kernels.cuh>

namespace weft::sort_detail {

// The two arrays between which the passes alternate.
template <class T> struct merge_buffers {
  T *result, *buffer;

  // Returns where the items are while `passes_left` passes remain.
  WEFT_HOST_DEVICE bucket_space<T> space(std::uint32_t passes_left) const {
    return passes_left % 2 == 0 ? bucket_space<T>{result, true} : bucket_space<T>{buffer, false};
  }
};

// Returns the index of the first item that the thread writes to `to`; the thread then writes every Threads-th
// item. The index is the thread's number. If `aligned`, it is smaller by such an amount that the writes of
// each warp except the first begin at a multiple of 128 bytes (Kozawa, Amagasa & Kitagawa, Figure 5). The
// index may be negative, and then there is nothing to write.
template <class T> __device__ int first_write_index(const T* to, bool aligned) {
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(to) % 128 / sizeof(T);
  return static_cast<int>(threadIdx.x) - (aligned ? static_cast<int>(past) : 0);
}

// Writes the first `n` items of the tile to `to`. `aligned`: see first_write_index.
template <int Threads, int Items, class T, bool Padded>
__device__ void write_tile(shared_tile<T, Padded> tile, T* to, std::uint32_t n, bool aligned) {
  static_assert(Threads >= 128 && Threads % padding_every<T> == 0);
  const int first = first_write_index(to, aligned), last = static_cast<int>(n);
  to += first;
  const T* const from = tile.slots + tile.padded_index(first);
  WEFT_UNROLL
  for (int i = 0; i <= Items; ++i)
    if (first + i * Threads >= 0 && first + i * Threads < last)
      to[i * Threads] = from[i * tile.padded_index(Threads)];
}

// Sorts `n` items of `from` into `to`.
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

// Sorts each tile of the buckets in `from`. The number of passes decides whether the sorted tiles go to the
// result or to the buffer. A tile may be sorted in place.
template <class Shape, class T, class Index, class Less>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_tiles_kernel(merge_plan<Index> plan, bucket_space<T> from, merge_buffers<T> buffers, bool aligned,
                      Less less) {
  const bucket_table<Index>& table = plan.sort_tiles;
  const Index tile = blockIdx.x;
  if (tile >= table.first_tile[table.num_buckets]) return;
  const bucket_space<T> to = buffers.space(*plan.num_passes);
  const auto job = weft::sort_detail::find_merge_job(table, Shape::size, tile);
  const std::uint32_t n = static_cast<std::uint32_t>(job.end - job.begin);
  const T* input = from.bucket(table, job.bucket) + job.begin;
  T* output = to.bucket(table, job.bucket) + job.begin;
  if (n == Shape::size)
    sort_one_tile<true, Shape>(input, output, Shape::size, aligned, less);
  else
    sort_one_tile<false, Shape>(input, output, n, aligned, less);
}

// The work of one block of merge_kernel: it merges from[a .. a+a_size-1] with from[b .. b+size-a_size-1] and
// writes the items to to[output .. output+size-1].
template <class Index> struct slice_of_tile {
  Index a, b, output;
  std::uint32_t a_size, size;
};

inline constexpr int split_threads = 128;

// Computes the slices of a pass that merges pairs of runs of `width` items.
template <std::uint32_t Tile, class T, class Index, class Less>
__global__ void __launch_bounds__(split_threads)
    split_kernel(merge_plan<Index> plan, std::uint32_t pass, Index width, merge_buffers<T> buffers,
                 slice_of_tile<Index>* slices, Less less) {
  const std::uint32_t num_passes = *plan.num_passes;
  if (pass >= num_passes) return;
  const bucket_table<Index>& table = plan.merge_tiles;
  const bucket_space<T> from = buffers.space(num_passes - pass), to = buffers.space(num_passes - pass - 1);
  const Index num_tiles = table.first_tile[table.num_buckets];
  const Index asked = static_cast<Index>(blockIdx.x) * (split_threads / 2) + threadIdx.x / 2;
  const Index tile = asked < num_tiles ? asked : num_tiles - 1;
  const bool end = threadIdx.x % 2 != 0;

  const auto job = weft::sort_detail::find_merge_job(table, Tile, tile);
  const Index run = job.begin / width, pair = (run - run % 2) * width, left = job.bucket_size - pair;
  const Index a_size = left < width ? left : width;
  const Index b_size = left - a_size < width ? left - a_size : width;
  const T *items = from.bucket(table, job.bucket), *a = items + pair, *b = a + a_size;
  const Index taken =
      weft::sort_detail::merge_path(a, a_size, b, b_size, (end ? job.end : job.begin) - pair, less);
  const Index other = __shfl_xor_sync(0xFFFFFFFFU, taken, 1);
  if (end || asked >= num_tiles) return;

  // With a strict weak order, taken <= other <= taken + n. With any other order the sizes are limited to that
  // range, so that only existing memory is read.
  const Index n = job.end - job.begin, diagonal = job.begin - pair;
  const Index a_part = other < taken ? 0 : other - taken < n ? other - taken : n;
  const Index first = static_cast<Index>(a - from.items);
  slices[tile] = {first + taken, first + a_size + (diagonal - taken),
                  static_cast<Index>(to.bucket(table, job.bucket) - to.items) + job.begin,
                  static_cast<std::uint32_t>(a_part), static_cast<std::uint32_t>(n)};
}

// Copies a slice whose items are all from one run.
template <class Shape, class T>
__device__ void copy_slice(const T* from, T* to, std::uint32_t n, bool aligned) {
  constexpr int threads = Shape::threads;
  const int first = first_write_index(to, aligned), last = static_cast<int>(n);
  from += first;
  to += first;
  constexpr int each = 4; // items of a thread at a time
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

// The merge's tile in shared memory. It needs no padding if the number of items per thread is odd.
template <class Shape, class T> using merge_tile_memory = shared_tile<T, Shape::items % 2 == 0>;

template <class T>
inline constexpr bool copies_asynchronously = (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
                                              alignof(T) == sizeof(T);

// Loads a[0 .. a_size-1] and behind it b[0 .. n-a_size-1] into the tile. Ends with a barrier of the block.
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
    for (int i = 0; i < Shape::items; ++i) // slots past the end exist, and are never used
      to[i * tile.padded_index(threads)] = x[i];
  }
  __syncthreads();
}

// Merges `a_size` items of `a` with `n` - `a_size` items of `b` into `to`.
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
        weft::sort_detail::merge_path(tile, a_size, tile_memory{tile.slots, a_size}, n - a_size, first, less);
    const std::uint32_t b_first = a_size + (first - taken);
    // true for all but the last warps of a run
    if (taken + Shape::items <= a_size && b_first + Shape::items <= n)
      merge_registers<false>(tile, taken, a_size, b_first, n, x, less);
    else
      merge_registers(tile, taken, a_size, b_first, n, x, less);
  }
  __syncthreads();
  if (first < n) store_registers(tile, x);
  __syncthreads();
  write_tile<Shape::threads, Shape::items>(tile, to, n, aligned);
}

// Merges the slices of a pass. If `Strided`, a block takes every gridDim-th slice, else one slice.
template <class Shape, bool Async, bool Strided, class T, class Index, class Less>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    merge_kernel(merge_plan<Index> plan, std::uint32_t pass, merge_buffers<T> buffers,
                 const slice_of_tile<Index>* slices, bool aligned, Less less) {
  const std::uint32_t num_passes = *plan.num_passes;
  if (pass >= num_passes) return;
  const Index num_tiles = plan.merge_tiles.first_tile[plan.merge_tiles.num_buckets];
  for (Index tile = blockIdx.x; tile < num_tiles; tile += gridDim.x) {
    const slice_of_tile<Index> slice = slices[tile];
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

} // namespace weft::sort_detail
