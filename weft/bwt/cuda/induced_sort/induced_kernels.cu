// Kernels that determine which suffixes rise, count suffixes by their first symbols, and derive suffixes from
// others (induced_kernels.hpp).
#include <weft/bwt/cuda/induced_sort/induced_kernels.hpp>

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/suffix_counts.hpp>
#include <weft/bwt/cuda/byte_ranks.cuh>
#include <weft/bwt/cuda/suffix_sort/suffix_device.cuh>

namespace weft::bwt_detail {

namespace {

// Returns the bits of the symbols of a word that are equal to the next symbol: all but the last symbol of
// each run.
__device__ std::uint64_t equal_symbols(const head_bits& heads, std::uint64_t word) {
  const std::uint64_t next = word + 1 < head_bits::words(heads.size, 0) ? heads.level[0][word + 1] : 0;
  return ~(heads.level[0][word] >> 1 | next << 63);
}

// One thread per word.
__global__ void __launch_bounds__(threads)
    compare_symbols_kernel(bit_text text, std::uint64_t* to_less, std::uint64_t* to_heads,
                           std::uint64_t words) {
  for (std::uint64_t w = first_item(); w < words; w += all_threads()) {
    const std::uint64_t begin = w * 64, end = min(begin + 64, text.size);
    std::uint64_t less = 0, heads = 0;
    if (begin < end) {
      symbol_reader reader(text, begin);
      std::uint32_t symbol = reader.next();
      heads = static_cast<std::uint64_t>(begin == 0 || text.symbol(begin - 1) != symbol);
      for (std::uint64_t i = begin; i + 1 < min(end + 1, text.size); ++i) {
        const std::uint32_t next = reader.next();
        less |= static_cast<std::uint64_t>(symbol < next) << (i - begin);
        if (i + 1 < end) heads |= static_cast<std::uint64_t>(symbol != next) << (i + 1 - begin);
        symbol = next;
      }
    }
    if (text.size - begin < 64) heads |= std::uint64_t{1} << (text.size - begin);
    to_less[w] = less;
    to_heads[w] = heads;
  }
}

__global__ void __launch_bounds__(threads)
    find_first_rises_kernel(const std::uint64_t* less, head_bits heads, std::uint64_t words, rise* rises) {
  for (std::uint64_t w = first_item(); w < words; w += all_threads())
    rises[words - 1 - w] = bwt_detail::first_rises(less[w], equal_symbols(heads, w));
}
__global__ void __launch_bounds__(threads)
    mark_last_rising_kernel(std::uint64_t* less, head_bits heads, std::uint64_t words, const rise* behind) {
  for (std::uint64_t w = first_item(); w < words; w += all_threads()) {
    const bool next = behind[words - 1 - w] == rise::yes;
    const std::uint64_t rising = bwt_detail::rising(less[w], equal_symbols(heads, w), next);
    less[w] = rising & ~(rising >> 1 | static_cast<std::uint64_t>(next) << 63);
  }
}

// Counts the suffixes whose first code is in [first, first + rows). Each thread processes the symbols of one
// word. A block has `copies` copies of its counts, so that lanes that count the same suffixes rarely add to
// the same address.
constexpr std::uint32_t shared_counts = 8192;
__global__ void __launch_bounds__(threads)
    count_suffix_kinds_kernel(bit_text text, std::uint32_t letters, std::uint32_t first, std::uint32_t rows,
                              const std::uint64_t* less, head_bits heads, std::uint64_t words,
                              const rise* behind, std::uint32_t* to) {
  __shared__ std::uint32_t counts[shared_counts];
  const std::uint32_t in_row = bwt_detail::counts_of_letter(letters), number = rows * in_row,
                      copies = min(shared_counts / number, 16U), copy = threadIdx.x % copies;
  for (unsigned i = threadIdx.x; i < number * copies; i += threads) counts[i] = 0;
  __syncthreads();
  const auto add = [&](std::uint32_t a, std::uint32_t column) {
    if (a - first < rows) atomicAdd(&counts[((a - first) * in_row + column) * copies + copy], 1U);
  };
  for (std::uint64_t w = first_item(); w * 64 < text.size; w += all_threads()) {
    const bool next_rises = behind[words - 1 - w] == rise::yes;
    const std::uint64_t rising = bwt_detail::rising(less[w], equal_symbols(heads, w), next_rises);
    bwt_detail::count_word(text, letters, heads, w, rising, next_rises, add);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < number; i += threads) {
    std::uint32_t sum = 0;
    for (unsigned c = 0; c < copies; ++c) sum += counts[i * copies + c];
    if (sum != 0) atomicAdd(&to[first * in_row + i], sum);
  }
}
static_assert(bwt_detail::counts_of_letter(256) <= shared_counts);

__global__ void __launch_bounds__(threads)
    write_to_slots_kernel(const std::uint32_t* suffixes, std::uint64_t count, std::uint64_t first,
                          const std::uint32_t* group_ranks, const std::uint32_t* group_slots,
                          std::uint32_t pairs, std::uint32_t* sa) {
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const auto number = static_cast<std::uint32_t>(first + i);
    std::uint32_t low = 0, high = pairs; // group_ranks[low] <= number < group_ranks[high], if any
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      if (group_ranks[middle] <= number)
        low = middle;
      else
        high = middle;
    }
    sa[group_slots[low] + (number - group_ranks[low])] = suffixes[i];
  }
}

__global__ void __launch_bounds__(threads)
    read_bytes_before_kernel(bit_text text, const unsigned char* bytes, const std::uint32_t* suffixes,
                             std::uint64_t count, unsigned char byte, std::uint64_t first,
                             unsigned char* before, std::uint32_t* row) {
  __shared__ unsigned char table[256];
  table[threadIdx.x] = bytes[threadIdx.x];
  __syncthreads();
  for (std::uint64_t i = first_item(); i < count; i += all_threads()) {
    const std::uint32_t suffix = suffixes[i];
    before[i] = suffix == 0 ? byte : table[text.symbol(suffix - 1)];
    if (suffix == 0) *row = static_cast<std::uint32_t>(first + i);
  }
}
__global__ void set_last_byte_kernel(bit_text text, const unsigned char* bytes, const std::uint32_t* row,
                                     unsigned char* before) {
  before[*row] = bytes[text.symbol(text.size - 1)];
}

__global__ void __launch_bounds__(rank_threads, 2)
    move_longer_kernel(const std::uint32_t* __restrict__ suffixes, const unsigned char* __restrict__ before,
                       std::uint64_t count, const std::uint32_t* __restrict__ sums, std::uint64_t tiles,
                       const std::uint32_t* __restrict__ slots, std::uint32_t byte, bool greater,
                       std::uint32_t* sa) {
  const auto begin = [&](unsigned b) { return slots[b] + sums[b * tiles + blockIdx.x] - sums[b * tiles]; };
  rank_tile<std::uint32_t>(before, count, begin,
                           [&](std::uint64_t first, std::uint32_t b, std::uint32_t slot) {
                             const std::uint64_t at = first + threadIdx.x % rank_warp;
                             if (at < count && (greater ? b > byte : b < byte)) sa[slot] = suffixes[at] - 1;
                           });
}

struct longer_suffix { // the suffix before suffix number i if `byte` precedes it, else no_suffix
  const std::uint32_t* suffixes;
  const unsigned char* before;
  unsigned char byte;
  __device__ std::uint32_t operator()(std::uint64_t i) const {
    return before[i] == byte && suffixes[i] != 0 ? suffixes[i] - 1 : no_suffix;
  }
};
} // namespace

void compare_symbols(const bit_text& text, std::uint64_t* d_less, const head_bits& heads,
                     cudaStream_t stream) {
  const std::uint64_t words = head_bits::words(text.size, 0);
  launch(compare_symbols_kernel, words, threads, stream, text, d_less, heads.level[0], words);
}

void find_first_rises(const std::uint64_t* d_less, const head_bits& heads, rise* d_rises,
                      cudaStream_t stream) {
  const std::uint64_t words = head_bits::words(heads.size, 0);
  launch(find_first_rises_kernel, words, threads, stream, d_less, heads, words, d_rises);
}

cudaError_t scan_rises(void* d_temp, std::size_t& bytes, rise* d_rises, std::uint64_t words,
                       cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveScan(d_temp, bytes, d_rises, d_rises, rise_of_both{}, rise::no,
                                        static_cast<std::int64_t>(words), stream);
}

void count_suffix_kinds(const bit_text& text, unsigned letters, const std::uint64_t* d_less,
                        const head_bits& heads, const rise* d_rises, std::uint32_t* d_counts,
                        cudaStream_t stream) {
  const std::uint64_t words = head_bits::words(text.size, 0);
  const std::uint32_t rows = shared_counts / bwt_detail::counts_of_letter(letters);
  for (std::uint32_t first = 0; first < letters; first += rows)
    launch(count_suffix_kinds_kernel, std::min<std::uint64_t>(words, 1 << 18), threads, stream, text, letters,
           first, std::min(rows, letters - first), d_less, heads, words, d_rises, d_counts);
}

void mark_last_rising(std::uint64_t* d_less, const head_bits& heads, const rise* d_rises,
                      cudaStream_t stream) {
  const std::uint64_t words = head_bits::words(heads.size, 0);
  launch(mark_last_rising_kernel, words, threads, stream, d_less, heads, words, d_rises);
}

void write_to_slots(const std::uint32_t* d_suffixes, std::uint64_t count, std::uint64_t first,
                    const std::uint32_t* d_group_ranks, const std::uint32_t* d_group_slots,
                    std::uint32_t pairs, std::uint32_t* d_sa, cudaStream_t stream) {
  launch(write_to_slots_kernel, count, threads, stream, d_suffixes, count, first, d_group_ranks,
         d_group_slots, pairs, d_sa);
}

void read_bytes_before(const bit_text& text, const unsigned char* d_bytes, const std::uint32_t* d_suffixes,
                       std::uint64_t count, unsigned char byte, std::uint64_t first, unsigned char* d_before,
                       std::uint32_t* d_row, cudaStream_t stream) {
  launch(read_bytes_before_kernel, count, threads, stream, text, d_bytes, d_suffixes, count, byte, first,
         d_before, d_row);
}

void set_last_byte(const bit_text& text, const unsigned char* d_bytes, const std::uint32_t* d_row,
                   unsigned char* d_before, cudaStream_t stream) {
  launch(set_last_byte_kernel, 1, 1, stream, text, d_bytes, d_row, d_before);
}

cudaError_t select_longer(void* d_temp, std::size_t& bytes, const std::uint32_t* d_suffixes,
                          const unsigned char* d_before, std::uint64_t count, unsigned char byte,
                          std::uint32_t* d_longer, std::uint32_t* d_number, cudaStream_t stream) {
  const auto longer = thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint64_t{0}),
                                                      longer_suffix{d_suffixes, d_before, byte});
  return cub::DeviceSelect::If(d_temp, bytes, longer, d_longer, d_number, static_cast<std::int64_t>(count),
                               is_suffix{}, stream);
}

void move_longer(const std::uint32_t* d_suffixes, const unsigned char* d_before, std::uint64_t count,
                 const std::uint32_t* d_sums, std::uint64_t tiles, const std::uint32_t* d_slots,
                 unsigned char byte, bool greater, std::uint32_t* d_sa, cudaStream_t stream) {
  move_longer_kernel<<<static_cast<unsigned>(tiles), rank_threads, 0, stream>>>(
      d_suffixes, d_before, count, d_sums, tiles, d_slots, byte, greater, d_sa);
  gpu::check(cudaGetLastError(), "move suffixes");
}

} // namespace weft::bwt_detail
