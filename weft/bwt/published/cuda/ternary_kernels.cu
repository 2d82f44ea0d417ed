#include <weft/bwt/published/cuda/ternary_kernels.hpp>

#include <algorithm>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>
#include <weft/base/cuda/kernel_limits.hpp>

namespace weft::bwt_detail {

namespace {

constexpr unsigned tile_threads = 128, plain_threads = 256, warp_threads = 32, small_warps = 4;
static_assert(tile_rows < 1U << 21, "see packed()");
static_assert(tile_rows <= std::uint64_t{max_noted_rows} * tile_threads, "see note_parts()");

// One warp, with the interface that the functions of core expect of a block.
struct warp_block {
  int threads = warp_threads;
  template <class Body> __device__ void phase(Body body) const {
    body(static_cast<int>(threadIdx.x % warp_threads));
    __syncwarp();
  }
};

__device__ void raise_to(unsigned long long* at, unsigned long long value) {
  // The read spares most threads the atomic operation.
  if (value > *static_cast<volatile unsigned long long*>(at)) atomicMax(at, value);
}

template <class Index> struct mark_tied {
  const level_state<Index>& state;

  __device__ void operator()(Index slot, Index depth) const {
    atomicOr(state.tied + slot / 32, 1U << slot % 32);
    raise_to(&state.numbers->tied_left, state.limit - depth);
  }
};

template <class Index> struct add_parts {
  __host__ __device__ part_numbers<Index> operator()(const part_numbers<Index>& a,
                                                     const part_numbers<Index>& b) const {
    return sum(a, b);
  }
};

template <class Index> __device__ void get_keys(const level_state<Index>& state, row_text<Index>& keys) {
  keys = state.text;
}
template <class Index> __device__ void get_keys(const level_state<Index>& state, rank_keys<Index>& keys) {
  keys = {state.ranks, state.text.size, state.text.cyclic, state.known};
}

template <class Index> __device__ open_segment<Index> segment_of_block(const level_state<Index>& state) {
  return state.now.segments[state.now.segment_of_tile[blockIdx.x]];
}
template <class Index> __device__ row_tile<Index> tile_of_block(const open_segment<Index>& segment) {
  return segment.tile(static_cast<Index>(blockIdx.x), static_cast<Index>(tile_rows));
}
template <class Index>
__device__ part_numbers<Index> sizes_of(const level_state<Index>& state, const open_segment<Index>& segment) {
  const Index behind = segment.first_tile + segment.tiles(static_cast<Index>(tile_rows));
  return difference(state.sums[behind], state.sums[segment.first_tile]);
}

template <class Index>
__global__ void __launch_bounds__(plain_threads)
    start_kernel(const __grid_constant__ level_state<Index> state, Index tiles) {
  const Index n = state.text.size, thread = static_cast<Index>(blockIdx.x) * plain_threads + threadIdx.x,
              threads = static_cast<Index>(gridDim.x) * plain_threads;
  for (Index i = thread; i < n; i += threads) state.from[i] = i;
  for (Index i = thread; i < tiles; i += threads) state.now.segment_of_tile[i] = 0;
  if (thread != 0) return;
  state.now.segments[0] = {{0, n, 0}, 0, 0};
  *state.numbers = {1, tiles, 0, state.limit, 0};
}

template <class Keys, class Index>
__global__ void __launch_bounds__(plain_threads)
    pivot_kernel(const __grid_constant__ level_state<Index> state, std::uint64_t segments) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * plain_threads + threadIdx.x;
  if (i >= segments) return;
  Keys keys;
  get_keys(state, keys);
  open_segment<Index>& segment = state.now.segments[i];
  segment.pivot = choose_pivot(keys, state.from, segment.rows);
}

template <class Keys, class Index>
__global__ void __launch_bounds__(tile_threads)
    count_kernel(const __grid_constant__ level_state<Index> state) {
  using block_sum = cub::BlockReduce<std::uint64_t, tile_threads>;
  __shared__ typename block_sum::TempStorage memory;
  Keys keys;
  get_keys(state, keys);
  const row_tile<Index> tile = tile_of_block(segment_of_block(state));
  const auto thread = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(tile_threads);
  const std::uint64_t counts =
      block_sum(memory).Sum(packed(count_rows(keys, state.from, tile, thread, threads)));
  if (threadIdx.x != 0) return; // only thread 0 gets the sum
  state.sums[blockIdx.x] = unpacked<Index>(counts);
  if (blockIdx.x == 0) state.sums[gridDim.x] = {0, 0, 0};
}

template <class Keys, class Index>
__global__ void __launch_bounds__(tile_threads)
    scatter_kernel(const __grid_constant__ level_state<Index> state) {
  using block_scan = cub::BlockScan<std::uint64_t, tile_threads>;
  __shared__ typename block_scan::TempStorage memory;
  Keys keys;
  get_keys(state, keys);
  const open_segment<Index> segment = segment_of_block(state);
  const row_tile<Index> tile = tile_of_block(segment);
  const auto thread = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(tile_threads);
  std::uint64_t parts = 0, before = 0;
  block_scan(memory).ExclusiveSum(packed(note_parts(keys, state.from, tile, thread, threads, parts)), before);
  const part_numbers<Index> of_tile =
      part_offsets(segment.rows.begin, sizes_of(state, segment),
                   difference(state.sums[blockIdx.x], state.sums[segment.first_tile]));
  scatter_noted(parts, state.from, state.to, tile, thread, threads, sum(of_tile, unpacked<Index>(before)));
}

template <class Index> struct made_segment { Index number, first_tile, tiles; };

// Adds a part to the list it belongs to. Lists are in unspecified order; the positions of rows do not depend
// on it.
template <class Index>
__device__ made_segment<Index> make_segment(const level_state<Index>& state, const row_segment<Index>& part) {
  if (part.is_done(state.limit)) return {0, 0, 0};
  if (part.end - part.begin <= small_segment_rows) {
    state.small[atomicAdd(&state.numbers->small, 1ULL)] = part;
    return {0, 0, 0};
  }
  raise_to(&state.numbers->left, state.limit - part.depth);
  open_segment<Index> made{part, 0, 0};
  const unsigned long long tiles = made.tiles(static_cast<Index>(tile_rows));
  const unsigned long long number = atomicAdd(&state.numbers->segments, 1ULL);
  made.first_tile = static_cast<Index>(atomicAdd(&state.numbers->tiles, tiles));
  state.next.segments[number] = made;
  return {static_cast<Index>(number), made.first_tile, static_cast<Index>(tiles)};
}

// The first block of a segment adds its parts to lists; each block copies the rows of its own tile that are
// done.
template <class Index>
__global__ void __launch_bounds__(tile_threads)
    next_kernel(const __grid_constant__ level_state<Index> state) {
  __shared__ made_segment<Index> made[3];
  const open_segment<Index> segment = segment_of_block(state);
  const row_tile<Index> tile = tile_of_block(segment);
  const part_numbers<Index> sizes = sizes_of(state, segment);
  const Index step = state.ranks != nullptr ? state.known : 1;
  const auto thread = static_cast<Index>(threadIdx.x), threads = static_cast<Index>(tile_threads);
  if (segment.first_tile == static_cast<Index>(blockIdx.x)) { // equal for all threads of the block
    if (thread < 3)
      made[thread] = make_segment(state, part_of(segment.rows, sizes, static_cast<int>(thread), step));
    __syncthreads();
    for (const made_segment<Index>& each : made)
      for (Index i = thread; i < each.tiles; i += threads)
        state.next.segment_of_tile[each.first_tile + i] = each.number;
  }
  if (state.to == state.result) return;
  for (int which = 0; which < 3; ++which) {
    const row_segment<Index> part = part_of(segment.rows, sizes, which, step);
    if (!part.is_done(state.limit)) continue;
    const Index first = part.begin > tile.first ? part.begin : tile.first,
                last = part.end < tile.last ? part.end : tile.last;
    for (Index i = first + thread; i < last; i += threads) state.result[i] = state.to[i];
  }
}

__device__ std::uint64_t this_warp() {
  return std::uint64_t{blockIdx.x} * small_warps + threadIdx.x / warp_threads;
}
__device__ std::uint64_t all_warps() { return std::uint64_t{gridDim.x} * small_warps; }

// One warp per segment.
template <class Keys, class Index>
__global__ void __launch_bounds__(small_warps* warp_threads)
    sort_small_kernel(const __grid_constant__ level_state<Index> state) {
  __shared__ small_segment_scratch<Index> scratch[small_warps];
  Keys keys;
  get_keys(state, keys);
  const std::uint64_t count = state.numbers->small;
  for (std::uint64_t i = this_warp(); i < count; i += all_warps())
    sort_small_segment(warp_block{}, keys, state.to, state.result, state.small[i], state.limit,
                       state.small_rounds, &scratch[threadIdx.x / warp_threads], mark_tied<Index>{state});
}

// One warp sorts the groups that begin in 32 rows. It reads the groups from `other_tied`, because it sets
// bits of `tied`.
template <class Index>
__global__ void __launch_bounds__(small_warps* warp_threads)
    tied_kernel(const __grid_constant__ level_state<Index> state, Index depth) {
  __shared__ small_segment_scratch<Index> scratch[small_warps];
  rank_keys<Index> keys;
  get_keys(state, keys);
  const std::uint64_t words = state.text.size / 32 + 1;
  for (std::uint64_t word = this_warp(); word < words; word += all_warps())
    for (std::uint32_t heads = heads_of_tied(state.other_tied, word); heads != 0; heads &= heads - 1) {
      const Index row = static_cast<Index>(word) * 32 + static_cast<Index>(__ffs(heads) - 1);
      sort_small_segment(warp_block{}, keys, state.result, state.result,
                         {row, end_of_tied(state.other_tied, row), depth}, state.limit, state.small_rounds,
                         &scratch[threadIdx.x / warp_threads], mark_tied<Index>{state});
    }
}

template <class Index>
__global__ void __launch_bounds__(tile_threads)
    copy_open_kernel(const __grid_constant__ level_state<Index> state) {
  const row_tile<Index> tile = tile_of_block(segment_of_block(state));
  for (Index i = tile.first + threadIdx.x; i < tile.last; i += tile_threads) state.result[i] = state.from[i];
}

template <class Index>
__global__ void __launch_bounds__(plain_threads)
    rank_kernel(const __grid_constant__ level_state<Index> state) {
  const Index n = state.text.size, threads = static_cast<Index>(gridDim.x) * plain_threads;
  for (Index i = static_cast<Index>(blockIdx.x) * plain_threads + threadIdx.x; i < n; i += threads)
    state.ranks[state.result[i]] = first_of_tied(state.tied, i) + 1;
}

template <class Index>
__global__ void __launch_bounds__(tile_threads)
    open_rank_kernel(const __grid_constant__ level_state<Index> state) {
  const open_segment<Index> segment = segment_of_block(state);
  const row_tile<Index> tile = tile_of_block(segment);
  for (Index i = tile.first + threadIdx.x; i < tile.last; i += tile_threads)
    state.ranks[state.result[i]] = segment.rows.begin + 1;
}

// Returns the number of blocks for a kernel whose threads take several items: as many as there is work for,
// but not more than run at the same time.
unsigned round_blocks(std::uint64_t blocks, unsigned threads) {
  int multiprocessors = 0;
  gpu::check(base_detail::count_multiprocessors(multiprocessors), "ask the GPU for its multiprocessors");
  const std::uint64_t at_once = static_cast<std::uint64_t>(multiprocessors) * (2048 / threads);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(blocks, 1, at_once));
}
unsigned blocks_for_rows(std::uint64_t rows) {
  return round_blocks((rows + plain_threads - 1) / plain_threads, plain_threads);
}
unsigned blocks_for_warps(std::uint64_t warps) {
  return round_blocks((warps + small_warps - 1) / small_warps, small_warps * warp_threads);
}

void check_launch() { gpu::check(cudaGetLastError(), "sort rows"); }

template <class Index>
void launch_on_tiles(void (*kernel)(level_state<Index>), const level_state<Index>& level, std::uint64_t tiles,
                     cudaStream_t stream) {
  if (tiles == 0) return;
  kernel<<<static_cast<unsigned>(tiles), tile_threads, 0, stream>>>(level);
  check_launch();
}

} // namespace

template <class Index> void level_kernels<Index>::start(const state& level, cudaStream_t stream) {
  const Index tiles = open_segment<Index>{{0, level.text.size, 0}, 0, 0}.tiles(static_cast<Index>(tile_rows));
  start_kernel<Index><<<blocks_for_rows(level.text.size), plain_threads, 0, stream>>>(level, tiles);
  check_launch();
}

template <class Index>
void level_kernels<Index>::choose_pivots(const state& level, std::uint64_t segments, cudaStream_t stream) {
  const auto kernel =
      level.ranks != nullptr ? pivot_kernel<rank_keys<Index>, Index> : pivot_kernel<row_text<Index>, Index>;
  kernel<<<gpu::blocks_for(segments, plain_threads), plain_threads, 0, stream>>>(level, segments);
  check_launch();
}

template <class Index>
void level_kernels<Index>::count(const state& level, std::uint64_t tiles, cudaStream_t stream) {
  launch_on_tiles(level.ranks != nullptr ? count_kernel<rank_keys<Index>, Index>
                                         : count_kernel<row_text<Index>, Index>,
                  level, tiles, stream);
}

template <class Index>
cudaError_t level_kernels<Index>::sum_parts(void* d_temp, std::size_t& bytes, const state& level,
                                            std::uint64_t count, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveScan(d_temp, bytes, level.sums, level.sums, add_parts<Index>{},
                                        part_numbers<Index>{0, 0, 0}, count, stream);
}

template <class Index>
void level_kernels<Index>::scatter(const state& level, std::uint64_t tiles, cudaStream_t stream) {
  launch_on_tiles(level.ranks != nullptr ? scatter_kernel<rank_keys<Index>, Index>
                                         : scatter_kernel<row_text<Index>, Index>,
                  level, tiles, stream);
}

template <class Index>
void level_kernels<Index>::make_next(const state& level, std::uint64_t tiles, cudaStream_t stream) {
  launch_on_tiles(next_kernel<Index>, level, tiles, stream);
}

template <class Index>
void level_kernels<Index>::sort_small(const state& level, std::uint64_t bound, cudaStream_t stream) {
  const auto kernel = level.ranks != nullptr ? sort_small_kernel<rank_keys<Index>, Index>
                                             : sort_small_kernel<row_text<Index>, Index>;
  kernel<<<blocks_for_warps(bound), small_warps * warp_threads, 0, stream>>>(level);
  check_launch();
}

template <class Index>
void level_kernels<Index>::copy_open(const state& level, std::uint64_t tiles, cudaStream_t stream) {
  launch_on_tiles(copy_open_kernel<Index>, level, tiles, stream);
}

template <class Index>
void level_kernels<Index>::take_ranks(const state& level, std::uint64_t tiles, cudaStream_t stream) {
  rank_kernel<Index><<<blocks_for_rows(level.text.size), plain_threads, 0, stream>>>(level);
  check_launch();
  launch_on_tiles(open_rank_kernel<Index>, level, tiles, stream);
}

template <class Index>
void level_kernels<Index>::sort_tied(const state& level, Index depth, cudaStream_t stream) {
  const unsigned blocks = blocks_for_warps(level.text.size / 32 + 1);
  tied_kernel<Index><<<blocks, small_warps * warp_threads, 0, stream>>>(level, depth);
  check_launch();
}

template struct level_kernels<std::uint32_t>;
template struct level_kernels<std::uint64_t>;

} // namespace weft::bwt_detail
