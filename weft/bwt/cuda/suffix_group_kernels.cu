// What tells the suffixes of groups apart (suffix_kernels.hpp).
#include <weft/bwt/cuda/suffix_kernels.hpp>

#include <algorithm>
#include <type_traits>
#include <weft/bwt/cuda/grid.cuh>

namespace weft::bwt_cuda {

namespace {

constexpr int threads = 256;

__device__ void mark(const head_bits& heads, std::uint64_t slot) {
  atomicOr(reinterpret_cast<unsigned long long*>(&heads.level[0][slot / 64]), 1ULL << (slot % 64));
}

template <class Index, class Keys>
__global__ void __launch_bounds__(threads)
    refine_pairs_kernel(const group* groups, std::uint32_t count, Index* suffixes, Keys keys,
                        std::uint32_t first, std::uint32_t end, head_bits heads) {
  for (std::uint64_t g = first_item(); g < count; g += all_threads()) {
    const std::uint32_t begin = groups[g].begin;
    const Index a = suffixes[begin], b = suffixes[begin + 1];
    for (std::uint32_t round = first; round < end; ++round) {
      const std::uint64_t key_a = keys(a, round), key_b = keys(b, round);
      if (key_a == key_b) continue;
      if (key_a > key_b) {
        suffixes[begin] = b;
        suffixes[begin + 1] = a;
      }
      mark(heads, begin + 1);
      break;
    }
  }
}

// Width threads that have a group together: lanes of a warp, or a block.
template <int Width> struct team {
  static constexpr int threads = Width <= 32 ? bwt_cuda::threads : Width; // of a block
  static constexpr std::uint64_t in_block = threads / Width;
  static __device__ std::uint32_t lane() { return threadIdx.x % Width; }
  static __device__ void wait() {
    if constexpr (Width <= 32)
      __syncwarp();
    else
      __syncthreads();
  }
  // Of all teams of a warp, or of the block; and waits.
  static __device__ bool any(bool holds) {
    if constexpr (Width > 32) return __syncthreads_or(holds) != 0;
    const bool some = __any_sync(~0U, holds);
    __syncwarp();
    return some;
  }
};

// A thread a suffix. Suffixes that are not told apart stand side by side; each thread knows where those of
// its own begin and how many they are. Most keys change nothing: then all are as that of the first of them.
template <int Width, class Index, class Keys>
__global__ void __launch_bounds__(team<Width>::threads)
    refine_groups_kernel(const group* groups, std::uint32_t count, Index* suffixes, Keys keys,
                         std::uint32_t first, std::uint32_t end, head_bits heads) {
  using team = team<Width>;
  __shared__ std::uint64_t shared_keys[team::threads];
  __shared__ Index shared_suffixes[team::threads];
  __shared__ std::uint16_t shared_begins[team::threads], shared_sizes[team::threads];
  const std::uint32_t lane = team::lane(), of_team = threadIdx.x - lane;
  for (std::uint64_t base = blockIdx.x * team::in_block; base < count; base += gridDim.x * team::in_block) {
    const std::uint64_t g = base + threadIdx.x / Width;
    const group of = g < count ? groups[g] : group{0, 0};
    const bool mine = lane < of.size;
    Index suffix = mine ? suffixes[of.begin + lane] : Index{0};
    std::uint32_t begin = mine ? 0 : lane, size = mine ? of.size : 1; // of those not told apart from it
    for (std::uint32_t round = first; round < end && team::any(size > 1); ++round) {
      const std::uint64_t key = size > 1 ? keys(suffix, round) : 0;
      shared_keys[threadIdx.x] = key;
      team::wait();
      if (!team::any(size > 1 && key != shared_keys[of_team + begin])) continue;
      std::uint32_t less = 0, equal = 0, ahead = 0;
      for (std::uint32_t j = begin; j < begin + size; ++j) {
        const std::uint64_t other = shared_keys[of_team + j];
        less += static_cast<std::uint32_t>(other < key);
        equal += static_cast<std::uint32_t>(other == key);
        ahead += static_cast<std::uint32_t>(other == key && j < lane);
      }
      const std::uint32_t to = of_team + begin + less + ahead;
      shared_suffixes[to] = suffix;
      shared_begins[to] = static_cast<std::uint16_t>(begin + less);
      shared_sizes[to] = static_cast<std::uint16_t>(equal);
      team::wait();
      suffix = shared_suffixes[threadIdx.x];
      begin = shared_begins[threadIdx.x];
      size = shared_sizes[threadIdx.x];
      team::wait();
    }
    if (!mine) continue;
    suffixes[of.begin + lane] = suffix;
    if (begin == lane && lane > 0) mark(heads, of.begin + lane);
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    finish_pairs_kernel(const group* groups, std::uint32_t count, Index* suffixes, cover_ranks ranks) {
  for (std::uint64_t g = first_item(); g < count; g += all_threads()) {
    const std::uint32_t begin = groups[g].begin;
    const Index a = suffixes[begin], b = suffixes[begin + 1];
    if (!ranks.less(b, a)) continue;
    suffixes[begin] = b;
    suffixes[begin + 1] = a;
  }
}

// What a block's threads know of the suffixes of their groups. All positions of the cover within a period
// from a suffix on have ranks side by side, which are read at once; for two residues a table says which of
// each suffix's ranks to compare.
template <int Threads> struct shared_cover {
  std::uint32_t ranks[Threads * bwt_core::cover_size];
  std::uint8_t residues[Threads];
  std::uint8_t pairs[bwt_core::cover_period * bwt_core::cover_period]; // 16 * of the first + of the second

  __device__ void set_pairs() {
    constexpr std::uint32_t period = bwt_core::cover_period;
    for (std::uint32_t i = threadIdx.x; i < period * period; i += Threads) {
      const std::uint32_t a = i / period, b = i % period, shift = bwt_core::cover_shift(a, b);
      pairs[i] =
          static_cast<std::uint8_t>(16 * bwt_core::cover_steps(a, shift) + bwt_core::cover_steps(b, shift));
    }
  }
  template <class Index> __device__ void set(Index suffix, const cover_ranks& all) {
    const Index number = bwt_core::cover_number(suffix);
    for (std::uint32_t k = 0; k < bwt_core::cover_size; ++k)
      ranks[threadIdx.x * bwt_core::cover_size + k] = all.ranks[number + k];
    residues[threadIdx.x] = static_cast<std::uint8_t>(suffix % bwt_core::cover_period);
  }
  // Of the suffixes of two threads, which are not the same.
  __device__ bool less(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t pair = pairs[residues[a] * bwt_core::cover_period + residues[b]];
    return ranks[a * bwt_core::cover_size + pair / 16] < ranks[b * bwt_core::cover_size + pair % 16];
  }
};

// Each thread counts how many suffixes are less than its own.
template <int Width, class Index>
__global__ void __launch_bounds__(threads)
    finish_groups_kernel(const group* groups, std::uint32_t count, Index* suffixes, cover_ranks ranks) {
  using team = team<Width>;
  __shared__ shared_cover<threads> cover;
  cover.set_pairs();
  __syncthreads();
  const std::uint32_t lane = team::lane(), of_team = threadIdx.x - lane;
  for (std::uint64_t base = blockIdx.x * team::in_block; base < count; base += gridDim.x * team::in_block) {
    const std::uint64_t g = base + threadIdx.x / Width;
    const group of = g < count ? groups[g] : group{0, 0};
    const bool mine = lane < of.size;
    const Index suffix = mine ? suffixes[of.begin + lane] : Index{0};
    if (mine) cover.set(suffix, ranks);
    team::wait();
    std::uint32_t before = 0;
    for (std::uint32_t j = 0; mine && j < of.size; ++j)
      if (j != lane) before += static_cast<std::uint32_t>(cover.less(of_team + j, threadIdx.x));
    if (mine) suffixes[of.begin + before] = suffix;
    team::wait();
  }
}

// A block a group: a bitonic sort (Batcher, AFIPS 1968) of the numbers of its suffixes; what is none is
// greater than all.
template <int Width, class Index>
__global__ void __launch_bounds__(Width)
    finish_blocks_kernel(const group* groups, std::uint32_t count, Index* suffixes, cover_ranks ranks) {
  __shared__ shared_cover<Width> cover;
  __shared__ std::uint8_t order[Width];
  __shared__ Index shared_suffixes[Width];
  cover.set_pairs();
  for (std::uint32_t g = blockIdx.x; g < count; g += gridDim.x) {
    const group of = groups[g];
    const bool mine = threadIdx.x < of.size;
    order[threadIdx.x] = static_cast<std::uint8_t>(threadIdx.x);
    if (mine) {
      shared_suffixes[threadIdx.x] = suffixes[of.begin + threadIdx.x];
      cover.set(shared_suffixes[threadIdx.x], ranks);
    }
    __syncthreads();
    for (std::uint32_t run = 2; run < 2 * of.size; run *= 2)
      for (std::uint32_t step = run / 2; step > 0; step /= 2) {
        const std::uint32_t i = threadIdx.x, j = i ^ step;
        if (j > i && i < run * ((of.size + run - 1) / run)) {
          const std::uint32_t a = order[i], b = order[j];
          const bool rises = (i & run) == 0 || run >= of.size;
          // Whether a is greater than b.
          const bool greater = a >= of.size ? b < of.size : b < of.size && cover.less(b, a);
          const bool smaller = b >= of.size ? a < of.size : a < of.size && !greater;
          if (rises ? greater : smaller) {
            order[i] = static_cast<std::uint8_t>(b);
            order[j] = static_cast<std::uint8_t>(a);
          }
        }
        __syncthreads();
      }
    if (mine) suffixes[of.begin + threadIdx.x] = shared_suffixes[order[threadIdx.x]];
    __syncthreads();
  }
}

// The group of item i, and the item's slot.
struct item_place {
  std::uint32_t in_group;
  std::uint64_t slot;
  std::uint32_t number; // of the group
};
__device__ item_place place_of(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                               std::uint64_t i) {
  std::uint32_t low = 0, high = count; // offsets[low] <= i < offsets[high]
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (offsets[middle] <= i ? low : high) = middle;
  }
  const std::uint64_t in_group = i - offsets[low];
  return {static_cast<std::uint32_t>(in_group), groups[low].begin + in_group, low};
}

struct item { // a little-endian number of 128 bits
  std::uint64_t suffix, key;
};

template <class Index, class Keys>
__global__ void __launch_bounds__(threads)
    make_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                      std::uint64_t num_items, const Index* suffixes, Keys keys, std::uint32_t round,
                      item* items) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const std::uint64_t suffix = suffixes[place_of(groups, offsets, count, i).slot];
    items[i] = {suffix, keys(suffix, round)};
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    take_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                      std::uint64_t num_items, const item* items, Index* suffixes, head_bits heads) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_place at = place_of(groups, offsets, count, i);
    suffixes[at.slot] = static_cast<Index>(items[i].suffix);
    if (at.in_group > 0 && items[i].key != items[i - 1].key) mark(heads, at.slot);
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    make_grouped_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                        std::uint64_t num_items, const Index* suffixes, grouped_suffix<Index>* items) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_place at = place_of(groups, offsets, count, i);
    items[i] = {static_cast<Index>(at.number), suffixes[at.slot]};
  }
}

template <class Index>
__global__ void __launch_bounds__(threads)
    take_grouped_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                        std::uint64_t num_items, const grouped_suffix<Index>* items, Index* suffixes) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads())
    suffixes[place_of(groups, offsets, count, i).slot] = items[i].suffix;
}

template <class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_kernel(const Index* suffixes, head_bits heads, std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i < heads.size; i += all_threads())
    ranks[bwt_core::cover_number(suffixes[i])] = static_cast<std::uint32_t>(heads.last(i));
}

__device__ void write_rank(std::uint64_t suffix, std::uint64_t slot, const group& of, const head_bits& heads,
                           std::uint32_t* ranks) {
  const auto rank = static_cast<std::uint32_t>(heads.last(slot));
  if (rank != of.begin) ranks[bwt_core::cover_number(suffix)] = rank; // else it is as before
}
template <int Width, class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_of_groups_kernel(const group* groups, std::uint32_t count, const Index* suffixes,
                                 head_bits heads, std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i / Width < count; i += all_threads()) {
    const group of = groups[i / Width];
    const std::uint64_t slot = of.begin + i % Width;
    if (i % Width < of.size) write_rank(suffixes[slot], slot, of, heads, ranks);
  }
}
template <class Index>
__global__ void __launch_bounds__(threads)
    write_ranks_of_items_kernel(const group* groups, const std::uint64_t* offsets, std::uint32_t count,
                                std::uint64_t num_items, const Index* suffixes, head_bits heads,
                                std::uint32_t* ranks) {
  for (std::uint64_t i = first_item(); i < num_items; i += all_threads()) {
    const item_place at = place_of(groups, offsets, count, i);
    write_rank(suffixes[at.slot], at.slot, groups[at.number], heads, ranks);
  }
}

// Calls launch with the width of a kind of groups, of those from First to the last but large ones, as a
// constant.
template <int First, class Launch> void with_width(int kind, const Launch& launch) {
  if constexpr (First < large_groups) {
    if (kind == First)
      launch(std::integral_constant<int, width_of(First)>());
    else
      with_width<First + 1>(kind, launch);
  }
}

} // namespace

template <class Index, class Keys>
void refine_groups(int kind, const group* d_groups, std::uint32_t count, Index* d_suffixes, const Keys& keys,
                   std::uint32_t first, std::uint32_t end, const head_bits& heads, cudaStream_t stream) {
  if (kind == 0)
    return launch(refine_pairs_kernel<Index, Keys>, count, threads, stream, d_groups, count, d_suffixes, keys,
                  first, end, heads);
  with_width<1>(kind, [&](auto width) {
    launch(refine_groups_kernel<width(), Index, Keys>, std::uint64_t{count} * width(), team<width()>::threads,
           stream, d_groups, count, d_suffixes, keys, first, end, heads);
  });
}

template <class Index>
void finish_groups(int kind, const group* d_groups, std::uint32_t count, Index* d_suffixes,
                   const cover_ranks& ranks, cudaStream_t stream) {
  if (kind == 0)
    return launch(finish_pairs_kernel<Index>, count, threads, stream, d_groups, count, d_suffixes, ranks);
  with_width<1>(kind, [&](auto width) {
    constexpr int threads_of_block = team<width()>::threads;
    constexpr std::uint64_t most_blocks = (1U << 18) / threads_of_block; // a block's table is for many groups
    const std::uint64_t in_all = std::min(std::uint64_t{count} * width(), most_blocks * threads_of_block);
    if constexpr (kind_of(width()) >= block_groups)
      launch(finish_blocks_kernel<width(), Index>, in_all, threads_of_block, stream, d_groups, count,
             d_suffixes, ranks);
    else
      launch(finish_groups_kernel<width(), Index>, in_all, threads_of_block, stream, d_groups, count,
             d_suffixes, ranks);
  });
}

template <class Index, class Keys>
void make_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                std::uint64_t num_items, const Index* d_suffixes, const Keys& keys, std::uint32_t round,
                void* d_items, cudaStream_t stream) {
  launch(make_items_kernel<Index, Keys>, num_items, threads, stream, d_groups, d_offsets, count, num_items,
         d_suffixes, keys, round, static_cast<item*>(d_items));
}

template <class Index>
void take_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                std::uint64_t num_items, const void* d_items, Index* d_suffixes, const head_bits& heads,
                cudaStream_t stream) {
  launch(take_items_kernel<Index>, num_items, threads, stream, d_groups, d_offsets, count, num_items,
         static_cast<const item*>(d_items), d_suffixes, heads);
}

template <class Index>
void make_grouped(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                  std::uint64_t num_items, const Index* d_suffixes, grouped_suffix<Index>* d_items,
                  cudaStream_t stream) {
  launch(make_grouped_kernel<Index>, num_items, threads, stream, d_groups, d_offsets, count, num_items,
         d_suffixes, d_items);
}

template <class Index>
void take_grouped(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                  std::uint64_t num_items, const grouped_suffix<Index>* d_items, Index* d_suffixes,
                  cudaStream_t stream) {
  launch(take_grouped_kernel<Index>, num_items, threads, stream, d_groups, d_offsets, count, num_items,
         d_items, d_suffixes);
}

template <class Index>
void write_ranks(const Index* d_suffixes, const head_bits& heads, std::uint32_t* d_ranks,
                 cudaStream_t stream) {
  launch(write_ranks_kernel<Index>, heads.size, threads, stream, d_suffixes, heads, d_ranks);
}

template <class Index>
void write_ranks_of_groups(int kind, const group* d_groups, std::uint32_t count, const Index* d_suffixes,
                           const head_bits& heads, std::uint32_t* d_ranks, cudaStream_t stream) {
  with_width<0>(kind, [&](auto width) {
    launch(write_ranks_of_groups_kernel<width(), Index>, std::uint64_t{count} * width(), threads, stream,
           d_groups, count, d_suffixes, heads, d_ranks);
  });
}

template <class Index>
void write_ranks_of_items(const group* d_groups, const std::uint64_t* d_offsets, std::uint32_t count,
                          std::uint64_t num_items, const Index* d_suffixes, const head_bits& heads,
                          std::uint32_t* d_ranks, cudaStream_t stream) {
  launch(write_ranks_of_items_kernel<Index>, num_items, threads, stream, d_groups, d_offsets, count,
         num_items, d_suffixes, heads, d_ranks);
}

template void finish_groups(int, const group*, std::uint32_t, std::uint32_t*, const cover_ranks&,
                            cudaStream_t);
template void take_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t, const void*,
                         std::uint32_t*, const head_bits&, cudaStream_t);
template void make_grouped(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                           const std::uint32_t*, grouped_suffix<std::uint32_t>*, cudaStream_t);
template void take_grouped(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                           const grouped_suffix<std::uint32_t>*, std::uint32_t*, cudaStream_t);
template void write_ranks(const std::uint32_t*, const head_bits&, std::uint32_t*, cudaStream_t);
template void write_ranks_of_groups(int, const group*, std::uint32_t, const std::uint32_t*, const head_bits&,
                                    std::uint32_t*, cudaStream_t);
template void write_ranks_of_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                                   const std::uint32_t*, const head_bits&, std::uint32_t*, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint32_t*, const text_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint32_t*, const text_keys&, std::uint32_t, void*, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint32_t*, const rank_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint32_t*, const rank_keys&, std::uint32_t, void*, cudaStream_t);
template void finish_groups(int, const group*, std::uint32_t, std::uint64_t*, const cover_ranks&,
                            cudaStream_t);
template void take_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t, const void*,
                         std::uint64_t*, const head_bits&, cudaStream_t);
template void make_grouped(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                           const std::uint64_t*, grouped_suffix<std::uint64_t>*, cudaStream_t);
template void take_grouped(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                           const grouped_suffix<std::uint64_t>*, std::uint64_t*, cudaStream_t);
template void write_ranks(const std::uint64_t*, const head_bits&, std::uint32_t*, cudaStream_t);
template void write_ranks_of_groups(int, const group*, std::uint32_t, const std::uint64_t*, const head_bits&,
                                    std::uint32_t*, cudaStream_t);
template void write_ranks_of_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                                   const std::uint64_t*, const head_bits&, std::uint32_t*, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint64_t*, const text_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint64_t*, const text_keys&, std::uint32_t, void*, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint64_t*, const rank_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void make_items(const group*, const std::uint64_t*, std::uint32_t, std::uint64_t,
                         const std::uint64_t*, const rank_keys&, std::uint32_t, void*, cudaStream_t);

} // namespace weft::bwt_cuda
