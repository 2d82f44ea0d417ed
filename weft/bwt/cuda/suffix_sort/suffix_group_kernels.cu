// What tells the suffixes of small groups apart (suffix_kernels.hpp).
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

#include <algorithm>
#include <weft/bwt/cuda/suffix_sort/suffix_device.cuh>

namespace weft::bwt_cuda {

namespace {

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

// Where a key belongs among those of its group: how many are less, how many are equal, and how many of these
// are ahead of it.
struct key_place {
  std::uint32_t less = 0, equal = 0, ahead = 0;
  __device__ void add(std::uint64_t other, std::uint64_t key, bool is_ahead) {
    less += static_cast<std::uint32_t>(other < key);
    equal += static_cast<std::uint32_t>(other == key);
    ahead += static_cast<std::uint32_t>(other == key && is_ahead);
  }
};

// Lanes of a warp: each looks at all keys of its group, which stand in shared memory from `begin` on.
template <int Width> struct key_places {
  __device__ static key_place of(std::uint64_t key, std::uint32_t lane, const std::uint64_t* keys,
                                 std::uint32_t begin, std::uint32_t size) {
    key_place place;
    for (std::uint32_t j = begin; j < begin + size; ++j) place.add(keys[j], key, j < lane);
    return place;
  }
};

// A block: most keys of a group are often as that of its first suffix. Those that are not are listed, and
// each thread looks at these. All threads call it.
template <int Width>
requires(Width > 32) struct key_places<Width> {
  __device__ static key_place of(std::uint64_t key, std::uint32_t lane, const std::uint64_t* keys,
                                 std::uint32_t begin, std::uint32_t size) {
    __shared__ std::uint64_t others[Width];
    __shared__ std::uint16_t before[Width + 1]; // others in lanes before
    __shared__ std::uint32_t of_warps[Width / 32];
    const std::uint64_t first = keys[begin];
    const bool other = key != first;
    const unsigned all = __ballot_sync(~0U, other), below = (1U << (lane % 32)) - 1;
    if (lane % 32 == 0) of_warps[lane / 32] = static_cast<std::uint32_t>(__popc(all));
    __syncthreads();
    std::uint32_t mine = static_cast<std::uint32_t>(__popc(all & below));
    for (std::uint32_t w = 0; w < lane / 32; ++w) mine += of_warps[w];
    before[lane] = static_cast<std::uint16_t>(mine);
    if (lane == Width - 1)
      before[Width] = static_cast<std::uint16_t>(mine + static_cast<std::uint32_t>(other));
    if (other) others[mine] = key;
    __syncthreads();
    const std::uint32_t from = before[begin], to = before[begin + size], same = size - (to - from);
    key_place place;
    for (std::uint32_t j = from; j < to; ++j) place.add(others[j], key, j < mine);
    if (!other) {
      place.equal = same;
      place.ahead = lane - begin - (mine - from);
    } else if (first < key) {
      place.less += same;
    }
    return place;
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
      const key_place place = key_places<Width>::of(key, lane, shared_keys + of_team, begin, size);
      const std::uint32_t to = of_team + begin + place.less + place.ahead;
      shared_suffixes[to] = suffix;
      shared_begins[to] = static_cast<std::uint16_t>(begin + place.less);
      shared_sizes[to] = static_cast<std::uint16_t>(place.equal);
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
    constexpr std::uint64_t max_blocks = (1U << 18) / threads_of_block; // a block's table is for many groups
    const std::uint64_t in_all = std::min(std::uint64_t{count} * width(), max_blocks * threads_of_block);
    if constexpr (kind_of(width()) >= block_groups)
      launch(finish_blocks_kernel<width(), Index>, in_all, threads_of_block, stream, d_groups, count,
             d_suffixes, ranks);
    else
      launch(finish_groups_kernel<width(), Index>, in_all, threads_of_block, stream, d_groups, count,
             d_suffixes, ranks);
  });
}

template void finish_groups(int, const group*, std::uint32_t, std::uint32_t*, const cover_ranks&,
                            cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint32_t*, const text_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint32_t*, const further_ranks&,
                            std::uint32_t, std::uint32_t, const head_bits&, cudaStream_t);
template void finish_groups(int, const group*, std::uint32_t, std::uint64_t*, const cover_ranks&,
                            cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint64_t*, const text_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint64_t*, const further_ranks&,
                            std::uint32_t, std::uint32_t, const head_bits&, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint32_t*, const part_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);
template void refine_groups(int, const group*, std::uint32_t, std::uint64_t*, const part_keys&, std::uint32_t,
                            std::uint32_t, const head_bits&, cudaStream_t);

} // namespace weft::bwt_cuda
