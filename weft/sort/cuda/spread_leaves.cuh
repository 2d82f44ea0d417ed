// Sorts leaves of numbers in shared memory: a block spreads the numbers over bins of equal width between the
// smallest and the greatest; the few numbers that share a bin are put in order by one thread. Leaves with too
// many numbers in one bin are listed for sort_leaves_kernel.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <weft/sort/cuda/sample_sort_kernels.cuh>

namespace weft::sort_detail {

inline constexpr int bins_per_thread = 32; // each thread has a word with one bit per bin
inline constexpr std::uint32_t crowded_bin = 24;

// For each item in the order of the bins, its index in the leaf. Only stable orders need it.
template <std::uint32_t Size> struct numbers_in_leaf {
  std::uint16_t numbers[Size];
  static_assert(Size <= 1U << 16);
};
template <> struct numbers_in_leaf<0> {};

// The shared memory of a block. Bins are counted in bytes, four per word. After the eight words of a thread
// one word is left unused, so that threads that go through their own words access different banks.
template <class Shape, class Order> struct spread_memory : numbers_in_leaf<Order::stable ? Shape::size : 0> {
  using key = typename Order::key;
  static constexpr std::uint32_t bins = Shape::threads * bins_per_thread, stride = bins_per_thread / 4 + 1;
  static constexpr std::uint32_t words = Shape::threads * stride;
  typename Order::held items[Shape::size];
  key min_keys[Shape::threads / 32], min_complements[Shape::threads / 32];
  alignas(16) std::uint32_t counts[words];
  std::uint16_t begins[words]; // where the first bin of each word begins
  using block_scan = cub::BlockScan<std::uint32_t, Shape::threads, cub::BLOCK_SCAN_WARP_SCANS>;
  typename block_scan::TempStorage scan;

  __device__ static std::uint32_t word_of(std::uint32_t bin) { return bin / 4 + bin / bins_per_thread; }
  __device__ std::uint32_t begin_of(std::uint32_t bin) const {
    const std::uint32_t word = word_of(bin);
    // the counts of the earlier bins in the word
    const std::uint32_t before = counts[word] & ((1U << 8 * (bin % 4)) - 1U);
    return __dp4a(before, 0x01010101U, std::uint32_t{begins[word]});
  }
  __device__ std::uint32_t size_of(std::uint32_t bin) const {
    return counts[word_of(bin)] >> 8 * (bin % 4) & 0xFFU;
  }
};

// A monotone map from the keys between min_key and max_key to bins.
template <class Key, std::uint32_t Bins> class bin_map {
public:
  __device__ bin_map(const Key& min_key, const Key& max_key) : min_(min_key) {
    const Key span = max_key - min_key; // > 0
    scale_.set(span);
    const std::uint32_t scaled = scale_(span); // >= 2^31
    // a little less than 2^32 * Bins / (scaled + 1)
    factor_ = static_cast<std::uint32_t>(Bins * 4294967296.0F * 0.999999F / (scaled + 1.0F));
  }
  __device__ std::uint32_t operator()(const Key& k) const {
    return __umulhi(scale_(static_cast<Key>(k - min_)), factor_);
  }

private:
  Key min_;
  scale_to_32_bits<Key> scale_;
  std::uint32_t factor_;
};

__device__ inline unsigned min_of_warp(unsigned x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xFFFFFFFFU, x);
#else
  for (int distance = 16; distance > 0; distance /= 2) x = min(x, __shfl_xor_sync(0xFFFFFFFFU, x, distance));
  return x;
#endif
}

// Returns the smallest of the warp's keys, found 32 bits at a time.
template <class Key> __device__ Key min_key_of_warp(const Key& x) {
  if constexpr (sizeof(Key) <= 4) {
    return static_cast<Key>(min_of_warp(static_cast<unsigned>(x)));
  } else {
    Key min_key = 0;
    bool equal = true; // to the smallest key so far
    WEFT_UNROLL
    for (int shift = sizeof(Key) * 8 - 32; shift >= 0; shift -= 32) {
      const auto part = static_cast<unsigned>(x >> shift);
      const unsigned min_part = min_of_warp(equal ? part : ~0U);
      equal = equal && part == min_part;
      min_key = min_key << 32 | min_part;
    }
    return min_key;
  }
}

// Finds the smallest and the greatest key of the block. Contains a barrier.
template <class Shape, class Order, class Key, int Items>
__device__ void range_of_block(spread_memory<Shape, Order>& shared, const Key (&k)[Items], std::uint32_t n,
                               Key& min_key, Key& max_key) {
  Key low = static_cast<Key>(~Key{0}), high = low; // high: the smallest complement
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i)
    if (static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x < n) {
      const Key not_k = static_cast<Key>(~k[i]);
      low = k[i] < low ? k[i] : low;
      high = not_k < high ? not_k : high;
    }
  low = min_key_of_warp(low), high = min_key_of_warp(high);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (lane == 0) shared.min_keys[threadIdx.x / 32] = low, shared.min_complements[threadIdx.x / 32] = high;
  __syncthreads();
  static_assert(Shape::threads <= 1024);
  const int warp = lane < Shape::threads / 32 ? lane : 0;
  min_key = min_key_of_warp(shared.min_keys[warp]);
  max_key = static_cast<Key>(~min_key_of_warp(shared.min_complements[warp]));
}

// Computes where the bins of each word begin. Sets bit i of bins_to_sort if the thread's bin i holds several
// keys. Returns false if a bin holds too many keys; a byte that overflows is noticed because the sum of all
// counts is then not n.
template <class Shape, class Order>
__device__ bool sum_bins(spread_memory<Shape, Order>& shared, std::uint32_t n, std::uint32_t& bins_to_sort) {
  constexpr int each = bins_per_thread / 4;
  constexpr std::uint32_t ones = 0x01010101U, high_bits = 0x80808080U;
  const std::uint32_t first = threadIdx.x * shared.stride;
  std::uint32_t words[each], sum = 0, large = 0;
  bins_to_sort = 0;
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) {
    words[i] = shared.counts[first + i];
    sum = __dp4a(words[i], ones, sum);
    large |= (((words[i] & ~high_bits) + ones * (127 - crowded_bin)) | words[i]) & high_bits;
    const std::uint32_t two = (words[i] + ones * 126) >> 7 & ones; // only for bytes that are not too large
    bins_to_sort |= (two * 0x01020408U >> 24) << 4 * i;
  }
  std::uint32_t begin, total;
  typename spread_memory<Shape, Order>::block_scan(shared.scan).ExclusiveSum(sum, begin, total);
  WEFT_UNROLL
  for (int i = 0; i < each; ++i) {
    shared.begins[first + i] = static_cast<std::uint16_t>(begin);
    begin = __dp4a(words[i], ones, begin);
  }
  return __syncthreads_or(large != 0 || total != n) == 0;
}

template <class T, class Less> __device__ void insertion_sort(T* items, std::uint32_t n, const Less& less) {
  for (std::uint32_t i = 1; i < n; ++i) {
    const T own = items[i];
    std::uint32_t j = i;
    for (; j > 0; --j) {
      const T before = items[j - 1];
      if (!less(own, before)) break;
      items[j] = before;
    }
    items[j] = own;
  }
}

// Sorts by insertion. Items of which neither is less are ordered by their numbers.
template <class T, class Less>
__device__ void insertion_sort(T* items, std::uint16_t* numbers, std::uint32_t n, const Less& less) {
  for (std::uint32_t i = 1; i < n; ++i) {
    const T own = items[i];
    const std::uint16_t number = numbers[i];
    std::uint32_t j = i;
    for (; j > 0; --j) {
      const T before = items[j - 1];
      if (less(before, own) || (!less(own, before) && numbers[j - 1] < number)) break;
      items[j] = before;
      numbers[j] = numbers[j - 1];
    }
    items[j] = own;
    numbers[j] = number;
  }
}

// Sorts `n` items of `from` into `to`, which may be the same. Returns false, and writes nothing, if a bin is
// crowded. All threads of the block must call this function, which ends with a barrier.
template <class Shape, class Order>
__device__ bool spread_leaf(spread_memory<Shape, Order>& shared, typename Order::array from, std::uint32_t n,
                            typename Order::array to, const Order& order) {
  using key = typename Order::key;
  const auto at = [](int i) { return static_cast<std::uint32_t>(i * Shape::threads) + threadIdx.x; };
  // all items are set; else the compiler would keep them from leaf to leaf, and spill them
  typename Order::item x[Shape::items];
  WEFT_UNROLL
  for (typename Order::item& item : x) item = typename Order::item();
  load_present<Shape::threads>(from, n, x);
  auto* const words = reinterpret_cast<uint4*>(shared.counts);
  for (std::uint32_t i = threadIdx.x; i < shared.words / 4; i += Shape::threads) words[i] = {0, 0, 0, 0};
  key k[Shape::items], min_key, max_key;
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i) k[i] = order.key_of(x[i]);
  range_of_block<Shape>(shared, k, n, min_key, max_key);
  if (min_key == max_key) {
    WEFT_UNROLL
    for (int i = 0; i < Shape::items; ++i)
      if (at(i) < n) to[at(i)] = x[i];
    __syncthreads();
    return true;
  }
  const bin_map<key, shared.bins> bin(min_key, max_key);
  std::uint32_t number[Shape::items] = {}; // rank in the bin in the lower 8 bits, the bin above them
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (at(i) < n) {
      const std::uint32_t b = bin(k[i]), shift = 8 * (b % 4);
      number[i] = (atomicAdd(&shared.counts[shared.word_of(b)], 1U << shift) >> shift & 0xFFU) | b << 8;
    }
  __syncthreads();
  std::uint32_t bins_to_sort;
  if (!sum_bins(shared, n, bins_to_sort)) return false;
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (at(i) < n) {
      const std::uint32_t index = shared.begin_of(number[i] >> 8) + (number[i] & 0xFFU);
      shared.items[index] = order.hold(x[i]);
      if constexpr (Order::stable) shared.numbers[index] = static_cast<std::uint16_t>(at(i));
    }
  __syncthreads();
  for (; bins_to_sort != 0; bins_to_sort &= bins_to_sort - 1) {
    const std::uint32_t b = threadIdx.x * bins_per_thread + __ffs(static_cast<int>(bins_to_sort)) - 1;
    const std::uint32_t begin = shared.begin_of(b), size = shared.size_of(b);
    if constexpr (Order::stable)
      insertion_sort(shared.items + begin, shared.numbers + begin, size, order);
    else
      insertion_sort(shared.items + begin, size, order);
  }
  __syncthreads();
  WEFT_UNROLL
  for (int i = 0; i < Shape::items; ++i)
    if (at(i) < n) to[at(i)] = order.item_of(shared.items[at(i)]);
  __syncthreads();
  return true;
}

template <class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    spread_leaves_kernel(sort_plan<typename Order::key> plan, leaf_kind kind, typename Order::array items,
                         typename Order::array buffer, Order order) {
  auto& shared = *reinterpret_cast<spread_memory<Shape, Order>*>(dynamic_shared);
  wait_for_launch_before();
  const std::uint32_t num_leaves = plan.counts->leaves[kind];
  for (std::uint32_t l = blockIdx.x; l < num_leaves; l += gridDim.x) {
    const sort_leaf leaf = plan.leaves[kind][l];
    const typename Order::array from = (leaf.buffer == 0 ? items : buffer) + leaf.begin;
    if (!spread_leaf<Shape>(shared, from, leaf.size, items + leaf.begin, order) && threadIdx.x == 0)
      add_leaf(plan, leaf.size <= plan.leaf.crowded ? crowded_leaf : crowded_large_leaf, leaf.begin,
               leaf.size, leaf.buffer);
  }
}

} // namespace weft::sort_detail
