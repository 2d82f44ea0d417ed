// Splitters in shared memory, and the search for the buckets of several items of a thread at once. For the
// parameter `Order` see sample_sort_orders.cuh.
#pragma once

#include <cstdint>
#include <weft/sort/core/splitter_tree.hpp>
#include <weft/sort/cuda/block_sort.cuh>

namespace weft::sort_detail {

inline constexpr std::uint32_t max_buckets = 256; // of a segment; the number of a bucket fits a byte

template <class Key> __device__ int bit_width(const Key& x) {
  if constexpr (sizeof(Key) == 16) {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    return high != 0 ? 64 + bit_width(high) : bit_width(static_cast<std::uint64_t>(x));
  } else {
    return 64 - __clzll(static_cast<long long>(static_cast<std::uint64_t>(x)));
  }
}

// A monotone map from the numbers 0 .. span to 32 bits, which shifts the highest bit of the span to the
// highest of the 32 bits.
template <class Key> class scale_to_32_bits {
public:
  __device__ void set(const Key& span) {
    const int bits = bit_width(span);
    left_ = bits < 32 ? 32 - bits : 0;
    right_ = bits > 32 ? bits - 32 : 0;
  }
  __device__ std::uint32_t operator()(const Key& distance) const {
    if constexpr (sizeof(Key) <= 4)
      return static_cast<std::uint32_t>(distance) << left_;
    else
      return static_cast<std::uint32_t>(distance << left_ >> right_);
  }

private:
  int left_, right_;
};

// A monotone map from numbers to probes, which are compared instead of wide numbers. A probe is 32 bits of
// the distance of a number from the smallest splitter. It is 0 for numbers less than the smallest splitter,
// and all ones for numbers greater than the largest splitter or about as far from the smallest. If two probes
// are equal, the numbers themselves must be compared.
template <class Order> class probe_map {
  using key = typename Order::key;

public:
  using probe = std::uint32_t;
  static constexpr bool exact = sizeof(key) <= 4;
  __device__ void set(const key& min_key, const key& max_key) {
    min_ = min_key, span_ = static_cast<key>(max_key - min_key);
    scale_.set(span_);
  }
  __device__ probe operator()(const key& x) const {
    if constexpr (exact) return x;
    const key distance = x - min_;
    const probe scaled = max(scale_(distance), probe{1});
    return distance <= span_ ? scaled : x < min_ ? 0 : ~probe{0};
  }
  __device__ bool operator()(probe a, probe b) const { return a < b; }

private:
  key min_, span_;
  scale_to_32_bits<key> scale_;
};
// Items that only a comparator orders are their own probes.
template <class Order>
requires(!Order::numbers) class probe_map<Order> {
  using key = typename Order::key;

public:
  using probe = key;
  static constexpr bool exact = true;
  __device__ void set(const key&, const key&) {}
  __device__ const key& operator()(const key& x) const { return x; }
};

// Finds the buckets of several items at once, like find_bucket (core/splitter_tree.hpp).
template <int Items, class T, class Less>
__device__ void find_buckets(const T* tree, std::uint32_t num_buckets, const T (&x)[Items],
                             std::uint32_t (&bucket)[Items], Less& less) {
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) bucket[i] = 1;
  for (std::uint32_t level = 1; level < num_buckets; level *= 2) {
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i) bucket[i] = 2 * bucket[i] + (less(x[i], tree[bucket[i]]) ? 0 : 1);
  }
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) bucket[i] -= num_buckets;
}

// Finds the buckets of several items, like find_buckets, with an unrolled loop for the usual case of
// MaxBuckets buckets.
template <std::uint32_t MaxBuckets, int Items, class T, class Less>
__device__ void descend(const T (&tree)[MaxBuckets], std::uint32_t num_buckets, const T (&x)[Items],
                        std::uint32_t (&bucket)[Items], Less& less) {
  if (num_buckets != MaxBuckets) return find_buckets(tree, num_buckets, x, bucket, less);
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) bucket[i] = 1;
  WEFT_UNROLL
  for (std::uint32_t level = 1; level < MaxBuckets; level *= 2) {
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i) bucket[i] = 2 * bucket[i] + (less(x[i], tree[bucket[i]]) ? 0 : 1);
  }
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) bucket[i] -= MaxBuckets;
}

// Moves items that equal a splitter that occurs twice to the bucket between the two.
template <class Key, int Items, class Order>
__device__ void move_to_equal_bucket(const Key* sorted, const Key (&x)[Items], std::uint32_t (&bucket)[Items],
                                     const Order& order) {
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    const std::uint32_t b = bucket[i];
    if (b > 1 && !order(sorted[b - 1], sorted[b]) && !order(sorted[b], x[i])) bucket[i] = b - 1;
  }
}

// The number of a thread's items whose buckets are searched at the same time.
template <int Items> inline constexpr int batch_size = Items % 2 == 0 ? 2 : 1;

// How dense splitters are. `equal`: some splitters are equal. `apart`: no two splitters are in one cell (only
// with the cells of splitter_cells.cuh). `close`: neither.
enum class splitter_kind : std::uint32_t { close, equal, apart };

// The splitters of a segment in shared memory, in ascending order and as a search tree.
template <class Order, std::uint32_t MaxBuckets = max_buckets> struct shared_splitters {
  using key = typename Order::key;
  using map = probe_map<Order>;
  static constexpr bool has_cells = false;
  struct search_params {
    map to_probe;
    splitter_kind kind;
  };
  key sorted[MaxBuckets];
  typename map::probe tree[MaxBuckets];
  typename map::probe probes[map::exact ? 1 : MaxBuckets]; // the probes of `sorted`

  // Sets the splitters from splitters[1 .. num_buckets - 1], which ascend. All threads of the block must call
  // this function, which ends with a barrier.
  __device__ search_params set(std::uint32_t num_buckets, const key* splitters, const Order& order) {
    search_params params{};
    params.to_probe.set(splitters[1], splitters[num_buckets - 1]);
    bool equal = false;
    for (std::uint32_t b = threadIdx.x; b < num_buckets; b += blockDim.x) {
      if (b == 0) continue;
      sorted[b] = splitters[b];
      tree[b] = params.to_probe(splitters[weft::sort_detail::splitter_of_node(b, num_buckets)]);
      if constexpr (!map::exact) probes[b] = params.to_probe(sorted[b]);
      equal |= b > 1 && !order(splitters[b - 1], splitters[b]);
    }
    params.kind = __syncthreads_or(equal) != 0 ? splitter_kind::equal : splitter_kind::close;
    return params;
  }
  // Finds the buckets of `x`. Items of `x` that are not in the tile may have any value.
  template <int Items>
  __device__ void find(std::uint32_t num_buckets, const search_params& params, const key (&x)[Items],
                       std::uint32_t (&bucket)[Items], const Order& order) const {
    if constexpr (Order::numbers) {
      std::uint32_t probe[Items];
      WEFT_UNROLL
      for (int i = 0; i < Items; ++i) probe[i] = params.to_probe(x[i]);
      descend(tree, num_buckets, probe, bucket, params.to_probe);
      if constexpr (!map::exact) {
        bool tie = false;
        WEFT_UNROLL
        for (int i = 0; i < Items; ++i) tie |= bucket[i] > 0 && probes[bucket[i]] == probe[i];
        if (tie) resolve_ties(probe, x, bucket);
      }
    } else {
      descend(tree, num_buckets, x, bucket, order);
    }
    if (params.kind == splitter_kind::equal) move_to_equal_bucket(sorted, x, bucket, order);
  }

private:
  template <int Items>
  __device__ void resolve_ties(const std::uint32_t (&probe)[Items], const key (&x)[Items],
                               std::uint32_t (&bucket)[Items]) const {
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (bucket[i] == 0 || probes[bucket[i]] != probe[i] || !(x[i] < sorted[bucket[i]])) continue;
      std::uint32_t low = 0, high = bucket[i] - 1;
      while (low < high) {
        const std::uint32_t middle = (low + high + 1) / 2;
        if (x[i] < sorted[middle])
          high = middle - 1;
        else
          low = middle;
      }
      bucket[i] = low;
    }
  }
};

} // namespace weft::sort_detail
