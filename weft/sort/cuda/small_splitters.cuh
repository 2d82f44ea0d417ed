// Splitters of a small sort of wide numbers in shared memory, one splitter per thread, and the search for the
// bucket of a number.
//
// The plain version: the bucket of x is the index of the last splitter that is not greater than x. If that
// splitter equals x and the splitter before it is the same, the bucket is one less.
//
// The range of the splitters is divided into cells of equal width. A table holds how many splitters are in
// the cells before each cell. The bucket of a number lies between the entry of its cell and the next entry,
// so that the search compares it with no splitter or one where splitters are far apart, and with more where
// they are dense. The search compares the numbers themselves, not parts of them, so that no ties have to be
// resolved.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>
#include <type_traits>
#include <weft/sort/cuda/shared_splitters.cuh>

namespace weft::sort_detail {

template <class Order, std::uint32_t MaxBuckets> class splitters_in_cells {
  using key = typename Order::key;
  static constexpr int bits = 12, threads = MaxBuckets;
  static constexpr std::uint32_t num_cells = 1U << bits;
  // The cells of one thread: each word of 16 bytes holds eight of them.
  static constexpr int words = num_cells / threads / 8;
  static_assert(words * threads * 8 == num_cells && MaxBuckets <= 1U << 16);

public:
  struct search_params {
    probe_map<Order> to_probe;
    splitter_kind kind; // `close` or `equal`

    __device__ std::uint32_t cell_of(const key& x) const { return to_probe(x) >> (32 - bits); }
  };
  key sorted[MaxBuckets];

  // Sets the splitters from splitters[1 .. num_buckets - 1], which ascend. All threads of the block must call
  // this function, which ends with a barrier of the block.
  __device__ search_params set(std::uint32_t num_buckets, const key* splitters, const Order&) {
    const std::uint32_t b = threadIdx.x, last = num_buckets - 1;
    const bool is_splitter = b > 0 && b <= last;
    const key own = splitters[is_splitter ? b : 1], next = splitters[is_splitter && b < last ? b + 1 : last];
    search_params params{};
    params.to_probe.set(splitters[1], splitters[last]);
    for (int w = 0; w < words; ++w) reinterpret_cast<uint4*>(before)[w * threads + b] = {0, 0, 0, 0};
    if (b == 0) before[num_cells] = static_cast<std::uint16_t>(last);
    sorted[b] = own;
    const bool equal = is_splitter && b < last && !(own < next);
    params.kind = __syncthreads_or(equal) != 0 ? splitter_kind::equal : splitter_kind::close;
    const std::uint32_t cell = params.cell_of(own);
    if (is_splitter && (b == last || cell != params.cell_of(next)))
      before[cell + 1] = static_cast<std::uint16_t>(b);
    __syncthreads();
    fill();
    __syncthreads();
    return params;
  }
  // Finds the buckets of `x`. Items of `x` that are not in the tile may have any value.
  template <int Items>
  __device__ void find(std::uint32_t, const search_params& params, const key (&x)[Items],
                       std::uint32_t (&bucket)[Items], const Order& order) const {
    std::uint32_t last[Items];
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t cell = params.cell_of(x[i]);
      bucket[i] = before[cell], last[i] = before[cell + 1];
    }
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i)
      while (bucket[i] < last[i]) {
        const std::uint32_t middle = (bucket[i] + last[i] + 1) / 2;
        if (x[i] < sorted[middle])
          last[i] = middle - 1;
        else
          bucket[i] = middle;
      }
    if (params.kind == splitter_kind::equal) move_to_equal_bucket(sorted, x, bucket, order);
  }

private:
  alignas(16) std::uint16_t before[num_cells + 1];
  typename cub::BlockScan<std::uint32_t, threads>::TempStorage scan;

  // Raises each entry of the table to the greatest entry up to it.
  __device__ void fill() {
    auto* const own = reinterpret_cast<uint4*>(before) + threadIdx.x * words;
    std::uint32_t x[words][4], running_max = 0;
    WEFT_UNROLL
    for (int w = 0; w < words; ++w) {
      const uint4 word = own[w];
      x[w][0] = word.x, x[w][1] = word.y, x[w][2] = word.z, x[w][3] = word.w;
      WEFT_UNROLL
      for (const std::uint32_t two : x[w]) running_max = max(running_max, max(two & 0xFFFFU, two >> 16));
    }
    const auto greater = [](std::uint32_t a, std::uint32_t b) { return max(a, b); };
    cub::BlockScan<std::uint32_t, threads>(scan).ExclusiveScan(running_max, running_max, 0U, greater);
    WEFT_UNROLL
    for (int w = 0; w < words; ++w) {
      WEFT_UNROLL
      for (std::uint32_t& two : x[w]) {
        const std::uint32_t low = max(running_max, two & 0xFFFFU);
        running_max = max(low, two >> 16);
        two = low | running_max << 16;
      }
      own[w] = {x[w][0], x[w][1], x[w][2], x[w][3]};
    }
  }
};

// The splitters of a small sort: the search tree for items that it compares exactly (numbers of up to 32
// bits, and items that a comparator orders), cells for wider numbers.
template <class Order, std::uint32_t MaxBuckets>
using small_splitters = std::conditional_t<probe_map<Order>::exact, shared_splitters<Order, MaxBuckets>,
                                           splitters_in_cells<Order, MaxBuckets>>;

} // namespace weft::sort_detail
