// The start of a sample sort, and the choice of the splitters of its first level, in which all items are one
// segment. Many blocks take the same samples, and each block computes the ranks of some of them.
//
// The plain version:
//     splitters[b] = the sample of rank b * samples_per_bucket, where of equal samples the one that was taken
//     first has the lower rank
//
// If one block sorted all samples, that would be most of the time of a small sort. Ranking takes as many
// comparisons as the square of the number of samples, but it uses all multiprocessors at once, and a thread
// makes only a few hundred comparisons.
#pragma once

#include <cstdint>
#include <type_traits>
#include <weft/sort/cuda/sample_sort_kernels.cuh>

namespace weft::sort_detail {

inline constexpr std::uint32_t ranks_per_block = 16, ranks_at_once = 4;

__device__ inline unsigned sum_of_warp(unsigned x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xFFFFFFFFU, x);
#else
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(0xFFFFFFFFU, x, distance);
  return x;
#endif
}

// All samples except those that the block ranks, in the registers of the block's threads. The block ranks the
// samples with the numbers `first` .. first + ranks_per_block - 1.
template <class Order, int Items> class samples_of_block {
  using key = typename Order::key;
  using shape = splitter_shape<key>;

public:
  template <class Sample>
  __device__ samples_of_block(std::uint32_t num_samples, std::uint32_t first, Sample sample)
      : num_samples_(num_samples), first_(first) {
    WEFT_UNROLL
    for (int m = 0; m < Items; ++m) x_[m] = sample(number(m));
    if constexpr (Order::numbers) shift();
  }
  // Returns how many of the thread's samples come before the sample `own`, which the block ranks.
  __device__ std::uint32_t before(const key& own, const Order& order) const {
    constexpr int batch = Items % 4 == 0 ? 4 : 1;
    std::uint32_t count = always_;
    WEFT_UNROLL
    for (int from = 0; from < Items; from += batch) {
      if (static_cast<std::uint32_t>(from * shape::threads) >= num_samples_) break;
      WEFT_UNROLL
      for (int m = from; m < from + batch; ++m) {
        if constexpr (Order::numbers)
          count += x_[m] < own ? 1 : 0;
        else if (is_counted(m))
          count += (number(m) < first_ ? !order(own, x_[m]) : order(x_[m], own)) ? 1 : 0;
      }
    }
    return count;
  }

private:
  __device__ static std::uint32_t number(int m) {
    return static_cast<std::uint32_t>(m * shape::threads) + threadIdx.x;
  }
  __device__ bool is_counted(int m) const {
    return number(m) < num_samples_ && number(m) - first_ >= ranks_per_block;
  }
  // Changes the samples so that one comparison `x < own` counts each of them. A sample with a smaller number
  // also comes before the samples that it equals, so it is counted if x <= own, which is the same as x - 1 <
  // own (and a sample of 0 always counts). A sample that must not be counted becomes all ones, which is not
  // less than any key.
  __device__ void shift() {
    constexpr key never = static_cast<key>(~key{0});
    WEFT_UNROLL
    for (int m = 0; m < Items; ++m) {
      const bool counted = is_counted(m), earlier = counted && number(m) < first_;
      if (earlier && x_[m] == 0) ++always_;
      if (!counted || (earlier && x_[m] == 0))
        x_[m] = never;
      else if (earlier)
        --x_[m];
    }
  }
  std::uint32_t num_samples_, first_, always_ = 0;
  key x_[Items];
};

// Sets the counters and the segment list from which the kernels of the first level start.
template <class Key> __device__ void set_first_level(const sort_plan<Key>& plan, const sort_segment& all) {
  auto* const words = reinterpret_cast<std::uint32_t*>(plan.counts);
  for (std::uint32_t i = threadIdx.x; i < sizeof(sort_counts) / 4; i += blockDim.x) words[i] = 0;
  for (std::uint32_t b = threadIdx.x; b < all.num_buckets; b += blockDim.x) plan.bucket_positions[b] = 0;
  __syncthreads();
  if (threadIdx.x != 0) return;
  plan.segments[0][0] = all;
  plan.counts->levels[0] = {1, tiles_of(all, plan.tile), all.num_buckets, 0};
  plan.first_tile[0][0] = 0;
}

// Ranks the samples with the numbers `first` .. first + ranks_per_block - 1, and writes those that are
// splitters. There are num_samples samples, `samples` per bucket and at most `Items` per thread;
// sample(number) must return any key for numbers past the last sample. Ends with a barrier of the block.
template <int Items, class Order, class Sample>
__device__ void rank_samples(std::uint32_t first, std::uint32_t samples, std::uint32_t num_samples,
                             Sample sample, typename Order::key* splitters, const Order& order) {
  using key = typename Order::key;
  constexpr std::uint32_t warps = splitter_shape<key>::threads / 32;
  __shared__ alignas(key) unsigned char own_bytes[ranks_per_block * sizeof(key)];
  __shared__ std::uint32_t ranks[ranks_per_block];
  key* const own = reinterpret_cast<key*>(own_bytes);
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x < ranks_per_block) own[lane] = sample(first + lane), ranks[lane] = 0;
  const samples_of_block<Order, Items> others(num_samples, first, sample);
  __syncthreads();
  std::uint32_t before = 0; // how many samples of this warp come before ranked sample `lane`
  for (std::uint32_t from = 0; from < ranks_per_block; from += ranks_at_once) {
    std::uint32_t sums[ranks_at_once];
    WEFT_UNROLL
    for (std::uint32_t i = 0; i < ranks_at_once; ++i) sums[i] = others.before(own[from + i], order);
    WEFT_UNROLL
    for (std::uint32_t i = 0; i < ranks_at_once; ++i) {
      const std::uint32_t sum = sum_of_warp(sums[i]);
      if (lane == from + i) before = sum;
    }
  }
  // compares the ranked samples with each other
  for (std::uint32_t i = warp; i < ranks_per_block; i += warps) {
    const bool is_present = lane < ranks_per_block && lane != i && first + lane < num_samples;
    const bool yes = is_present && (lane < i ? !order(own[i], own[lane]) : order(own[lane], own[i]));
    const auto sum = static_cast<std::uint32_t>(__popc(__ballot_sync(0xFFFFFFFFU, yes)));
    if (lane == i) before += sum;
  }
  if (lane < ranks_per_block) atomicAdd(&ranks[lane], before);
  __syncthreads();
  if (threadIdx.x < ranks_per_block && first + lane < num_samples) {
    const std::uint32_t rank = ranks[lane];
    if (rank > 0 && rank % samples == 0) splitters[rank / samples] = own[lane];
  }
  __syncthreads();
}

// Starts a sort: initialises the lists and chooses the splitters of the first level. `all` is the segment
// that consists of all items; `samples` is the number of samples per bucket, at most
// splitter_shape::samples_per_bucket. Only for sorts whose first level has one segment:
// choose_splitters_of_level_kernel chooses the splitters of all other levels.
template <class Order>
__global__ void __launch_bounds__(splitter_shape<typename Order::key>::threads, 2)
    start_sort_kernel(sort_plan<typename Order::key> plan, sort_segment all, typename Order::array items,
                      std::uint32_t samples, std::uint64_t seed, Order order) {
  using key = typename Order::key;
  wait_for_launch_before();
  if (blockIdx.x == 0) set_first_level(plan, all);
  const std::uint32_t num_samples = samples * all.num_buckets;
  const sample_positions positions(seed, all, num_samples);
  const auto sample = [&](std::uint32_t number) -> key {
    return order.key_of(items[number < num_samples ? positions(number) : all.begin]);
  };
  rank_samples<splitter_shape<key>::items>(blockIdx.x * ranks_per_block, samples, num_samples, sample,
                                           plan.splitters + all.first_bucket, order);
}

} // namespace weft::sort_detail
