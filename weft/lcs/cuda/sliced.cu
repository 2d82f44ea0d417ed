// Sweeps edit tables over few symbols in bit-sliced form, with seven operations for a word of 32 cells;
// words with carries (strip.cuh) need ten. core/sliced_lane.hpp is a lane; a strip has 1024 Words rows.
//
//   lane x has the rows [x * 32 Words, (x + 1) * 32 Words) of the strip
//   at time t it computes the 8 columns of block t - 5 x, because the differences that leave its last row
//   are 32 columns behind those that enter its first row, and the shuffle takes one block more
//   lane 0 takes the differences of the strip above, 32 columns at a time
//   lane 31 passes on the differences of this strip, 32 columns at a time
//
// Until a lane has passed column 31, rows that have not reached the first column keep their v. After the
// first `starting_groups` groups no lane needs to check this.
#include <weft/lcs/cuda/systolic_kernels.hpp>

#include <algorithm>
#include <weft/lcs/core/sliced_lane.hpp>
#include <weft/lcs/cuda/link.cuh>

namespace weft::lcs_detail {

namespace {

constexpr int sliced_step = 8, lane_lag = 32 / sliced_step + 1; // columns; blocks
constexpr int starting_groups = 32 * lane_lag * sliced_step / 32;
static_assert((4 << narrowest_slab) >= 32 * lane_lag); // so that a lane keeps one checkpoint at a time
static_assert(sizeof(kept_lane<kept_sliced_words>) ==
              4 * kernel_shape{true, kept_sliced_words, 1, 2}.state_words());
static_assert(sliced_before >= 31 * lane_lag && sliced_after >= 32 * lane_lag + 2);

// Three-input logic in one operation; Table has the result bit for each combination of input bits.
template <unsigned Table> __device__ std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(Table));
  return result;
}
struct lop3_ops {
  using word = std::uint32_t;
  __device__ static word xor_(word a, word b) { return a ^ b; }
  __device__ static word or_xor(word x, word a, word b) { return lop3<0xf6>(x, a, b); }
  __device__ static word not_and_xor(word x, word a, word b) { return lop3<0x06>(x, a, b); }
  __device__ static word or3(word a, word b, word c) { return lop3<0xfe>(a, b, c); }
  __device__ static word or_and(word a, word b, word c) { return lop3<0xa8>(a, b, c); }
  __device__ static word or_nor(word a, word b, word c) { return lop3<0xf1>(a, b, c); }
};

// A strip in bit-sliced form. Kept: with checkpoints. The rows of a lane reach a column one chunk after the
// other, and so do the lanes. So in the 32 lane_lag blocks after the column some lane always has chunks to
// keep.
template <int Words, int Planes, bool Kept> struct sliced_strip {
  edit_lane<lop3_ops, Words, Planes> rows;
  kept_lane<Words> kept;
  link_port<2> port;
  const std::uint32_t* from;    // the block after the next
  std::uint32_t block[2];       // this block and the next, as launch_encode_sliced writes them
  std::uint32_t window[Planes]; // the last 32 columns
  // io: the differences above and below this lane's rows; given: what lane 31 passes on.
  std::uint32_t io[2], given[2];

  __device__ sliced_strip(const table_job& job, int strip, int lane)
      : kept{}, port(job, strip, lane),
        from(reinterpret_cast<const std::uint32_t*>(job.columns) - lane * lane_lag), window{}, io{}, given{} {
    const std::int64_t first =
        (std::int64_t{job.first_strip} + strip) * (1024 * Words) + lane * rows.rows - job.missing_rows;
    const std::uint8_t* const symbols = job.rows + first;
    rows.start(-first, [&](int r) { return static_cast<unsigned>(symbols[r]); });
    for (std::uint32_t& next : block) next = __ldg(from++);
  }

  template <bool Starting> __device__ void do_block(int t) {
    std::uint32_t next[Planes];
#pragma unroll
    for (int p = 0; p < Planes; ++p) next[p] = block[0] << (8 * p);
    block[0] = block[1];
    block[1] = __ldg(from++);
    const int column = Starting ? (t - port.lane * lane_lag) * sliced_step : 0;
#pragma unroll
    for (int i = 0; i < sliced_step; ++i) {
      std::uint32_t columns[Planes], begun = ~0U;
#pragma unroll
      for (int p = 0; p < Planes; ++p) columns[p] = lcs_detail::funnel_left(next[p], window[p], i + 1);
      if constexpr (Starting) begun = column + i < 0 ? 0 : column + i >= 31 ? ~0U : ~(~1U << (column + i));
      rows.template step<Starting>(columns, io, begun);
    }
#pragma unroll
    for (int p = 0; p < Planes; ++p) window[p] = lcs_detail::funnel_left(next[p], window[p], sliced_step);
  }

  // Keeps, before block t, the chunks that are at a checkpoint. With the last chunks the whole checkpoint
  // is stored.
  __device__ void keep(int t) {
    const table_job& job = port.job;
    const int slab_shift = job.slab_shift + 2, slab_mask = (1 << slab_shift) - 1; // in blocks
    if ((t & slab_mask) >= 32 * lane_lag) return;
    const int block = t - port.lane * lane_lag, chunks = block & slab_mask;
    rows.keep(kept, chunks < 4 ? 0xffU << (8 * chunks) : 0);
    if (chunks != 3 || block < slab_mask || block / 4 >= job.words) return;
    *checkpoint<kept_lane<Words>>(job, block >> slab_shift, port.strip, port.lane) = kept;
  }

  // Computes the groups [begin, end) of 32 columns. Returns false if the sweep is stopped.
  template <bool Starting> __device__ bool do_groups(int begin, int end) {
    constexpr int blocks = 32 / sliced_step, last_given = (31 * lane_lag + blocks + blocks - 1) % blocks;
    for (int group = begin; group < end; ++group) {
      std::uint32_t top[2];
      if (!port.top(group, top)) return false;
#pragma unroll 1
      for (int r = 0; r < blocks; ++r) {
#pragma unroll
        for (int x = 0; x < 2; ++x) {
          const std::uint32_t received = __shfl_up_sync(all_lanes, io[x], 1) << (32 - sliced_step);
          io[x] = port.lane > 0 ? received : r == 0 ? top[x] : io[x];
        }
        if constexpr (Kept && !Starting) keep(group * blocks + r);
        do_block<Starting>(group * blocks + r);
        if (r == 0) port.look_ahead(group + 1);
#pragma unroll
        for (int x = 0; x < 2; ++x) given[x] = __byte_perm(io[x], given[x], 0x6540);
        if (r == last_given) port.bottom(group - starting_groups, given);
      }
    }
    return true;
  }
};

// Sweeps the strips of a job in bit-sliced form, one warp for each strip at a time.
template <int Words, int Planes, bool Kept>
__global__ void __launch_bounds__(max_sliced_warps(Words) * warp_lanes, 1)
    sliced_kernel(const __grid_constant__ table_job job) {
  const int lane = threadIdx.x % warp_lanes;
  for (;;) {
    const int number = take_ticket(job.ticket, lane);
    if (number >= job.strips || (job.stop != nullptr && *job.stop != 0)) return;
    sliced_strip<Words, Planes, Kept> strip(job, number, lane);
    if (!strip.template do_groups<true>(0, starting_groups)) return;
    if (!strip.template do_groups<false>(starting_groups, job.words + starting_groups)) return;
  }
}

// Encodes each block of 8 columns in a word: plane p is in byte 3 - p, with the first column as the top
// bit; the last plane is complemented.
template <int Planes>
__global__ void encode_sliced_kernel(const std::uint8_t* symbols, std::int64_t n, std::uint32_t* blocks,
                                     std::int64_t total) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < total; at += stride) {
    std::uint32_t block = 0;
    for (int i = 0; i < sliced_step; ++i) {
      const std::int64_t j = (at - sliced_before) * sliced_step + i;
      const unsigned symbol = j >= 0 && j < n ? symbols[j] : 0;
      for (int p = 0; p < Planes; ++p) block |= (symbol >> p & 1) << (31 - 8 * p - i);
    }
    blocks[at] = block ^ 0xffU << (32 - 8 * Planes);
  }
}

} // namespace

cudaError_t launch_sliced(const kernel_shape& shape, const table_job& job, const launch_shape& launch,
                          cudaStream_t stream) {
  const auto run = [&](auto* kernel) {
    kernel<<<launch.blocks, launch.warps * warp_lanes, 0, stream>>>(job);
    return cudaGetLastError();
  };
  if (job.kept_states != nullptr) {
    if (shape.words != kept_sliced_words) return cudaErrorInvalidValue;
    return shape.planes == 2 ? run(sliced_kernel<kept_sliced_words, 2, true>)
                             : run(sliced_kernel<kept_sliced_words, 3, true>);
  }
  switch (shape.words * 4 + shape.planes) {
  case 8 * 4 + 2:
    return run(sliced_kernel<8, 2, false>);
  case 16 * 4 + 2:
    return run(sliced_kernel<16, 2, false>);
  case 32 * 4 + 2:
    return run(sliced_kernel<32, 2, false>);
  case 8 * 4 + 3:
    return run(sliced_kernel<8, 3, false>);
  case 16 * 4 + 3:
    return run(sliced_kernel<16, 3, false>);
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t launch_encode_sliced(int planes, const std::uint8_t* symbols, std::int64_t n,
                                 std::uint32_t* blocks, std::int64_t total, cudaStream_t stream) {
  const auto kernel = planes == 2 ? encode_sliced_kernel<2> : encode_sliced_kernel<3>;
  kernel<<<plain_blocks(total), plain_threads, 0, stream>>>(symbols, n, blocks, total);
  return cudaGetLastError();
}

} // namespace weft::lcs_detail
