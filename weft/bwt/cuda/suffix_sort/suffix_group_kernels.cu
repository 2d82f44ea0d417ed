// Kernels that sort the suffixes of small groups (suffix_kernels.hpp).
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

#include <algorithm>
#include <weft/bwt/cuda/suffix_sort/suffix_device.cuh>

namespace weft::bwt_detail {

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
      mark_head(heads, begin + 1);
      break;
    }
  }
}

// A team is the Width threads that sort one group together: lanes of a warp, or a whole block.
template <int Width> struct team {
  static constexpr int threads = Width <= 32 ? bwt_detail::threads : Width; // per block
  static constexpr std::uint64_t groups_per_block = threads / Width;
  static __device__ std::uint32_t lane() { return threadIdx.x % Width; }
  static __device__ void synchronize() {
    if constexpr (Width <= 32)
      __syncwarp();
    else
      __syncthreads();
  }
  // Returns whether `holds` is true in any thread of the warp (of several teams, then) or of the block. Also
  // a barrier for these threads.
  static __device__ bool any(bool holds) {
    if constexpr (Width > 32) return __syncthreads_or(holds) != 0;
    const bool some = __any_sync(~0U, holds);
    __syncwarp();
    return some;
  }
};

// The position of a key among the keys of its group: how many keys are less, how many are equal (itself
// included), and how many of the equal ones are ahead of it.
struct key_rank {
  std::uint32_t less = 0, equal = 0, ahead = 0;
  __device__ void add(std::uint64_t other, std::uint64_t key, bool is_ahead) {
    less += static_cast<std::uint32_t>(other < key);
    equal += static_cast<std::uint32_t>(other == key);
    ahead += static_cast<std::uint32_t>(other == key && is_ahead);
  }
};

// For teams within a warp: each lane compares its key with all keys of its group, which are keys[begin ..
// begin + size - 1] in shared memory.
template <int Width> struct key_ranker {
  __device__ static key_rank rank_of(std::uint64_t key, std::uint32_t lane, const std::uint64_t* keys,
                                     std::uint32_t begin, std::uint32_t size) {
    key_rank rank;
    for (std::uint32_t j = begin; j < begin + size; ++j) rank.add(keys[j], key, j < lane);
    return rank;
  }
};

// For teams of a whole block: most keys of a group are often equal to the key of its first suffix. The other
// keys are listed, and each thread compares its key with the listed ones only. All threads of the block must
// call `of`.
template <int Width>
requires(Width > 32) struct key_ranker<Width> {
  __device__ static key_rank rank_of(std::uint64_t key, std::uint32_t lane, const std::uint64_t* keys,
                                     std::uint32_t begin, std::uint32_t size) {
    __shared__ std::uint64_t others[Width];
    __shared__ std::uint16_t before[Width + 1]; // number of listed keys in lower lanes
    __shared__ std::uint32_t warp_counts[Width / 32];
    const std::uint64_t first = keys[begin];
    const bool other = key != first;
    const unsigned all = __ballot_sync(~0U, other), below = (1U << (lane % 32)) - 1;
    if (lane % 32 == 0) warp_counts[lane / 32] = static_cast<std::uint32_t>(__popc(all));
    __syncthreads();
    std::uint32_t listed_before = static_cast<std::uint32_t>(__popc(all & below));
    for (std::uint32_t w = 0; w < lane / 32; ++w) listed_before += warp_counts[w];
    before[lane] = static_cast<std::uint16_t>(listed_before);
    if (lane == Width - 1)
      before[Width] = static_cast<std::uint16_t>(listed_before + static_cast<std::uint32_t>(other));
    if (other) others[listed_before] = key;
    __syncthreads();
    const std::uint32_t from = before[begin], to = before[begin + size], same = size - (to - from);
    key_rank rank;
    for (std::uint32_t j = from; j < to; ++j) rank.add(others[j], key, j < listed_before);
    if (!other) {
      rank.equal = same;
      rank.ahead = lane - begin - (listed_before - from);
    } else if (first < key) {
      rank.less += same;
    }
    return rank;
  }
};

// Refines groups with one thread per suffix. Suffixes that are still equal are adjacent; each thread keeps
// the lane at which its run of equal suffixes begins, and the length of the run. Most rounds change nothing,
// because all keys of a run are equal to its first key.
template <int Width, class Index, class Keys>
__global__ void __launch_bounds__(team<Width>::threads)
    refine_groups_kernel(const group* groups, std::uint32_t count, Index* suffixes, Keys keys,
                         std::uint32_t first, std::uint32_t end, head_bits heads) {
  using team = bwt_detail::team<Width>;
  __shared__ std::uint64_t shared_keys[team::threads];
  __shared__ Index shared_suffixes[team::threads];
  __shared__ std::uint16_t shared_begins[team::threads], shared_sizes[team::threads];
  const std::uint32_t lane = team::lane(), team_begin = threadIdx.x - lane;
  for (std::uint64_t base = blockIdx.x * team::groups_per_block; base < count;
       base += gridDim.x * team::groups_per_block) {
    const std::uint64_t g = base + threadIdx.x / Width;
    const group own_group = g < count ? groups[g] : group{0, 0};
    const bool has_suffix = lane < own_group.size;
    Index suffix = has_suffix ? suffixes[own_group.begin + lane] : Index{0};
    // The run of suffixes that are equal to this one so far.
    std::uint32_t begin = has_suffix ? 0 : lane, size = has_suffix ? own_group.size : 1;
    for (std::uint32_t round = first; round < end && team::any(size > 1); ++round) {
      const std::uint64_t key = size > 1 ? keys(suffix, round) : 0;
      shared_keys[threadIdx.x] = key;
      team::synchronize();
      if (!team::any(size > 1 && key != shared_keys[team_begin + begin])) continue;
      const key_rank rank = key_ranker<Width>::rank_of(key, lane, shared_keys + team_begin, begin, size);
      const std::uint32_t to = team_begin + begin + rank.less + rank.ahead;
      shared_suffixes[to] = suffix;
      shared_begins[to] = static_cast<std::uint16_t>(begin + rank.less);
      shared_sizes[to] = static_cast<std::uint16_t>(rank.equal);
      team::synchronize();
      suffix = shared_suffixes[threadIdx.x];
      begin = shared_begins[threadIdx.x];
      size = shared_sizes[threadIdx.x];
      team::synchronize();
    }
    if (!has_suffix) continue;
    suffixes[own_group.begin + lane] = suffix;
    if (begin == lane && lane > 0) mark_head(heads, own_group.begin + lane);
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

// The ranks of the cover that a block needs for the suffixes of its threads. The positions of the cover
// within one period from a suffix on have consecutive numbers, so their ranks are adjacent in memory and are
// read at once. A table tells, for the residues of two suffixes modulo the period, which rank of each of them
// to compare.
template <int Threads> struct shared_cover {
  std::uint32_t ranks[Threads * cover_size];
  std::uint8_t residues[Threads];
  // For two residues, 16 * the index of the rank of the first suffix + that of the second.
  std::uint8_t pairs[cover_period * cover_period];

  __device__ void set_pairs() {
    constexpr std::uint32_t period = cover_period;
    for (std::uint32_t i = threadIdx.x; i < period * period; i += Threads) {
      const std::uint32_t a = i / period, b = i % period, shift = bwt_detail::cover_shift(a, b);
      pairs[i] = static_cast<std::uint8_t>(16 * bwt_detail::cover_steps(a, shift) +
                                           bwt_detail::cover_steps(b, shift));
    }
  }
  template <class Index> __device__ void set(Index suffix, const cover_ranks& all) {
    const Index number = bwt_detail::cover_number(suffix);
    for (std::uint32_t k = 0; k < cover_size; ++k)
      ranks[threadIdx.x * cover_size + k] = all.ranks[number + k];
    residues[threadIdx.x] = static_cast<std::uint8_t>(suffix % cover_period);
  }
  // Returns whether the suffix of thread a is less than that of thread b; a != b.
  __device__ bool less(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t pair = pairs[residues[a] * cover_period + residues[b]];
    return ranks[a * cover_size + pair / 16] < ranks[b * cover_size + pair % 16];
  }
};

// Sorts groups by the cover: each thread counts the suffixes of its group that are less than its own.
template <int Width, class Index>
__global__ void __launch_bounds__(threads)
    finish_groups_kernel(const group* groups, std::uint32_t count, Index* suffixes, cover_ranks ranks) {
  using team = bwt_detail::team<Width>;
  __shared__ shared_cover<threads> cover;
  cover.set_pairs();
  __syncthreads();
  const std::uint32_t lane = team::lane(), team_begin = threadIdx.x - lane;
  for (std::uint64_t base = blockIdx.x * team::groups_per_block; base < count;
       base += gridDim.x * team::groups_per_block) {
    const std::uint64_t g = base + threadIdx.x / Width;
    const group own_group = g < count ? groups[g] : group{0, 0};
    const bool has_suffix = lane < own_group.size;
    const Index suffix = has_suffix ? suffixes[own_group.begin + lane] : Index{0};
    if (has_suffix) cover.set(suffix, ranks);
    team::synchronize();
    std::uint32_t before = 0;
    for (std::uint32_t j = 0; has_suffix && j < own_group.size; ++j)
      if (j != lane) before += static_cast<std::uint32_t>(cover.less(team_begin + j, threadIdx.x));
    if (has_suffix) suffixes[own_group.begin + before] = suffix;
    team::synchronize();
  }
}

// Sorts one group per block by the cover: a bitonic sort (Batcher, AFIPS 1968) of the indexes of the group's
// suffixes. Indexes behind the end of the group count as greater than all others.
template <int Width, class Index>
__global__ void __launch_bounds__(Width)
    finish_blocks_kernel(const group* groups, std::uint32_t count, Index* suffixes, cover_ranks ranks) {
  __shared__ shared_cover<Width> cover;
  __shared__ std::uint8_t order[Width];
  __shared__ Index shared_suffixes[Width];
  cover.set_pairs();
  for (std::uint32_t g = blockIdx.x; g < count; g += gridDim.x) {
    const group own_group = groups[g];
    const bool has_suffix = threadIdx.x < own_group.size;
    order[threadIdx.x] = static_cast<std::uint8_t>(threadIdx.x);
    if (has_suffix) {
      shared_suffixes[threadIdx.x] = suffixes[own_group.begin + threadIdx.x];
      cover.set(shared_suffixes[threadIdx.x], ranks);
    }
    __syncthreads();
    for (std::uint32_t run = 2; run < 2 * own_group.size; run *= 2)
      for (std::uint32_t step = run / 2; step > 0; step /= 2) {
        const std::uint32_t i = threadIdx.x, j = i ^ step;
        if (j > i && i < run * ((own_group.size + run - 1) / run)) {
          const std::uint32_t a = order[i], b = order[j];
          const bool rises = (i & run) == 0 || run >= own_group.size;
          // `greater`: a is greater than b; `smaller`: a is less than b.
          const bool greater =
              a >= own_group.size ? b < own_group.size : b < own_group.size && cover.less(b, a);
          const bool smaller = b >= own_group.size ? a < own_group.size : a < own_group.size && !greater;
          if (rises ? greater : smaller) {
            order[i] = static_cast<std::uint8_t>(b);
            order[j] = static_cast<std::uint8_t>(a);
          }
        }
        __syncthreads();
      }
    if (has_suffix) suffixes[own_group.begin + threadIdx.x] = shared_suffixes[order[threadIdx.x]];
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
    // Each block fills its table of residues once and uses it for many groups.
    constexpr std::uint64_t max_blocks = (1U << 18) / threads_of_block;
    const std::uint64_t num_threads = std::min(std::uint64_t{count} * width(), max_blocks * threads_of_block);
    if constexpr (kind_of(width()) >= block_groups)
      launch(finish_blocks_kernel<width(), Index>, num_threads, threads_of_block, stream, d_groups, count,
             d_suffixes, ranks);
    else
      launch(finish_groups_kernel<width(), Index>, num_threads, threads_of_block, stream, d_groups, count,
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

} // namespace weft::bwt_detail
