// The kernels compute, for each position of the text and each variant:
//
//     if (each stream of the variant's filter has the position's bit set) check the text at the position
//
// A block processes one tile after another. It keeps the streams of a tile in shared memory, with 16 bytes
// for 128 positions, so that one load of a warp reads a whole stream of the tile. Each warp takes some
// filters at a time and appends candidates to memory of its own, which holds more candidates than one variant
// can have in a tile. When a block has many candidates, all of its threads check them, one candidate for each
// thread. Candidates of rows with gaps that are not written out are collected and checked by a second launch,
// ordered by variant. Two blocks run on each multiprocessor, so that one filters while the other makes
// streams or checks candidates.
#include <weft/base/cuda/grid.cuh>
#include <weft/base/cuda/kernel_limits.hpp>
#include <weft/base/cuda/two_phases.hpp>
#include <weft/scan/cuda/bit_stream/bit_stream_check.cuh>
#include <weft/scan/cuda/bit_stream/bit_stream_filter.cuh>
#include <weft/scan/cuda/bit_stream/bit_stream_shared.cuh>
#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>
#include <weft/scan/cuda/bit_stream/bit_stream_tile.cuh>
#include <weft/scan/cuda/resolve/sort_occurrences.hpp>

#include <algorithm>
#include <bit>

namespace weft::scan_detail {

namespace {

// The parameter of the kernels: what to search, and where the results go.
struct scan_job {
  stream_tables tables;
  device_text text;
  std::uint64_t begin, end, mirrored_size, first_tile, last_tile;
  code_buffer to;
  std::uint64_t *candidates, *rows; // of all blocks; each entry is variant << variant_shift | position
  uint4* survivor_bits;             // of all blocks: positions that pass shared filters
  std::uint32_t* survivor_origins;
  // Entries for the second launch, in the same form: rows that are checked after all tiles have been
  // filtered.
  code_buffer deferred_rows;
};

__device__ inline void write_found(const scan_job& job, unsigned long long at, std::uint32_t motif,
                                   std::uint64_t start) {
  if (at >= job.to.capacity) return;
  const std::uint64_t position = job.mirrored_size == 0 ? start : job.mirrored_size - start;
  job.to.codes[at] = static_cast<std::uint64_t>(motif) << position_bits | position;
}

// Adds an occurrence for each lane whose `good` is true. Called by all lanes of a warp.
__device__ inline void add_found(const scan_job& job, bool good, std::uint32_t motif, std::uint64_t start) {
  const std::uint32_t found = __ballot_sync(all_lanes, good), lane = threadIdx.x % 32;
  if (found == 0) return;
  unsigned long long first = 0;
  if (lane == 0) first = atomicAdd(job.to.count, static_cast<unsigned long long>(__popc(found)));
  first = __shfl_sync(all_lanes, first, 0) + lanes_before(found);
  if (good) write_found(job, first, motif, start);
}

constexpr std::uint64_t position_mask = (std::uint64_t{1} << variant_shift) - 1;

// Checks the row of one entry in each thread, and adds its matches. The position of a late variant is where
// its first written-out segment begins; the match may start at any of several positions before it, and all of
// them are tried.
__device__ void check_row(const scan_job& job, bool active, std::uint64_t entry) {
  const candidate_checker checker(job.tables, job.text);
  const std::uint64_t position = entry & position_mask;
  const filter_checks& v = job.tables.variants[entry >> variant_shift];
  const bool late = (v.flags & filter_checks::late) != 0;
  const std::uint32_t segment = late ? job.tables.rows[v.row].first_segment : v.next_segment,
                      from = late ? 0 : v.length, min_back = late ? v.length : 0,
                      max_back = min_back + (late ? v.slack : 0);
  for (std::uint32_t back = min_back; __any_sync(all_lanes, active && back <= max_back); ++back) {
    const std::uint64_t start = position - back;
    const bool good = active && back <= max_back && back <= position && start >= job.begin &&
                      start < job.end && checker.row_matches(v.row, segment, from, start);
    add_found(job, good, v.motif, start);
  }
}

// Checks one candidate in each thread. Adds an occurrence if the variant is complete; returns true if the
// candidate passes but its row is left to check.
__device__ inline bool check_candidate(const scan_job& job, bool active, std::uint64_t candidate) {
  const std::uint64_t position = candidate & position_mask;
  const filter_checks& v = job.tables.variants[candidate >> variant_shift];
  bool good = active;
  if (good && (v.flags & filter_checks::late) == 0)
    good = position >= job.begin && position < job.end &&
           candidate_checker(job.tables, job.text).passes(v, position);
  const bool complete = (v.flags & filter_checks::complete) != 0;
  add_found(job, good && complete, v.motif, position);
  return good && !complete;
}

// Moves the rows that the block has collected to `deferred_rows`. The block itself checks the
// rows that do not fit there.
__device__ inline void hand_over_rows(scan_memory& memory, const scan_job& job, const std::uint64_t* rows) {
  __syncthreads();
  const std::uint32_t num_rows = memory.num_rows;
  if (threadIdx.x == 0 && num_rows != 0)
    memory.first_deferred = atomicAdd(job.deferred_rows.count, static_cast<unsigned long long>(num_rows));
  __syncthreads(); // all threads have read memory.num_rows before it is cleared below
  if (num_rows == 0) return;
  if (threadIdx.x == 0) memory.num_rows = 0;
  const std::uint64_t first = memory.first_deferred;
  const auto capacity = static_cast<std::uint32_t>(
      min(std::uint64_t{num_rows}, job.deferred_rows.capacity - min(job.deferred_rows.capacity, first)));
  for (std::uint32_t i = threadIdx.x; i < capacity; i += scan_threads)
    job.deferred_rows.codes[first + i] = rows[i];
  for (std::uint32_t i = capacity + threadIdx.x; i < capacity + (num_rows - capacity + 31) / 32 * 32;
       i += scan_threads)
    check_row(job, i < num_rows, i < num_rows ? rows[i] : 0);
  __syncthreads();
}

// Checks all candidates that the warps of the block have appended. memory.candidates[w]: number of candidates
// of the warps before w.
__device__ void check_all_candidates(scan_memory& memory, const scan_job& job) {
  const std::uint32_t lane = threadIdx.x % 32, all = memory.candidates[scan_warps];
  const std::uint64_t* const candidates =
      job.candidates + std::uint64_t{blockIdx.x} * scan_warps * warp_candidates;
  std::uint64_t* const rows = job.rows + std::uint64_t{blockIdx.x} * block_rows;
  for (std::uint32_t first = 0; first < all; first += candidates_at_once) {
    const std::uint32_t stop = min(first + candidates_at_once, (all + 31) / 32 * 32);
    for (std::uint32_t i = first + threadIdx.x; i < stop; i += scan_threads) {
      std::uint32_t warp = 0;
      for (std::uint32_t step = scan_warps / 2; step != 0; step /= 2)
        if (memory.candidates[warp + step] <= i) warp += step;
      const std::uint64_t candidate =
          i < all ? candidates[warp * warp_candidates + i - memory.candidates[warp]] : 0;
      const bool rest = check_candidate(job, i < all, candidate);
      const std::uint32_t who = __ballot_sync(all_lanes, rest);
      if (who == 0) continue;
      std::uint32_t at = 0;
      if (lane == 0) at = atomicAdd(&memory.num_rows, __popc(who));
      at = __shfl_sync(all_lanes, at, 0) + lanes_before(who);
      if (rest) rows[at] = candidate;
    }
    hand_over_rows(memory, job, rows);
  }
}

// Sets memory.candidates to the prefix sums of the warps' numbers of candidates, and returns whether all
// warps are done.
__device__ inline bool count_candidates(scan_memory& memory, std::uint32_t num_candidates, bool done) {
  const std::uint32_t warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) memory.candidates[warp + 1] = num_candidates;
  if (threadIdx.x == 0) memory.candidates[0] = 0;
  const bool all_done = __syncthreads_and(done) != 0;
  if (warp == 0) {
    const std::uint32_t sum = sum_to_lane<scan_warps>(
        threadIdx.x < scan_warps ? memory.candidates[threadIdx.x + 1] : 0, threadIdx.x);
    if (threadIdx.x < scan_warps) memory.candidates[threadIdx.x + 1] = sum;
  }
  __syncthreads();
  return all_done;
}

// Finds the starts of matches in the tiles blockIdx.x, blockIdx.x + gridDim.x, ... of the job. `Shared`:
// whether variants share filters.
template <bool Shared>
__global__ void __launch_bounds__(scan_threads, scan_blocks)
    find_starts_kernel(const __grid_constant__ scan_job job) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  scan_memory& memory = *reinterpret_cast<scan_memory*>(shared_bytes);
  const stream_tables& t = job.tables;
  for (std::uint32_t i = threadIdx.x; i < num_members; i += scan_threads) memory.members[i] = t.members[i];
  if (threadIdx.x == 0) memory.num_rows = 0;
  const std::uint64_t warp = std::uint64_t{blockIdx.x} * scan_warps + threadIdx.x / 32;
  std::uint64_t* const candidates = job.candidates + warp * warp_candidates;
  std::uint32_t num_candidates = 0;
  int buffer = 0;
  std::uint64_t tile = job.first_tile + blockIdx.x;
  if (tile < job.last_tile) fetch_tile(memory, buffer, job.text, tile);
  for (; tile < job.last_tile; tile += gridDim.x) {
    __pipeline_wait_prior(0);
    if (threadIdx.x == 0) memory.next_filter = 0;
    __syncthreads();
    make_streams(memory, buffer, t);
    __syncthreads();
    make_halos(memory, buffer, t);
    const bool last = tile + gridDim.x >= job.last_tile;
    if (!last) fetch_tile(memory, 1 - buffer, job.text, tile + gridDim.x);
    __syncthreads();
    taken_filters taken{};
    survivor_words survivors{job.survivor_bits + warp * max_warp_survivors,
                             job.survivor_origins + warp * max_warp_survivors, 0, 0, 0};
    for (bool done = false; !done;) {
      const std::uint64_t base = tile * tile_positions;
      if constexpr (Shared)
        done = run_shared_filters(memory, buffer, t, base, taken, survivors, candidates, num_candidates);
      else
        done = run_own_filters(memory, t, base, taken, candidates, num_candidates);
      done = count_candidates(memory, num_candidates, done);
      if ((done && !last) && memory.candidates[scan_warps] < enough_candidates) break;
      check_all_candidates(memory, job);
      num_candidates = 0;
      __syncthreads(); // all threads have read the sums before the next count
    }
    buffer = 1 - buffer;
  }
}

constexpr int row_threads = 256;

// Checks the rows that find_starts_kernel has deferred. They are ordered by variant, so that the threads of a
// warp do similar work. Blocks start with the last rows: their filter is the start of a sequence alone, and
// they have the widest gaps and thus take longest.
__global__ void __launch_bounds__(row_threads)
    check_rows_kernel(const __grid_constant__ scan_job job, const std::uint64_t* rows,
                      std::uint64_t num_rows) {
  const std::uint64_t i = std::uint64_t{gridDim.x - 1 - blockIdx.x} * row_threads + threadIdx.x;
  check_row(job, i < num_rows, i < num_rows ? rows[i] : 0);
}

__global__ void reverse_text_kernel(device_text from, unsigned char* residues, std::uint32_t* starts) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x,
                      first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x,
                      all = from.size + text_padding;
  for (std::uint64_t i = first; i < all; i += threads)
    residues[i] = i < from.size ? from.residues[from.size - 1 - i] : 0;
  for (std::uint64_t word = first; word < (all + 31) / 32; word += threads) {
    std::uint32_t bits = 0;
    for (std::uint64_t i = word * 32; i < word * 32 + 32 && i <= from.size; ++i) {
      const std::uint64_t at = from.size - i;
      bits |= (from.starts[at / 32] >> at % 32 & 1) << i % 32;
    }
    starts[word] = bits;
  }
}

// block_bytes: device memory for a block. row_bytes: device memory for a deferred row, namely 8 bytes for
// itself, 8 for the output of the sort, and about 1 for the sort's temporary storage. There is always memory
// for min_deferred_rows rows.
constexpr std::uint64_t block_bytes =
                            (scan_warps * warp_candidates + block_rows) * sizeof(std::uint64_t) +
                            scan_warps * max_warp_survivors * (sizeof(uint4) + sizeof(std::uint32_t)),
                        row_bytes = 17, min_deferred_rows = 1 << 10, max_rows = 1 << 26;

// Sorts the rows that a launch has deferred by variant, and checks them.
void check_deferred_rows(const scan_job& job, std::uint64_t num_rows, cudaStream_t stream) {
  if (num_rows == 0) return;
  const gpu::device_buffer<std::uint64_t> other(num_rows, stream);
  std::uint64_t* sorted = nullptr;
  gpu::in_two_phases(stream, "sort deferred candidates", [&](void* temp, std::size_t& bytes) {
    return sort_keys(temp, bytes, job.deferred_rows.codes, other.data(), num_rows, variant_shift,
                     variant_shift + std::bit_width(job.tables.num_variants), sorted, stream);
  });
  check_rows_kernel<<<gpu::blocks_for(num_rows, row_threads), row_threads, 0, stream>>>(job, sorted,
                                                                                        num_rows);
  gpu::check(cudaGetLastError(), "start the check of deferred candidates");
}

} // namespace

std::uint32_t max_stream_words() {
  int device = 0, bytes = 0;
  gpu::check(cudaGetDevice(&device), "query the current GPU");
  gpu::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
             "query the attributes of the GPU");
  return stream_words_within(static_cast<std::size_t>(bytes));
}

std::uint32_t stream_words_within(std::size_t shared_bytes) {
  constexpr std::size_t reserved = 1024; // bytes of shared memory that each block needs for the runtime
  return static_cast<std::uint32_t>(std::min<std::size_t>(
      (shared_bytes / scan_blocks - reserved - sizeof(scan_memory)) / sizeof(uint4), stream_filter::address));
}

std::uint64_t find_starts_bytes(const find_starts_memory& memory) {
  return memory.blocks * block_bytes + memory.rows * row_bytes + min_deferred_rows * row_bytes;
}

find_starts_memory find_starts_within(std::uint64_t bytes) {
  int multiprocessors = 0;
  gpu::check(base_detail::count_multiprocessors(multiprocessors), "query the attributes of the GPU");
  const auto max_blocks = static_cast<std::uint64_t>(multiprocessors) * scan_blocks;
  return {static_cast<unsigned>(std::clamp<std::uint64_t>(bytes / 2 / block_bytes, 1, max_blocks)),
          std::min(bytes / 8 / row_bytes, max_rows)};
}

void find_starts(const stream_tables& tables, const device_text& text, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t mirrored_size, const code_buffer& to, const find_starts_memory& memory,
                 cudaStream_t stream) {
  if (tables.num_variants == 0 || begin >= end) return;
  const std::uint64_t first = begin / tile_positions,
                      last = (std::min(end + tables.max_back, text.size) - 1) / tile_positions + 1;
  const std::size_t bytes = sizeof(scan_memory) + tables.arena_words * sizeof(uint4);
  const bool shared = tables.groups != nullptr;
  const auto kernel = shared ? find_starts_kernel<true> : find_starts_kernel<false>;
  gpu::check(base_detail::allow_shared_memory(kernel, bytes), "set the shared memory of the search kernel");
  gpu::check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared),
             "set the shared memory of the search kernel");
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(last - first, memory.blocks));
  const std::uint64_t capacity =
      std::min(memory.rows, shared ? end - begin : (end - begin) / 8) + min_deferred_rows;
  gpu::device_buffer<std::uint64_t> candidates(std::size_t{blocks} * scan_warps * warp_candidates, stream),
      rows(std::size_t{blocks} * block_rows, stream);
  const std::size_t words = shared ? std::size_t{blocks} * scan_warps * max_warp_survivors : 1;
  gpu::device_buffer<uint4> survivor_bits(words, stream);
  gpu::device_buffer<std::uint32_t> survivor_origins(words, stream);
  const gpu::device_buffer<std::uint64_t> deferred_rows(capacity, stream);
  const gpu::device_buffer<unsigned long long> count(1, stream);
  gpu::check(cudaMemsetAsync(count.data(), 0, count.bytes(), stream), "clear a counter");
  const scan_job job{tables,
                     text,
                     begin,
                     end,
                     mirrored_size,
                     first,
                     last,
                     to,
                     candidates.data(),
                     rows.data(),
                     survivor_bits.data(),
                     survivor_origins.data(),
                     {deferred_rows.data(), capacity, count.data()}};
  kernel<<<blocks, scan_threads, bytes, stream>>>(job);
  gpu::check(cudaGetLastError(), "start the search kernel");
  candidates = {};
  rows = {};
  survivor_bits = {};
  survivor_origins = {};
  const std::uint64_t num_rows = gpu::downloaded(count.data(), stream, "wait for the search kernel");
  check_deferred_rows(job, std::min(num_rows, capacity), stream);
}

void reverse_text(const device_text& from, unsigned char* residues, std::uint32_t* starts,
                  cudaStream_t stream) {
  reverse_text_kernel<<<1024, 256, 0, stream>>>(from, residues, starts);
  gpu::check(cudaGetLastError(), "reverse a sequence");
}

} // namespace weft::scan_detail
