// The plain version, for each position of the text and each variant:
//     if (each stream of the variant's filter has the bit there) check the text there
//
// A block takes a tile after another. Its streams stand in shared memory, 16 bytes for 128 positions, so that
// a warp's load is a whole tile of a stream. Warps take variants, some at a time, and note candidates in
// memory of their own, as many as a variant can have and some. When there are many, the whole block checks
// them, one a thread; what is left then are rows with gaps, checked in the same way. Of two blocks on a
// multiprocessor one filters while the other makes streams or checks.
#include <weft/base/cuda/kernel_limits.hpp>
#include <weft/scan/cuda/bit_stream_check.cuh>
#include <weft/scan/cuda/bit_stream_kernels.hpp>
#include <weft/scan/cuda/bit_stream_tile.cuh>

#include <algorithm>

namespace weft::scan_cuda {

namespace {

// What a launch is about; the kernel's parameter.
struct scan_job {
  stream_tables tables;
  device_text text;
  std::uint64_t begin, end, mirror, first_tile, last_tile;
  found_buffer to;
  std::uint64_t *candidates, *rows; // of all blocks: variant << variant_shift | position
};

__device__ inline void write_found(const scan_job& job, unsigned long long at, std::uint32_t motif,
                                   std::uint64_t start) {
  if (at >= job.to.capacity) return;
  const std::uint64_t position = job.mirror == 0 ? start : job.mirror - start;
  job.to.found[at] = static_cast<std::uint64_t>(motif) << position_bits | position;
}

// Of a warp: adds those lanes' occurrences.
__device__ inline void add_found(const scan_job& job, bool good, std::uint32_t motif, std::uint64_t start) {
  const std::uint32_t found = __ballot_sync(all_lanes, good), lane = threadIdx.x % 32;
  if (found == 0) return;
  unsigned long long first = 0;
  if (lane == 0) first = atomicAdd(job.to.count, static_cast<unsigned long long>(__popc(found)));
  first = __shfl_sync(all_lanes, first, 0) + __popc(found & ((1U << lane) - 1));
  if (good) write_found(job, first, motif, start);
}

constexpr std::uint64_t position_mask = (std::uint64_t{1} << variant_shift) - 1;

// Up to scan_threads rows, one a thread, of the block's. A late variant's position is where a match would
// start if the gaps before were least.
__device__ void check_rows(const scan_job& job, const std::uint64_t* rows, std::uint32_t count) {
  const candidate_checker checker(job.tables, job.text);
  const bool asked = threadIdx.x < count;
  const std::uint64_t entry = asked ? rows[threadIdx.x] : 0, position = entry & position_mask;
  const filter_checks& v = job.tables.variants[entry >> variant_shift];
  const bool late = (v.flags & filter_checks::late) != 0;
  const std::uint32_t segment = late ? job.tables.rows[v.row].first_segment : v.next_segment,
                      from = late ? 0 : v.length, slack = late ? v.slack : 0;
  for (std::uint32_t back = 0; __any_sync(all_lanes, asked && back <= slack); ++back) {
    const std::uint64_t start = position - back;
    const bool good = asked && back <= slack && back <= position && start >= job.begin && start < job.end &&
                      checker.row_matches(v.row, segment, from, start);
    add_found(job, good, v.motif, start);
  }
}

// One candidate a thread; true: its row is left to check.
__device__ inline bool check_candidate(const scan_job& job, bool asked, std::uint64_t candidate) {
  const std::uint64_t position = candidate & position_mask;
  const filter_checks& v = job.tables.variants[candidate >> variant_shift];
  bool good = asked;
  if (good && (v.flags & filter_checks::late) == 0)
    good = position >= job.begin && position < job.end &&
           candidate_checker(job.tables, job.text).passes(v, position);
  const bool complete = (v.flags & filter_checks::complete) != 0;
  add_found(job, good && complete, v.motif, position);
  return good && !complete;
}

// The block's rows, as long as there are enough for all threads, or all of them.
__device__ inline void check_block_rows(scan_memory& memory, const scan_job& job, const std::uint64_t* rows,
                                        bool all) {
  __syncthreads();
  std::uint32_t num_rows = memory.num_rows;
  while (num_rows >= (all ? 1 : 2 * scan_threads)) {
    const std::uint32_t count = min(num_rows, static_cast<std::uint32_t>(scan_threads));
    num_rows -= count;
    check_rows(job, rows + num_rows, count);
  }
  __syncthreads();
  if (threadIdx.x == 0) memory.num_rows = num_rows;
  __syncthreads();
}

// All candidates that the block's warps have noted. memory.candidates[w]: how many there are of the warps
// before w.
__device__ void check_all(scan_memory& memory, const scan_job& job, bool last) {
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
      at = __shfl_sync(all_lanes, at, 0) + __popc(who & ((1U << lane) - 1));
      if (rest) rows[at] = candidate;
    }
    check_block_rows(memory, job, rows, last && first + candidates_at_once >= all);
  }
  if (last && all == 0) check_block_rows(memory, job, rows, true);
}

__device__ inline uint4 both(const uint4& a, const uint4& b) {
  return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w};
}
__device__ inline bool any(const uint4& a) { return (a.x | a.y | a.z | a.w) != 0; }

// Notes the positions of `bits`, of which `first` is that of bit 0; who: the lanes that have some. For the
// whole warp.
__device__ inline void note_candidates(std::uint64_t* candidates, std::uint32_t& noted, uint4 bits,
                                       std::uint32_t who, std::uint64_t first) {
  const std::uint32_t below = (1U << threadIdx.x % 32) - 1;
  do {
    std::uint32_t part = 0, word = bits.x;
    if (word == 0) part = 1, word = bits.y;
    if (word == 0) part = 2, word = bits.z;
    if (word == 0) part = 3, word = bits.w;
    if (word != 0)
      candidates[noted + __popc(who & below)] =
          first + (part * 32 + __ffs(static_cast<int>(word)) - 1) * stream_words;
    const std::uint32_t rest = word & (word - 1);
    if (part == 0) bits.x = rest;
    if (part == 1) bits.y = rest;
    if (part == 2) bits.z = rest;
    if (part == 3) bits.w = rest;
    noted += __popc(who);
    who = __ballot_sync(all_lanes, any(bits));
  } while (who != 0);
}

// What more of a variant's streams leave of `bits`; whether there is some.
__device__ inline bool ask_second(const second_filter& second, const uint4* arena, uint4& bits) {
  const uint4 all = __ldg(reinterpret_cast<const uint4*>(&second));
  const std::uint32_t pairs[] = {all.x, all.y, all.z, all.w};
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    bits = both(both(bits, arena[pairs[i] & 0xffff]), arena[pairs[i] >> 16]);
    bits = both(both(bits, arena[pairs[i + 1] & 0xffff]), arena[pairs[i + 1] >> 16]);
    if (!__any_sync(all_lanes, any(bits))) return false;
  }
  return true;
}

// The variants that a warp has taken.
struct taken_variants {
  std::uint32_t next, last;
  bool done; // nothing is left to take
};

// What a warp filters with: a tile's streams from its lane's words on.
struct filter_lane {
  const uint4* arena;
  __device__ uint4 stream(std::uint32_t at) const {
    return *reinterpret_cast<const uint4*>(reinterpret_cast<const unsigned char*>(arena) + at);
  }
  // What a filter leaves of the tile; `first`: its first stream, or that of the filter before.
  __device__ uint4 leaves(const uint4& at, uint4& first) const {
    if ((at.x & stream_filter::same_first) == 0) first = stream(at.x & stream_filter::address);
    uint4 bits = both(both(first, stream(at.y)), stream(at.z));
    if ((at.x & stream_filter::all_four) != 0) bits = both(bits, stream(at.w));
    return bits;
  }
};

// Filters variants over the tile that begins at base, until there are none or the warp's memory is full.
__device__ inline void run_filters(scan_memory& memory, const scan_job& job, std::uint64_t base,
                                   taken_variants& taken, std::uint64_t* candidates, std::uint32_t& noted) {
  const std::uint32_t lane = threadIdx.x % 32, num_variants = job.tables.num_variants;
  constexpr std::uint32_t most_noted = warp_candidates - tile_positions;
  const filter_lane tile{memory.arena + lane};
  const auto note = [&](std::uint32_t v, uint4 bits) {
    if (!__any_sync(all_lanes, any(bits)) || !ask_second(job.tables.seconds[v], tile.arena, bits)) return;
    note_candidates(candidates, noted, bits, __ballot_sync(all_lanes, any(bits)),
                    (static_cast<std::uint64_t>(v) << variant_shift | base) + lane);
  };
  while (noted <= most_noted) {
    if (taken.next >= taken.last) {
      if (lane == 0) taken.next = atomicAdd(&memory.taken, variants_at_once);
      taken.next = __shfl_sync(all_lanes, taken.next, 0);
      taken.done = taken.next >= num_variants;
      if (taken.done) return;
      taken.last = min(taken.next + variants_at_once, num_variants);
    }
    std::uint32_t v = taken.next;
    const uint4* filter = reinterpret_cast<const uint4*>(job.tables.filters) + v;
    uint4 at = __ldg(filter), next = __ldg(filter + 1), first = tile.stream(at.x & stream_filter::address);
    for (; v < taken.last; v += 2) { // two at a time: one vote for both
      const uint4 one = tile.leaves(at, first), other = tile.leaves(next, first);
      filter += 2;
      at = __ldg(filter);
      next = __ldg(filter + 1);
      if (!__any_sync(all_lanes, any(one) || any(other))) continue;
      note(v, one);
      if (noted > most_noted) {
        v += 1;
        break;
      }
      if (v + 1 < taken.last) note(v + 1, other);
      if (noted > most_noted) {
        v += 2;
        break;
      }
    }
    taken.next = v;
  }
}

// Sums up what the warps have noted; returns whether all of them are done.
__device__ inline bool count_candidates(scan_memory& memory, std::uint32_t noted, bool done) {
  const std::uint32_t warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) memory.candidates[warp + 1] = noted;
  if (threadIdx.x == 0) memory.candidates[0] = 0;
  const bool all_done = __syncthreads_and(done) != 0;
  if (warp == 0) {
    std::uint32_t sum = threadIdx.x < scan_warps ? memory.candidates[threadIdx.x + 1] : 0;
    for (std::uint32_t step = 1; step < scan_warps; step *= 2) {
      const std::uint32_t before = __shfl_up_sync(all_lanes, sum, step);
      if (threadIdx.x >= step) sum += before;
    }
    if (threadIdx.x < scan_warps) memory.candidates[threadIdx.x + 1] = sum;
  }
  __syncthreads();
  return all_done;
}

__global__ void __launch_bounds__(scan_threads, scan_blocks)
    find_starts_kernel(const __grid_constant__ scan_job job) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  scan_memory& memory = *reinterpret_cast<scan_memory*>(shared_bytes);
  const stream_tables& t = job.tables;
  for (std::uint32_t i = threadIdx.x; i < num_members; i += scan_threads) memory.members[i] = t.members[i];
  if (threadIdx.x == 0) memory.num_rows = 0;
  std::uint64_t* const candidates =
      job.candidates + (std::uint64_t{blockIdx.x} * scan_warps + threadIdx.x / 32) * warp_candidates;
  std::uint32_t noted = 0;
  int buffer = 0;
  std::uint64_t tile = job.first_tile + blockIdx.x;
  if (tile < job.last_tile) fetch(memory, buffer, job.text, tile);
  for (; tile < job.last_tile; tile += gridDim.x) {
    __pipeline_wait_prior(0);
    if (threadIdx.x == 0) memory.taken = 0;
    __syncthreads();
    make_streams(memory, buffer, t);
    __syncthreads();
    make_halos(memory, buffer, t);
    const bool last = tile + gridDim.x >= job.last_tile;
    if (!last) fetch(memory, 1 - buffer, job.text, tile + gridDim.x);
    __syncthreads();
    taken_variants taken{};
    for (bool done = false; !done;) {
      run_filters(memory, job, tile * tile_positions, taken, candidates, noted);
      done = count_candidates(memory, noted, taken.done);
      if ((done && !last) && memory.candidates[scan_warps] < enough_candidates) break;
      check_all(memory, job, done && last);
      noted = 0;
      __syncthreads(); // nobody reads the sums
    }
    buffer = 1 - buffer;
  }
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

} // namespace

std::uint32_t most_stream_words() {
  int device = 0, bytes = 0;
  gpu::check(cudaGetDevice(&device), "scan");
  gpu::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device), "scan");
  constexpr std::size_t reserved = 1024; // of each block
  return static_cast<std::uint32_t>(
      (static_cast<std::size_t>(bytes) / scan_blocks - reserved - sizeof(scan_memory)) / sizeof(uint4));
}

std::uint64_t find_starts_bytes(unsigned blocks) {
  return std::uint64_t{blocks} * (scan_warps * warp_candidates + block_rows) * sizeof(std::uint64_t);
}

unsigned most_blocks(std::uint64_t bytes) {
  int multiprocessors = 0;
  gpu::check(gpu::detail::count_multiprocessors(multiprocessors), "scan");
  return static_cast<unsigned>(std::clamp<std::uint64_t>(
      bytes / find_starts_bytes(1), 1, static_cast<std::uint64_t>(multiprocessors) * scan_blocks));
}

void find_starts(const stream_tables& tables, const device_text& text, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t mirror, const found_buffer& to, unsigned blocks, cudaStream_t stream) {
  if (tables.num_variants == 0 || begin >= end) return;
  const std::uint64_t first = begin / tile_positions,
                      last = (std::min(end + tables.most_slack, text.size) - 1) / tile_positions + 1;
  const std::size_t bytes = sizeof(scan_memory) + tables.arena_words * sizeof(uint4);
  gpu::check(gpu::detail::allow_shared_memory(find_starts_kernel, bytes), "scan");
  gpu::check(cudaFuncSetAttribute(find_starts_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared),
             "scan");
  blocks = static_cast<unsigned>(std::min<std::uint64_t>(last - first, blocks));
  const gpu::device_buffer<std::uint64_t> candidates(std::size_t{blocks} * scan_warps * warp_candidates,
                                                     stream),
      rows(std::size_t{blocks} * block_rows, stream);
  find_starts_kernel<<<blocks, scan_threads, bytes, stream>>>(
      {tables, text, begin, end, mirror, first, last, to, candidates.data(), rows.data()});
  gpu::check(cudaGetLastError(), "scan");
}

void reverse_text(const device_text& from, unsigned char* residues, std::uint32_t* starts,
                  cudaStream_t stream) {
  reverse_text_kernel<<<1024, 256, 0, stream>>>(from, residues, starts);
  gpu::check(cudaGetLastError(), "reverse a text");
}

} // namespace weft::scan_cuda
