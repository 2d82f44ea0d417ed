// Kernels that pack the text, select the suffixes to sort, and write results (suffix_kernels.hpp).
#include <weft/bwt/cuda/suffix_sort/suffix_kernels.hpp>

#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/mixed.hpp>
#include <weft/bwt/cuda/suffix_sort/suffix_device.cuh>

namespace weft::bwt_detail {

namespace {

__device__ bool bit_at(const std::uint64_t* bits, std::uint64_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}

__global__ void __launch_bounds__(threads)
    count_bytes_kernel(const unsigned char* text, std::uint64_t n, unsigned long long* counts) {
  __shared__ unsigned int shared[threads];
  shared[threadIdx.x] = 0;
  __syncthreads();
  for (std::uint64_t i = first_item(); i < n; i += all_threads()) atomicAdd(&shared[text[i]], 1U);
  __syncthreads();
  if (shared[threadIdx.x] != 0) atomicAdd(&counts[threadIdx.x], shared[threadIdx.x]);
}

// One block, with one thread per byte value.
__global__ void __launch_bounds__(threads)
    number_bytes_kernel(const unsigned long long* counts, std::uint8_t* codes, unsigned char* bytes,
                        std::uint32_t* letters) {
  __shared__ std::uint32_t warp_counts[threads / 32];
  const bool used = counts[threadIdx.x] > 0;
  const unsigned all = __ballot_sync(~0U, used), lane = threadIdx.x % 32;
  if (lane == 0) warp_counts[threadIdx.x / 32] = static_cast<std::uint32_t>(__popc(all));
  bytes[threadIdx.x] = 0;
  __syncthreads();
  std::uint32_t code = static_cast<std::uint32_t>(__popc(all & ((1U << lane) - 1)));
  for (unsigned w = 0; w < threadIdx.x / 32; ++w) code += warp_counts[w];
  codes[threadIdx.x] = static_cast<std::uint8_t>(code);
  if (used) bytes[code] = static_cast<unsigned char>(threadIdx.x);
  if (threadIdx.x == threads - 1) *letters = code + static_cast<std::uint32_t>(used);
}
static_assert(threads == 256);

__global__ void __launch_bounds__(threads)
    pack_text_kernel(const unsigned char* text, const std::uint8_t* codes, std::uint64_t* words,
                     std::uint64_t size, std::uint32_t bits, std::uint64_t num_words) {
  __shared__ std::uint8_t table[256];
  table[threadIdx.x] = codes[threadIdx.x];
  __syncthreads();
  for (std::uint64_t w = first_item(); w < num_words; w += all_threads())
    words[w] = bwt_detail::packed_word(w, size, bits,
                                       [&](std::uint64_t i) { return std::uint64_t{table[text[i]]}; });
}

// Returns number i of the sequence that splitmix64 generates.
__device__ std::uint64_t random_number(std::uint64_t i) {
  return weft::base_detail::mixed(i * 0x9E3779B97F4A7C15ULL);
}
template <class Text>
__global__ void __launch_bounds__(threads)
    sample_keys_kernel(Text text, const std::uint64_t* chosen, std::uint64_t* keys, std::uint32_t count) {
  constexpr std::uint64_t trials = 32; // positions to try
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    std::uint64_t suffix = random_number(i) % text.size;
    for (std::uint64_t trial = 1; chosen != nullptr && trial < trials && !bit_at(chosen, suffix); ++trial)
      suffix = random_number(trial * count + i) % text.size;
    keys[i] = text.first_key(suffix) & ~text.mask_of_symbol();
  }
}

// Replaces each of 128 counts by the sum of the counts before it. Called by the first warp; each lane has
// four counts. Returns the sum of all counts to the last lane; other lanes get the sum up to theirs.
__device__ std::uint32_t sum_before(std::uint32_t* items, unsigned lane) {
  std::uint32_t counts[4], sum = 0;
  for (int i = 0; i < 4; ++i) sum += counts[i] = items[lane * 4 + i];
  std::uint32_t before = sum;
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(~0U, before, step);
    if (lane >= static_cast<unsigned>(step)) before += other;
  }
  const std::uint32_t all = before;
  before -= sum;
  for (int i = 0; i < 4; ++i) {
    items[lane * 4 + i] = before;
    before += counts[i];
  }
  return all;
}

// The suffixes of the tile that a block processes: set() determines the candidates, `count` is their number,
// and operator[] returns the offset of the i-th one from the beginning of the tile. In all_suffixes_of_tile,
// all suffixes of the tile are candidates.
constexpr int select_rows = 16, select_warps = threads / 32;
struct all_suffixes_of_tile {
  static constexpr std::uint64_t tile = select_rows * threads;
  std::uint32_t count = 0;
  __device__ void set(const std::uint64_t*, std::uint64_t begin, std::uint64_t size) {
    count = static_cast<std::uint32_t>(min(tile, size - begin));
  }
  __device__ std::uint32_t operator[](std::uint32_t i) const { return i; }
};
// In chosen_suffixes_of_tile, the selected suffixes of the tile are the candidates. The tile is twice as long
// as that of all_suffixes_of_tile, because no two adjacent suffixes are selected. Each thread lists the
// selected suffixes of one 32-bit half-word of the bitmap.
struct chosen_suffixes_of_tile {
  static constexpr std::uint64_t tile = 2 * select_rows * threads;
  struct shared_memory {
    std::uint16_t offsets[select_rows * threads];
    std::uint32_t counts[threads];
    std::uint32_t count;
  };
  shared_memory& memory;
  std::uint32_t count = 0;
  __device__ void set(const std::uint64_t* chosen, std::uint64_t begin, std::uint64_t size) {
    const std::uint64_t first = begin + threadIdx.x * 32;
    std::uint32_t half = first <= size ? reinterpret_cast<const std::uint32_t*>(chosen)[first / 32] : 0;
    memory.counts[threadIdx.x] = static_cast<std::uint32_t>(__popc(half));
    __syncthreads();
    if (threadIdx.x < 32) {
      const std::uint32_t low = sum_before(memory.counts, threadIdx.x), of_low = __shfl_sync(~0U, low, 31);
      const std::uint32_t high = sum_before(memory.counts + 128, threadIdx.x);
      for (int i = 0; i < 4; ++i) memory.counts[128 + threadIdx.x * 4 + i] += of_low;
      if (threadIdx.x == 31) memory.count = of_low + high;
    }
    __syncthreads();
    for (std::uint32_t to = memory.counts[threadIdx.x]; half != 0; half &= half - 1)
      memory.offsets[to++] = static_cast<std::uint16_t>(threadIdx.x * 32 + __ffs(static_cast<int>(half)) - 1);
    count = memory.count;
    __syncthreads();
  }
  __device__ std::uint32_t operator[](std::uint32_t i) const { return memory.offsets[i]; }
};
static_assert(threads == 2 * 128);

// Writes the keys and positions of the candidates whose first key is in [low, high]. Each block processes
// whole tiles. Output is ordered by row of the tile and then by warp, so that the writes of a warp are
// adjacent; a block adds to the global count once per tile.
template <class Index, class Text, class Tile>
__device__ void select_of_tiles(Tile candidates, const Text& text, const std::uint64_t* chosen,
                                std::uint64_t low, std::uint64_t high, std::uint64_t* to_keys,
                                Index* to_suffixes, std::uint64_t capacity, unsigned long long* count) {
  __shared__ std::uint32_t offsets[select_rows * select_warps];
  __shared__ unsigned long long tile_offset;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (std::uint64_t begin = blockIdx.x * Tile::tile; begin < text.size; begin += gridDim.x * Tile::tile) {
    candidates.set(chosen, begin, text.size);
    std::uint64_t keys[select_rows];
    std::uint32_t taken = 0;
    WEFT_UNROLL
    for (int row = 0; row < select_rows; ++row) {
      const std::uint32_t i = static_cast<std::uint32_t>(row) * threads + threadIdx.x;
      const bool is_candidate = i < candidates.count;
      keys[row] = is_candidate ? text.first_key(begin + candidates[i]) : 0;
      const bool is_selected = is_candidate && keys[row] >= low && keys[row] <= high;
      taken |= static_cast<std::uint32_t>(is_selected) << row;
      const unsigned all = __ballot_sync(~0U, is_selected);
      if (lane == 0) offsets[row * select_warps + warp] = static_cast<std::uint32_t>(__popc(all));
    }
    __syncthreads();
    if (threadIdx.x < 32) {
      const std::uint32_t all = sum_before(offsets, lane);
      if (lane == 31) tile_offset = all == 0 ? 0 : atomicAdd(count, all);
    }
    __syncthreads();
    WEFT_UNROLL
    for (int row = 0; row < select_rows; ++row) {
      const bool is_selected = (taken >> row & 1) != 0;
      const unsigned all = __ballot_sync(~0U, is_selected);
      const std::uint64_t index = tile_offset + offsets[row * select_warps + warp] +
                                  static_cast<unsigned>(__popc(all & ((1U << lane) - 1)));
      if (!is_selected || index >= capacity) continue;
      to_keys[index] = keys[row];
      to_suffixes[index] =
          static_cast<Index>(begin + candidates[static_cast<std::uint32_t>(row) * threads + threadIdx.x]);
    }
    __syncthreads();
  }
}
template <class Text, class Index>
__global__ void __launch_bounds__(threads)
    select_suffixes_kernel(Text text, std::uint64_t low, std::uint64_t high, std::uint64_t* to_keys,
                           Index* to_suffixes, std::uint64_t capacity, unsigned long long* count) {
  select_of_tiles(all_suffixes_of_tile{}, text, nullptr, low, high, to_keys, to_suffixes, capacity, count);
}
template <class Text, class Index>
__global__ void __launch_bounds__(threads)
    select_chosen_kernel(Text text, const std::uint64_t* chosen, std::uint64_t low, std::uint64_t high,
                         std::uint64_t* to_keys, Index* to_suffixes, std::uint64_t capacity,
                         unsigned long long* count) {
  __shared__ chosen_suffixes_of_tile::shared_memory memory;
  select_of_tiles(chosen_suffixes_of_tile{memory}, text, chosen, low, high, to_keys, to_suffixes, capacity,
                  count);
}
static_assert(select_rows * select_warps == 4 * 32);

template <class Text, class Index>
__global__ void __launch_bounds__(threads)
    select_cover_kernel(Text text, std::uint64_t* keys, Index* suffixes, std::uint64_t count) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const std::uint64_t suffix = bwt_detail::cover_position(i);
    keys[i] = text.first_key(suffix);
    suffixes[i] = static_cast<Index>(suffix);
  }
}

__global__ void __launch_bounds__(threads) number_slots_kernel(std::uint32_t* slots, std::uint64_t count) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    slots[i] = static_cast<std::uint32_t>(i);
}
__global__ void __launch_bounds__(threads)
    permute_kernel(const std::uint64_t* from, const std::uint32_t* slots, std::uint64_t* to,
                   std::uint64_t count) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) to[i] = from[slots[i]];
}

__global__ void __launch_bounds__(threads)
    unpack_before_kernel(std::uint64_t mask, const unsigned char* bytes, const std::uint64_t* keys,
                         std::uint64_t count, unsigned char* before) {
  __shared__ unsigned char table[256];
  table[threadIdx.x] = bytes[threadIdx.x];
  __syncthreads();
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) before[i] = table[keys[i] & mask];
}

template <class Index>
__global__ void __launch_bounds__(threads)
    read_before_kernel(bit_text text, const unsigned char* bytes, const Index* suffixes, head_bits heads,
                       unsigned char* before) {
  for (std::uint64_t i = first_item(); i < heads.size; i += all_threads())
    if (!heads.at(i) || !heads.at(i + 1)) before[i] = bytes[text.symbol_before(suffixes[i])];
}

template <class Index>
__global__ void __launch_bounds__(threads)
    find_row_kernel(const Index* suffixes, std::uint64_t count, std::uint64_t first_row, Index wanted,
                    Index period, unsigned long long* row) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    if (suffixes[i] % period == wanted) atomicMin(row, first_row + i);
}

template <class Index>
__global__ void __launch_bounds__(threads)
    write_bytes_before_kernel(const unsigned char* text, std::uint64_t n, const Index* rows,
                              std::uint64_t count, unsigned char* before) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads())
    before[i] = text[rows[i] == 0 ? n - 1 : rows[i] - 1];
}

__global__ void __launch_bounds__(threads)
    write_sentinel_rows_kernel(const unsigned char* before, std::uint64_t count, std::uint64_t first_row,
                               const unsigned long long* text_row, unsigned char* bwt) {
  const std::uint64_t skipped_row = *text_row;
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const std::uint64_t row = first_row + i;
    if (row != skipped_row) bwt[row < skipped_row ? row + 1 : row] = before[i];
  }
}

__global__ void __launch_bounds__(threads)
    write_rotation_rows_kernel(const unsigned char* before, std::uint64_t count, std::uint64_t first_row,
                               std::uint64_t times, unsigned char* bwt) {
  for (std::uint64_t i = first_item(); i < count * times; i += all_threads())
    bwt[first_row * times + i] = before[i / times];
}

} // namespace

void count_bytes(const unsigned char* d_text, std::uint64_t n, unsigned long long* d_counts,
                 cudaStream_t stream) {
  launch(count_bytes_kernel, std::min<std::uint64_t>(n / 16 + 1, 1 << 19), threads, stream, d_text, n,
         d_counts);
}

void number_bytes(const unsigned long long* d_counts, std::uint8_t* d_codes, unsigned char* d_bytes,
                  std::uint32_t* d_letters, cudaStream_t stream) {
  launch(number_bytes_kernel, threads, threads, stream, d_counts, d_codes, d_bytes, d_letters);
}

void pack_text(const unsigned char* d_text, const std::uint8_t* d_codes, std::uint64_t* d_words,
               const bit_text& text, cudaStream_t stream) {
  const std::uint64_t words = bwt_detail::words_of_text(text.size, text.bits);
  launch(pack_text_kernel, words, threads, stream, d_text, d_codes, d_words, text.size, text.bits, words);
}

template <class Text>
void sample_keys(const Text& text, const std::uint64_t* d_chosen, std::uint64_t* d_keys, std::uint32_t count,
                 cudaStream_t stream) {
  launch(sample_keys_kernel<Text>, count, threads, stream, text, d_chosen, d_keys, count);
}

template <class Text, class Index>
void select_suffixes(const Text& text, const std::uint64_t* d_chosen, std::uint64_t low, std::uint64_t high,
                     std::uint64_t* d_keys, Index* d_suffixes, std::uint64_t capacity,
                     unsigned long long* d_count, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(d_count, 0, sizeof(*d_count), stream), "clear a count");
  if (d_chosen == nullptr)
    launch(select_suffixes_kernel<Text, Index>, text.size / select_rows + 1, threads, stream, text, low, high,
           d_keys, d_suffixes, capacity, d_count);
  else
    launch(select_chosen_kernel<Text, Index>, text.size / (2 * select_rows) + 1, threads, stream, text,
           d_chosen, low, high, d_keys, d_suffixes, capacity, d_count);
}

template <class Text, class Index>
void select_cover(const Text& text, std::uint64_t* d_keys, Index* d_suffixes, std::uint64_t count,
                  cudaStream_t stream) {
  launch(select_cover_kernel<Text, Index>, count, threads, stream, text, d_keys, d_suffixes, count);
}

void number_slots(std::uint32_t* d_slots, std::uint64_t count, cudaStream_t stream) {
  launch(number_slots_kernel, count, threads, stream, d_slots, count);
}

void permute(const std::uint64_t* d_from, const std::uint32_t* d_slots, std::uint64_t* d_to,
             std::uint64_t count, cudaStream_t stream) {
  launch(permute_kernel, count, threads, stream, d_from, d_slots, d_to, count);
}

void unpack_before(const bit_text& text, const unsigned char* d_bytes, const std::uint64_t* d_keys,
                   std::uint64_t count, unsigned char* d_before, cudaStream_t stream) {
  launch(unpack_before_kernel, count, threads, stream, text.mask_of_symbol(), d_bytes, d_keys, count,
         d_before);
}

template <class Index>
void read_before(const bit_text& text, const unsigned char* d_bytes, const Index* d_suffixes,
                 const head_bits& heads, unsigned char* d_before, cudaStream_t stream) {
  launch(read_before_kernel<Index>, heads.size, threads, stream, text, d_bytes, d_suffixes, heads, d_before);
}

template <class Index>
void find_row(const Index* d_suffixes, std::uint64_t count, std::uint64_t first_row, std::uint64_t wanted,
              std::uint64_t period, unsigned long long* d_row, cudaStream_t stream) {
  launch(find_row_kernel<Index>, count, threads, stream, d_suffixes, count, first_row,
         static_cast<Index>(wanted), static_cast<Index>(period), d_row);
}

template <class Index>
void write_bytes_before(const unsigned char* d_text, std::uint64_t n, const Index* d_rows,
                        std::uint64_t count, unsigned char* d_before, cudaStream_t stream) {
  launch(write_bytes_before_kernel<Index>, count, threads, stream, d_text, n, d_rows, count, d_before);
}

void write_sentinel_rows(const unsigned char* d_before, std::uint64_t count, std::uint64_t first_row,
                         const unsigned long long* d_row, unsigned char* d_bwt, cudaStream_t stream) {
  launch(write_sentinel_rows_kernel, count, threads, stream, d_before, count, first_row, d_row, d_bwt);
}

void write_rotation_rows(const unsigned char* d_before, std::uint64_t count, std::uint64_t first_row,
                         std::uint64_t times, unsigned char* d_bwt, cudaStream_t stream) {
  launch(write_rotation_rows_kernel, count * times, threads, stream, d_before, count, first_row, times,
         d_bwt);
}

template void sample_keys(const bit_text&, const std::uint64_t*, std::uint64_t*, std::uint32_t, cudaStream_t);
template void sample_keys(const part_text&, const std::uint64_t*, std::uint64_t*, std::uint32_t,
                          cudaStream_t);
template void select_suffixes(const part_text&, const std::uint64_t*, std::uint64_t, std::uint64_t,
                              std::uint64_t*, std::uint32_t*, std::uint64_t, unsigned long long*,
                              cudaStream_t);
template void select_cover(const part_text&, std::uint64_t*, std::uint32_t*, std::uint64_t, cudaStream_t);
template void select_suffixes(const part_text&, const std::uint64_t*, std::uint64_t, std::uint64_t,
                              std::uint64_t*, std::uint64_t*, std::uint64_t, unsigned long long*,
                              cudaStream_t);
template void select_cover(const part_text&, std::uint64_t*, std::uint64_t*, std::uint64_t, cudaStream_t);
template void select_suffixes(const bit_text&, const std::uint64_t*, std::uint64_t, std::uint64_t,
                              std::uint64_t*, std::uint32_t*, std::uint64_t, unsigned long long*,
                              cudaStream_t);
template void select_cover(const bit_text&, std::uint64_t*, std::uint32_t*, std::uint64_t, cudaStream_t);
template void read_before(const bit_text&, const unsigned char*, const std::uint32_t*, const head_bits&,
                          unsigned char*, cudaStream_t);
template void write_bytes_before(const unsigned char*, std::uint64_t, const std::uint32_t*, std::uint64_t,
                                 unsigned char*, cudaStream_t);
template void find_row(const std::uint32_t*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                       unsigned long long*, cudaStream_t);
template void select_suffixes(const bit_text&, const std::uint64_t*, std::uint64_t, std::uint64_t,
                              std::uint64_t*, std::uint64_t*, std::uint64_t, unsigned long long*,
                              cudaStream_t);
template void select_cover(const bit_text&, std::uint64_t*, std::uint64_t*, std::uint64_t, cudaStream_t);
template void read_before(const bit_text&, const unsigned char*, const std::uint64_t*, const head_bits&,
                          unsigned char*, cudaStream_t);
template void write_bytes_before(const unsigned char*, std::uint64_t, const std::uint64_t*, std::uint64_t,
                                 unsigned char*, cudaStream_t);
template void find_row(const std::uint64_t*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                       unsigned long long*, cudaStream_t);

} // namespace weft::bwt_detail
