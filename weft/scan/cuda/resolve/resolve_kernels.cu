#include <weft/scan/cuda/resolve/resolve_kernels.hpp>

#include <cstddef>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>

namespace weft::scan_detail {

using gpu::blocks_for, gpu::this_thread;

namespace {

constexpr unsigned block_threads = 256, scratch_threads = 64;
constexpr std::uint64_t resolved_items = 2048; // items of a block

__global__ void __launch_bounds__(block_threads)
    make_keys_kernel(const __grid_constant__ resolve_job job, std::uint64_t* codes, std::uint64_t n) {
  const std::uint64_t i = this_thread();
  if (i < n) codes[i] = key_of_code(job, codes[i]);
}

__device__ std::uint64_t resolve_end_quickly(const resolve_job& job, std::uint64_t key) {
  if (job.automata.automata[job.keys.motif_of(key)].words > quick_words) return value_deferred;
  std::uint64_t state[quick_words];
  return resolve_end(job, static_cast<std::uint64_t*>(state), key);
}

__device__ std::uint64_t resolve_start_quickly(const resolve_job& job, std::uint64_t key) {
  walk_choice choices[quick_choices];
  walker<no_failures> walk(job.motifs, choices, quick_choices, quick_steps);
  return resolve_start(job, walk, key);
}

// Computes the value of each key. A block first computes the values that need no walk and no automaton, and
// lists its other items; its first threads then process the list. Few items are on the list, and a warp in
// which only some threads walk takes as long as one in which all do.
template <bool Ends>
__global__ void __launch_bounds__(block_threads)
    resolve_kernel(const __grid_constant__ resolve_job job, const std::uint64_t* keys, std::uint64_t* values,
                   std::uint64_t n, deferred_list deferred) {
  __shared__ std::uint16_t noted[resolved_items];
  __shared__ std::uint32_t num_noted;
  if (threadIdx.x == 0) num_noted = 0;
  __syncthreads();
  const std::uint64_t first = blockIdx.x * resolved_items;
  for (std::uint32_t at = threadIdx.x; at < resolved_items && first + at < n; at += block_threads) {
    const std::uint64_t i = first + at, key = keys[i];
    const bool is_duplicate = i > 0 && keys[i - 1] == key;
    const std::uint64_t value = is_duplicate ? value_none : value_without_walk(job, key);
    if (value == value_deferred)
      noted[atomicAdd(&num_noted, 1U)] = static_cast<std::uint16_t>(at);
    else
      values[i] = value;
  }
  __syncthreads();
  for (std::uint32_t at = threadIdx.x; at < num_noted; at += block_threads) {
    const std::uint64_t i = first + noted[at];
    const std::uint64_t value =
        Ends ? resolve_end_quickly(job, keys[i]) : resolve_start_quickly(job, keys[i]);
    values[i] = value;
    if (value != value_deferred) continue;
    const unsigned long long slot = atomicAdd(deferred.count, 1ULL);
    if (slot < deferred.capacity) deferred.items[slot] = static_cast<std::uint32_t>(i);
  }
}

using deferred_walker = patient_walker<noted_failures>;

__device__ deferred_walker walker_of(const resolve_job& job, const resolve_scratch& scratch,
                                     std::uint64_t thread) {
  return {job.motifs,
          scratch.all_choices + thread * scratch.choices,
          scratch.choices,
          {scratch.all_failures + thread * scratch.failures}};
}

template <bool Ends>
__global__ void __launch_bounds__(scratch_threads)
    resolve_deferred_kernel(const __grid_constant__ resolve_job job, const std::uint64_t* keys,
                            std::uint64_t* values, std::uint64_t n, deferred_list deferred,
                            resolve_scratch scratch) {
  const std::uint64_t thread = this_thread(), count = *deferred.count;
  if (thread >= scratch.threads || count == 0) return;
  const bool listed = count <= deferred.capacity;
  for (std::uint64_t i = thread; i < (listed ? count : n); i += scratch.threads) {
    const std::uint64_t item = listed ? deferred.items[i] : i;
    if (values[item] != value_deferred) continue;
    if constexpr (Ends) {
      values[item] = resolve_end(job, scratch.all_states + thread * scratch.states, keys[item]);
    } else {
      deferred_walker walk = walker_of(job, scratch, thread);
      values[item] = resolve_start(job, walk, keys[item]);
    }
  }
}

// Calls each(walk, sequence, motif) for all pairs of a sequence and a motif of `which`.
template <class Each>
__device__ void for_each_optional_start_motif(const resolve_job& job, const optional_start_motifs& which,
                                              const resolve_scratch& scratch, const Each& each) {
  const std::uint64_t thread = this_thread();
  if (thread >= scratch.threads) return;
  deferred_walker walk = walker_of(job, scratch, thread);
  for (std::uint64_t i = thread; i < which.count * which.sequences; i += scratch.threads)
    each(walk, i % which.sequences, which.motifs[i / which.sequences]);
}

__global__ void __launch_bounds__(scratch_threads)
    find_optional_start_motifs_kernel(const __grid_constant__ resolve_job job, optional_start_motifs which,
                                      resolve_scratch scratch, code_buffer to) {
  for_each_optional_start_motif(
      job, which, scratch, [&](deferred_walker& walk, std::uint64_t sequence, std::uint32_t motif) {
        find_optional_start_matches(job, walk, sequence, motif, [&](std::uint64_t begin, std::uint64_t) {
          const unsigned long long at = atomicAdd(to.count, 1ULL);
          if (at < to.capacity) to.codes[at] = code_of_start(job, sequence, motif, begin);
        });
      });
}

__global__ void __launch_bounds__(scratch_threads)
    fill_optional_start_values_kernel(const __grid_constant__ resolve_job job, optional_start_motifs which,
                                      resolve_scratch scratch, const std::uint64_t* keys,
                                      std::uint64_t* values, std::uint64_t n) {
  for_each_optional_start_motif(job, which, scratch,
                                [&](deferred_walker& walk, std::uint64_t sequence, std::uint32_t motif) {
                                  fill_optional_start_values(job, walk, sequence, motif, keys, n, values);
                                });
}

__global__ void __launch_bounds__(block_threads)
    copy_without_flag_kernel(const std::uint64_t* values, std::uint64_t* to, std::uint64_t n) {
  const std::uint64_t i = this_thread();
  if (i < n) to[i] = values[i] & ~over_max_x_flag;
}

__global__ void __launch_bounds__(block_threads)
    select_without_overlap_kernel(const std::uint64_t* keys, const std::uint64_t* reached,
                                  std::uint64_t* values, std::uint64_t n) {
  const std::uint64_t i = this_thread();
  if (i < n && begins_run(keys, reached, i)) select_without_overlap(keys, reached, values, i, n);
}

__device__ bool is_kept(match_filter which, const std::uint64_t* values, std::uint64_t i, std::uint64_t n) {
  if (i >= n) return false;
  return values[i] > (which == match_filter::rising && i > 0 ? values[i - 1] : value_none);
}

__global__ void __launch_bounds__(block_threads)
    count_matches_kernel(match_filter which, const std::uint64_t* values, std::uint64_t n,
                         std::uint64_t* counts) {
  int count = 0;
  for (std::uint64_t i = blockIdx.x * tile_items; i < (blockIdx.x + 1) * tile_items; i += block_threads)
    count += __syncthreads_count(is_kept(which, values, i + threadIdx.x, n));
  if (threadIdx.x == 0) counts[blockIdx.x] = static_cast<std::uint64_t>(count);
}

// Writes a match as two 16-byte vectors. The padding between members becomes 0.
__device__ void write_match(scan_match* to, std::uint32_t sequence, std::uint32_t motif, std::uint64_t begin,
                            std::uint64_t end, bool reverse) {
  static_assert(sizeof(scan_match) == 2 * sizeof(uint4) && offsetof(scan_match, motif) == 4 &&
                offsetof(scan_match, begin) == 8 && offsetof(scan_match, end) == 16 &&
                offsetof(scan_match, strand) == 24 && static_cast<int>(strand::reverse) == 1);
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  auto* const vectors = reinterpret_cast<uint4*>(to);
  vectors[0] = {sequence, motif, low(begin), low(begin >> 32)};
  vectors[1] = {low(end), low(end >> 32), reverse ? 1U : 0U, 0U};
}

__device__ void write_item(const resolve_job& job, const match_sink& to, std::uint64_t at, std::uint64_t key,
                           std::uint64_t value) {
  const std::uint64_t sequence = job.keys.sequence_of(key);
  match_range range = range_of(job, key, value);
  if (to.matches != nullptr)
    return write_match(to.matches + at, to.first_sequence + static_cast<std::uint32_t>(sequence),
                       job.keys.motif_of(key), range.begin, range.end, false);
  if (to.reverse) {
    const std::uint64_t size = size_of_sequence(job, sequence);
    range = {size - range.end, size - range.begin};
  }
  to.begins[at] = job.keys.with_offset(key, range.begin);
  to.ends[at] = range.end << 1 | (to.reverse ? 1 : 0);
}

__global__ void __launch_bounds__(block_threads)
    write_matches_kernel(const __grid_constant__ resolve_job job, match_filter which,
                         const std::uint64_t* keys, const std::uint64_t* values, std::uint64_t n,
                         const std::uint64_t* tile_offsets, match_sink to) {
  __shared__ std::uint32_t of_warps[block_threads / 32];
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::uint64_t first = tile_offsets[blockIdx.x];
  for (std::uint64_t tile = blockIdx.x * tile_items, step = 0; step < tile_items; step += block_threads) {
    const std::uint64_t i = tile + step + threadIdx.x;
    const bool keep = is_kept(which, values, i, n);
    const std::uint32_t who = __ballot_sync(0xffffffffU, keep);
    if (lane == 0) of_warps[warp] = static_cast<std::uint32_t>(__popc(who));
    __syncthreads();
    std::uint32_t before = static_cast<std::uint32_t>(__popc(who & ((1U << lane) - 1))), all = 0;
    for (std::uint32_t w = 0; w < block_threads / 32; ++w) {
      before += w < warp ? of_warps[w] : 0;
      all += of_warps[w];
    }
    if (keep) write_item(job, to, first + before, keys[i], values[i]);
    first += all;
    __syncthreads(); // all threads have read of_warps before it is overwritten
  }
}

__global__ void __launch_bounds__(block_threads)
    write_sorted_kernel(const match_keys keys, const std::uint64_t* begins, const std::uint64_t* ends,
                        std::uint64_t n, std::uint32_t first_sequence, scan_match* matches) {
  const std::uint64_t i = this_thread();
  if (i >= n) return;
  const std::uint64_t key = begins[i], end = ends[i];
  write_match(matches + i, first_sequence + static_cast<std::uint32_t>(keys.sequence_of(key)),
              keys.motif_of(key), keys.offset_of(key), end >> 1, (end & 1) != 0);
}

void check_launch() { gpu::check(cudaGetLastError(), "start the search for the matches of occurrences"); }

} // namespace

void make_keys(const resolve_job& job, std::uint64_t* codes, std::uint64_t n, cudaStream_t stream) {
  make_keys_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(job, codes, n);
  check_launch();
}

void resolve(const resolve_job& job, const std::uint64_t* keys, std::uint64_t* values, std::uint64_t n,
             const deferred_list& deferred, cudaStream_t stream) {
  const auto kernel = job.rule == match_rule::ends ? resolve_kernel<true> : resolve_kernel<false>;
  kernel<<<blocks_for(n, resolved_items), block_threads, 0, stream>>>(job, keys, values, n, deferred);
  check_launch();
}

void resolve_deferred(const resolve_job& job, const std::uint64_t* keys, std::uint64_t* values,
                      std::uint64_t n, const deferred_list& deferred, const resolve_scratch& scratch,
                      cudaStream_t stream) {
  const auto kernel =
      job.rule == match_rule::ends ? resolve_deferred_kernel<true> : resolve_deferred_kernel<false>;
  kernel<<<blocks_for(scratch.threads, scratch_threads), scratch_threads, 0, stream>>>(job, keys, values, n,
                                                                                       deferred, scratch);
  check_launch();
}

void find_optional_start_motifs(const resolve_job& job, const optional_start_motifs& which,
                                const resolve_scratch& scratch, const code_buffer& to, cudaStream_t stream) {
  find_optional_start_motifs_kernel<<<blocks_for(scratch.threads, scratch_threads), scratch_threads, 0,
                                      stream>>>(job, which, scratch, to);
  check_launch();
}

void fill_optional_start_values(const resolve_job& job, const optional_start_motifs& which,
                                const resolve_scratch& scratch, const std::uint64_t* keys,
                                std::uint64_t* values, std::uint64_t n, cudaStream_t stream) {
  fill_optional_start_values_kernel<<<blocks_for(scratch.threads, scratch_threads), scratch_threads, 0,
                                      stream>>>(job, which, scratch, keys, values, n);
  check_launch();
}

void copy_without_flag(const std::uint64_t* values, std::uint64_t* to, std::uint64_t n, cudaStream_t stream) {
  copy_without_flag_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(values, to, n);
  check_launch();
}

void select_without_overlap(const std::uint64_t* keys, const std::uint64_t* reached, std::uint64_t* values,
                            std::uint64_t n, cudaStream_t stream) {
  select_without_overlap_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(keys, reached,
                                                                                            values, n);
  check_launch();
}

void count_matches(match_filter which, const std::uint64_t* values, std::uint64_t n, std::uint64_t* counts,
                   cudaStream_t stream) {
  count_matches_kernel<<<static_cast<unsigned>(tiles(n)), block_threads, 0, stream>>>(which, values, n,
                                                                                      counts);
  check_launch();
}

void write_matches(const resolve_job& job, match_filter which, const std::uint64_t* keys,
                   const std::uint64_t* values, std::uint64_t n, const std::uint64_t* tile_offsets,
                   const match_sink& to, cudaStream_t stream) {
  write_matches_kernel<<<static_cast<unsigned>(tiles(n)), block_threads, 0, stream>>>(
      job, which, keys, values, n, tile_offsets, to);
  check_launch();
}

void write_sorted(const match_keys& keys, const std::uint64_t* begins, const std::uint64_t* ends,
                  std::uint64_t n, std::uint32_t first_sequence, scan_match* matches, cudaStream_t stream) {
  write_sorted_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(keys, begins, ends, n,
                                                                                  first_sequence, matches);
  check_launch();
}

} // namespace weft::scan_detail
