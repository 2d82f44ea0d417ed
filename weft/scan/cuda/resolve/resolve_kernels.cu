#include <weft/scan/cuda/resolve/resolve_kernels.hpp>

#include <cstddef>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/grid.cuh>

namespace weft::scan_cuda {

using namespace scan_detail;
using gpu::blocks_for, gpu::this_thread;

namespace {

constexpr unsigned block_threads = 256, scratch_threads = 64;
constexpr std::uint64_t resolved_items = 2048; // by a block

__global__ void __launch_bounds__(block_threads)
    make_keys_kernel(const __grid_constant__ resolve_job job, std::uint64_t* found, std::uint64_t n) {
  const std::uint64_t i = this_thread();
  if (i < n) found[i] = key_of_found(job, found[i]);
}

__device__ std::uint64_t resolve_end_in_few(const resolve_job& job, std::uint64_t key) {
  if (job.automata.automata[job.keys.motif_of(key)].words > few_words) return value_left;
  std::uint64_t state[few_words];
  return resolve_end(job, static_cast<std::uint64_t*>(state), key);
}

__device__ std::uint64_t resolve_start_in_few(const resolve_job& job, std::uint64_t key) {
  flat_choice choices[few_choices];
  flat_walker<no_failures> walk(job.motifs, choices, few_choices, few_steps);
  return resolve_start(job, walk, key);
}

// A block notes which of its items need a walk, or an automaton, and then has its first threads do these: few
// do, and warps with one here and there would take as long as with all.
template <bool Ends>
__global__ void __launch_bounds__(block_threads)
    resolve_kernel(const __grid_constant__ resolve_job job, const std::uint64_t* keys, std::uint64_t* values,
                   std::uint64_t n, left_list left) {
  __shared__ std::uint16_t noted[resolved_items];
  __shared__ std::uint32_t num_noted;
  if (threadIdx.x == 0) num_noted = 0;
  __syncthreads();
  const std::uint64_t first = blockIdx.x * resolved_items;
  for (std::uint32_t at = threadIdx.x; at < resolved_items && first + at < n; at += block_threads) {
    const std::uint64_t i = first + at, key = keys[i];
    const bool again = i > 0 && keys[i - 1] == key;
    const std::uint64_t value = again ? value_none : value_at_once(job, key);
    if (value == value_left)
      noted[atomicAdd(&num_noted, 1U)] = static_cast<std::uint16_t>(at);
    else
      values[i] = value;
  }
  __syncthreads();
  for (std::uint32_t at = threadIdx.x; at < num_noted; at += block_threads) {
    const std::uint64_t i = first + noted[at];
    const std::uint64_t value = Ends ? resolve_end_in_few(job, keys[i]) : resolve_start_in_few(job, keys[i]);
    values[i] = value;
    if (value != value_left) continue;
    const unsigned long long place = atomicAdd(left.count, 1ULL);
    if (place < left.capacity) left.items[place] = static_cast<std::uint32_t>(i);
  }
}

__device__ patient_walker walker_of(const resolve_job& job, const resolve_scratch& scratch,
                                    std::uint64_t thread) {
  return {job.motifs, scratch.all_choices + thread * scratch.choices, scratch.choices,
          scratch.all_failures + thread * scratch.failures};
}

template <bool Ends>
__global__ void __launch_bounds__(scratch_threads)
    resolve_left_kernel(const __grid_constant__ resolve_job job, const std::uint64_t* keys,
                        std::uint64_t* values, std::uint64_t n, left_list left, resolve_scratch scratch) {
  const std::uint64_t thread = this_thread(), count = *left.count;
  if (thread >= scratch.threads || count == 0) return;
  const bool listed = count <= left.capacity;
  for (std::uint64_t i = thread; i < (listed ? count : n); i += scratch.threads) {
    const std::uint64_t item = listed ? left.items[i] : i;
    if (values[item] != value_left) continue;
    if constexpr (Ends) {
      values[item] = resolve_end(job, scratch.all_states + thread * scratch.states, keys[item]);
    } else {
      patient_walker walk = walker_of(job, scratch, thread);
      values[item] = resolve_start(job, walk, keys[item]);
    }
  }
}

// each(walk, sequence, motif) of all that are asked for.
template <class Each>
__device__ void each_from_start(const resolve_job& job, const start_motifs& which,
                                const resolve_scratch& scratch, const Each& each) {
  const std::uint64_t thread = this_thread();
  if (thread >= scratch.threads) return;
  patient_walker walk = walker_of(job, scratch, thread);
  for (std::uint64_t i = thread; i < which.count * which.sequences; i += scratch.threads)
    each(walk, i % which.sequences, which.motifs[i / which.sequences]);
}

__global__ void __launch_bounds__(scratch_threads)
    find_from_starts_kernel(const __grid_constant__ resolve_job job, start_motifs which,
                            resolve_scratch scratch, found_buffer to) {
  each_from_start(job, which, scratch,
                  [&](patient_walker& walk, std::uint64_t sequence, std::uint32_t motif) {
                    scan_from_starts(job, walk, sequence, motif, [&](std::uint64_t begin, std::uint64_t) {
                      const unsigned long long at = atomicAdd(to.count, 1ULL);
                      if (at < to.capacity) to.found[at] = found_from_start(job, sequence, motif, begin);
                    });
                  });
}

__global__ void __launch_bounds__(scratch_threads)
    fill_from_starts_kernel(const __grid_constant__ resolve_job job, start_motifs which,
                            resolve_scratch scratch, const std::uint64_t* keys, std::uint64_t* values,
                            std::uint64_t n) {
  each_from_start(job, which, scratch,
                  [&](patient_walker& walk, std::uint64_t sequence, std::uint32_t motif) {
                    scan_detail::fill_from_starts(job, walk, sequence, motif, keys, n, values);
                  });
}

__global__ void __launch_bounds__(block_threads)
    copy_plain_kernel(const std::uint64_t* values, std::uint64_t* to, std::uint64_t n) {
  const std::uint64_t i = this_thread();
  if (i < n) to[i] = values[i] & ~too_many_unknown;
}

__global__ void __launch_bounds__(block_threads)
    take_in_turn_kernel(const std::uint64_t* keys, const std::uint64_t* reached, std::uint64_t* values,
                        std::uint64_t n) {
  const std::uint64_t i = this_thread();
  if (i < n && begins_run(keys, reached, i)) scan_detail::take_in_turn(keys, reached, values, i, n);
}

__device__ bool is_kept(kept which, const std::uint64_t* values, std::uint64_t i, std::uint64_t n) {
  if (i >= n) return false;
  return values[i] > (which == kept::rising && i > 0 ? values[i - 1] : value_none);
}

__global__ void __launch_bounds__(block_threads)
    count_matches_kernel(kept which, const std::uint64_t* values, std::uint64_t n, std::uint64_t* counts) {
  int count = 0;
  for (std::uint64_t i = blockIdx.x * tile_items; i < (blockIdx.x + 1) * tile_items; i += block_threads)
    count += __syncthreads_count(is_kept(which, values, i + threadIdx.x, n));
  if (threadIdx.x == 0) counts[blockIdx.x] = static_cast<std::uint64_t>(count);
}

// As two vectors; what lies between members becomes 0.
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
  match_places places = places_of(job, key, value);
  if (to.matches != nullptr)
    return write_match(to.matches + at, to.first_sequence + static_cast<std::uint32_t>(sequence),
                       job.keys.motif_of(key), places.begin, places.end, false);
  if (to.reverse) {
    const std::uint64_t size = size_of_sequence(job, sequence);
    places = {size - places.end, size - places.begin};
  }
  to.begins[at] = job.keys.moved(key, places.begin);
  to.ends[at] = places.end << 1 | (to.reverse ? 1 : 0);
}

__global__ void __launch_bounds__(block_threads)
    write_matches_kernel(const __grid_constant__ resolve_job job, kept which, const std::uint64_t* keys,
                         const std::uint64_t* values, std::uint64_t n, const std::uint64_t* places,
                         match_sink to) {
  __shared__ std::uint32_t of_warps[block_threads / 32];
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::uint64_t first = places[blockIdx.x];
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
    __syncthreads(); // the numbers have been read
  }
}

__global__ void __launch_bounds__(block_threads)
    write_sorted_kernel(const match_keys keys, const std::uint64_t* begins, const std::uint64_t* ends,
                        std::uint64_t n, std::uint32_t first_sequence, scan_match* matches) {
  const std::uint64_t i = this_thread();
  if (i >= n) return;
  const std::uint64_t key = begins[i], end = ends[i];
  write_match(matches + i, first_sequence + static_cast<std::uint32_t>(keys.sequence_of(key)),
              keys.motif_of(key), keys.place_of(key), end >> 1, (end & 1) != 0);
}

void check_launch() { gpu::check(cudaGetLastError(), "resolve what was found"); }

} // namespace

void make_keys(const resolve_job& job, std::uint64_t* found, std::uint64_t n, cudaStream_t stream) {
  make_keys_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(job, found, n);
  check_launch();
}

void resolve(const resolve_job& job, const std::uint64_t* keys, std::uint64_t* values, std::uint64_t n,
             const left_list& left, cudaStream_t stream) {
  const auto kernel = job.rule == match_rule::ends ? resolve_kernel<true> : resolve_kernel<false>;
  kernel<<<blocks_for(n, resolved_items), block_threads, 0, stream>>>(job, keys, values, n, left);
  check_launch();
}

void resolve_left(const resolve_job& job, const std::uint64_t* keys, std::uint64_t* values, std::uint64_t n,
                  const left_list& left, const resolve_scratch& scratch, cudaStream_t stream) {
  const auto kernel = job.rule == match_rule::ends ? resolve_left_kernel<true> : resolve_left_kernel<false>;
  kernel<<<blocks_for(scratch.threads, scratch_threads), scratch_threads, 0, stream>>>(job, keys, values, n,
                                                                                       left, scratch);
  check_launch();
}

void find_from_starts(const resolve_job& job, const start_motifs& which, const resolve_scratch& scratch,
                      const found_buffer& to, cudaStream_t stream) {
  find_from_starts_kernel<<<blocks_for(scratch.threads, scratch_threads), scratch_threads, 0, stream>>>(
      job, which, scratch, to);
  check_launch();
}

void fill_from_starts(const resolve_job& job, const start_motifs& which, const resolve_scratch& scratch,
                      const std::uint64_t* keys, std::uint64_t* values, std::uint64_t n,
                      cudaStream_t stream) {
  fill_from_starts_kernel<<<blocks_for(scratch.threads, scratch_threads), scratch_threads, 0, stream>>>(
      job, which, scratch, keys, values, n);
  check_launch();
}

void copy_plain(const std::uint64_t* values, std::uint64_t* to, std::uint64_t n, cudaStream_t stream) {
  copy_plain_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(values, to, n);
  check_launch();
}

void take_in_turn(const std::uint64_t* keys, const std::uint64_t* reached, std::uint64_t* values,
                  std::uint64_t n, cudaStream_t stream) {
  take_in_turn_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(keys, reached, values, n);
  check_launch();
}

void count_matches(kept which, const std::uint64_t* values, std::uint64_t n, std::uint64_t* counts,
                   cudaStream_t stream) {
  count_matches_kernel<<<static_cast<unsigned>(tiles(n)), block_threads, 0, stream>>>(which, values, n,
                                                                                      counts);
  check_launch();
}

void write_matches(const resolve_job& job, kept which, const std::uint64_t* keys, const std::uint64_t* values,
                   std::uint64_t n, const std::uint64_t* places, const match_sink& to, cudaStream_t stream) {
  write_matches_kernel<<<static_cast<unsigned>(tiles(n)), block_threads, 0, stream>>>(job, which, keys,
                                                                                      values, n, places, to);
  check_launch();
}

void write_sorted(const match_keys& keys, const std::uint64_t* begins, const std::uint64_t* ends,
                  std::uint64_t n, std::uint32_t first_sequence, scan_match* matches, cudaStream_t stream) {
  write_sorted_kernel<<<blocks_for(n, block_threads), block_threads, 0, stream>>>(keys, begins, ends, n,
                                                                                  first_sequence, matches);
  check_launch();
}

} // namespace weft::scan_cuda
