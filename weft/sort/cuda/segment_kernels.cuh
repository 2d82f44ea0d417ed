// The kernels that start a sample sort of a caller's segments of numbers:
//
//   tiny segments    are sorted at once: a warp sorts several consecutive ones in registers
//   short segments   are listed as leaves of a kind of their own, which a block merges
//   larger segments  are listed as leaves of the other kinds, or, if they are larger than a leaf, as segments
//                    of level 0
//
// If the sort has no levels, because it has few items, all segments that are not tiny are listed as leftovers
// instead, which one kernel sorts. The launches of the other kernels would take several times as long as the
// work.
//
// A sorting network whose comparators all move the smaller item to the smaller index can sort several
// consecutive segments at once. If items are compared first by the number of their segment and then by key, a
// comparator between two segments never moves anything, because the segments are in order already. Such
// comparators are therefore disabled.
//
// The plain version:
//     for each segment: sort(items + begin, end - begin)
#pragma once

#include <bit>
#include <cstdint>
#include <cub/util_ptx.cuh>
#include <type_traits>
#include <weft/sort/core/ordered_bits.hpp>
#include <weft/sort/cuda/sample_sort_kernels.cuh>

namespace weft::sort_detail {

template <class Key> inline constexpr int tiny_items = sizeof(Key) <= 8 ? 8 : 4; // items of a lane
template <class Key> inline constexpr std::uint32_t tiny_segment = 32 * tiny_items<Key>;

// The shape of the blocks that merge short segments.
template <class Key> using short_shape = tile_shape<128, 8, sizeof(Key) <= 8 ? 8 : 4>;
inline constexpr int tiny_threads = 128;
template <class Key> inline constexpr int tiny_blocks = sizeof(Key) <= 8 ? 5 : 4; // per multiprocessor

// A caller's segments: segment i is [d_offsets[i], d_offsets[i + 1]). If count is 0, all items are one
// segment.
struct caller_segments {
  const std::uint64_t* d_offsets = nullptr;
  std::uint64_t count = 0;
};

// Sets bad_offsets if the offsets do not ascend from 0 to num_items. Nothing is sorted then.
template <class Key>
__global__ void __launch_bounds__(plan_threads)
    check_offsets_kernel(sort_plan<Key> plan, caller_segments segments, std::uint64_t num_items) {
  wait_for_launch_before();
  const std::uint64_t* const offsets = segments.d_offsets;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * plan_threads;
  bool good = offsets[0] == 0 && offsets[segments.count] == num_items;
  for (std::uint64_t s = std::uint64_t{blockIdx.x} * plan_threads + threadIdx.x; s < segments.count;
       s += threads)
    good = good && offsets[s] <= offsets[s + 1];
  if (!good) plan.counts->bad_offsets = 1;
}

template <class T> __device__ T shuffle_xor(const T& item, int mask) {
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4 && sizeof(T) <= 8)
    return __shfl_xor_sync(0xFFFFFFFFU, item, mask);
  else
    return cub::ShuffleIndex<32>(item, static_cast<int>(threadIdx.x % 32) ^ mask, 0xFFFFFFFFU);
}

// Returns the key that a lane keeps after a comparison of its key `mine` with another lane's key: the smaller
// one, or the greater one if `upper`. Keys that are not `together`, in one segment, are not exchanged.
template <class Key> __device__ Key keep_key(const Key& mine, const Key& other, bool upper, bool together) {
  return (other < mine) != upper && together ? other : mine;
}

// The segments of a lane's items: the index, counted from the lane's first item, at which the segment of each
// item begins, and the size of that segment.
template <int Items> struct item_segments {
  int begins[Items], sizes[Items];
  // Returns whether item `i` and the item at index `other`, counted from the lane's first item, are in one
  // segment.
  __device__ bool together(int i, int other) const {
    return static_cast<unsigned>(other - begins[i]) < static_cast<unsigned>(sizes[i]);
  }
};

// Completes a bitonic merge: compares items at the distances Stride, Stride / 2, .. 1, where items at indices
// that differ only in that bit are partners.
template <int Stride, class Key, int Items>
__device__ void halve_bitonic_runs(Key (&x)[Items], const item_segments<Items>& segments) {
  ascending less;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if constexpr (Stride >= Items) {
    const bool upper = (lane & Stride / Items) != 0;
    const int partner = upper ? -Stride : Stride;
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i)
      x[i] = keep_key(x[i], shuffle_xor(x[i], Stride / Items), upper, segments.together(i, partner + i));
  } else if constexpr (Stride > 0) {
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i)
      if ((i & Stride) == 0) compare_exchange(x[i], x[i + Stride], segments.together(i, i + Stride), less);
  }
  if constexpr (Stride > 1) halve_bitonic_runs<Stride / 2>(x, segments);
}

// Sorts all segments of a warp by bitonic merges of runs of `Run` items: compares each item with its mirror
// image in the two runs, then at distances that halve. x[i] is item lane * Items + i of the warp.
template <int Run = 1, class Key, int Items>
__device__ void sort_segments_of_warp(Key (&x)[Items], const item_segments<Items>& segments) {
  ascending less;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if constexpr (Run < Items) {
    WEFT_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int j = i ^ (2 * Run - 1);
      if (i < j) compare_exchange(x[i], x[j], segments.together(i, j), less);
    }
  } else {
    constexpr int mirror = 2 * Run / Items - 1;
    const bool upper = (lane & Run / Items) != 0;
    const int partner = ((lane ^ mirror) - lane) * Items;
    WEFT_UNROLL
    for (int i = 0; i < (Items + 1) / 2; ++i) {
      const int j = Items - 1 - i;
      const Key from_j = shuffle_xor(x[j], mirror), from_i = i == j ? from_j : shuffle_xor(x[i], mirror);
      x[i] = keep_key(x[i], from_j, upper, segments.together(i, partner + j));
      if (i != j) x[j] = keep_key(x[j], from_i, upper, segments.together(j, partner + i));
    }
  }
  halve_bitonic_runs<Run / 2>(x, segments);
  if constexpr (2 * Run < 32 * Items) sort_segments_of_warp<2 * Run>(x, segments);
}

// The shared memory of a warp that sorts tiny segments.
template <class Key> struct tiny_memory {
  Key keys[shared_tile<Key>::bytes(tiny_segment<Key>, 0) / sizeof(Key)];
  alignas(16) std::uint8_t first[tiny_segment<Key>]; // 1: a segment begins at the item
};

// Finds the segments of the lane's items. Byte i of `heads` is 1 if a segment begins at the lane's item i;
// one begins at item 0 of the warp.
template <int Items, class Word> __device__ item_segments<Items> find_item_segments(const Word& heads) {
  const int lane = static_cast<int>(threadIdx.x % 32), own = lane * Items;
  const auto is_first = [&](int i) { return (heads >> 8 * i & 1U) != 0; };
  int first = 0, last = 0;
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    if (is_first(i)) last = i;
    if (is_first(Items - 1 - i)) first = Items - 1 - i;
  }
  const unsigned lanes = __ballot_sync(0xFFFFFFFFU, heads != 0);
  const unsigned before = lanes & ((1U << lane) - 1U), behind = lanes & (~1U << lane);
  int begin = __shfl_sync(0xFFFFFFFFU, own + last, before == 0 ? 0 : 31 - __clz(static_cast<int>(before)));
  int end = __shfl_sync(0xFFFFFFFFU, own + first, behind == 0 ? 0 : __ffs(static_cast<int>(behind)) - 1);
  begin -= own;
  end = (behind == 0 ? 32 * Items : end) - own;
  item_segments<Items> segments;
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    if (is_first(i)) begin = i;
    segments.begins[i] = begin;
  }
  WEFT_UNROLL
  for (int i = Items - 1; i >= 0; --i) {
    segments.sizes[i] = end - segments.begins[i];
    if (is_first(i)) end = i;
  }
  return segments;
}

// A warp sorts consecutive segments of up to 32 * Items items in total. If `is_in_row`, the lane has one of
// the segments, and `begin` is its index from the first of the items. The indices past the end of the last
// segment form a segment of their own.
template <int Items, class Order>
__device__ void sort_row(tiny_memory<typename Order::key>& memory, typename Order::item* items,
                         std::uint32_t size, bool is_in_row, std::uint32_t begin, const Order& order) {
  using key = typename Order::key;
  using word = typename unsigned_of<Items>::type;
  const std::uint32_t lane = threadIdx.x % 32;
  auto* const words = reinterpret_cast<word*>(memory.first);
  words[lane] = 0;
  __syncwarp();
  if (is_in_row && begin < 32 * Items) memory.first[begin] = 1;
  if (lane == 0 && size < 32 * Items) memory.first[size] = 1;
  const shared_tile<key> tile{memory.keys};
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    const std::uint32_t at = static_cast<std::uint32_t>(i) * 32 + lane;
    if (at < size) tile[at] = order.key_of(items[at]);
  }
  __syncwarp();
  const item_segments<Items> segments = find_item_segments<Items>(words[lane]);
  key x[Items];
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) x[i] = tile[lane * Items + static_cast<std::uint32_t>(i)];
  sort_segments_of_warp(x, segments);
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) tile[lane * Items + static_cast<std::uint32_t>(i)] = x[i];
  __syncwarp();
  WEFT_UNROLL
  for (int i = 0; i < Items; ++i) {
    const std::uint32_t at = static_cast<std::uint32_t>(i) * 32 + lane;
    if (at < size) items[at] = order.item_of(tile[at]);
  }
  __syncwarp();
}

// Returns an index in a list for each of the lanes in the mask `lanes`. Makes one atomic addition per warp.
__device__ inline std::uint32_t number_in_list(std::uint32_t* count, unsigned lanes) {
  const unsigned lane = threadIdx.x % 32, leader = static_cast<unsigned>(__ffs(static_cast<int>(lanes))) - 1;
  std::uint32_t first = 0;
  if (lane == leader) first = atomicAdd(count, static_cast<unsigned>(__popc(lanes)));
  first = __shfl_sync(0xFFFFFFFFU, first, static_cast<int>(leader));
  return first + static_cast<std::uint32_t>(__popc(lanes & ((1U << lane) - 1U)));
}

// Lists segments that are not tiny, at most one per lane. All lanes of the warp must call this function.
template <class Key>
__device__ void list_segments(const sort_plan<Key>& plan, bool has_segment, std::uint64_t begin,
                              std::uint64_t size) {
  if (plan.num_levels == 0) {
    if (has_segment) plan.leftovers[atomicAdd(&plan.counts->leftovers, 1U)] = {begin, size, 0, 0};
    return;
  }
  const int kind = !has_segment                     ? -1
                   : size <= short_shape<Key>::size ? short_leaf
                   : size <= plan.leaf.small        ? small_leaf
                   : size <= plan.leaf.large        ? large_leaf
                                                    : num_leaf_kinds;
  WEFT_UNROLL
  for (const leaf_kind each : {short_leaf, small_leaf, large_leaf}) {
    const unsigned lanes = __ballot_sync(0xFFFFFFFFU, kind == each);
    if (lanes == 0) continue;
    const std::uint32_t number = number_in_list(&plan.counts->leaves[each], lanes);
    if (kind == each) plan.leaves[each][number] = {begin, static_cast<std::uint32_t>(size), 0};
  }
  if (kind != num_leaf_kinds) return; // there are few such segments, because each has many items
  level_counts& level = plan.counts->levels[0];
  const std::uint32_t buckets =
      buckets_for(size, plan.leaf.mean, plan.num_levels > 1 ? plan.num_levels - 1 : 1);
  plan.segments[0][atomicAdd(&level.segments, 1U)] = {begin, size, atomicAdd(&level.buckets, buckets),
                                                      buckets};
}

// Sorts the tiny segments and lists the others. A warp takes `each` segments at a time, and looks at up to 32
// of them at once.
template <class Order>
__global__ void __launch_bounds__(tiny_threads, tiny_blocks<typename Order::key>)
    start_segments_kernel(sort_plan<typename Order::key> plan, caller_segments segments, std::uint32_t each,
                          typename Order::array items, Order order) {
  using key = typename Order::key;
  constexpr int wide = tiny_items<key>, narrow = wide / 4;
  __shared__ tiny_memory<key> memory[tiny_threads / 32];
  tiny_memory<key>& own = memory[threadIdx.x / 32];
  wait_for_launch_before();
  if (plan.counts->bad_offsets != 0) return;
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (tiny_threads / 32);
  const std::uint64_t warp = std::uint64_t{blockIdx.x} * (tiny_threads / 32) + threadIdx.x / 32;
  for (std::uint64_t taken = warp * each; taken < segments.count; taken += warps * each) {
    const std::uint64_t last = segments.count - taken < each ? segments.count : taken + each;
    for (std::uint64_t s = taken; s < last;) {
      const std::uint32_t seen = last - s < 32 ? static_cast<std::uint32_t>(last - s) : 32;
      const bool has_segment = lane < seen;
      const std::uint64_t begin = has_segment ? segments.d_offsets[s + lane] : 0;
      const std::uint64_t end = has_segment ? segments.d_offsets[s + lane + 1] : 0;
      const bool tiny = has_segment && end - begin <= tiny_segment<key>;
      std::uint32_t done = seen;
      for (unsigned left = __ballot_sync(0xFFFFFFFFU, tiny); left != 0;) {
        const unsigned first = static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
        const std::uint64_t from = __shfl_sync(0xFFFFFFFFU, begin, static_cast<int>(first));
        // Finds how many consecutive segments fit together.
        const unsigned no = ~__ballot_sync(0xFFFFFFFFU, tiny && end - from <= tiny_segment<key>) >> first;
        const unsigned past = no == 0 ? 32 : first + static_cast<unsigned>(__ffs(static_cast<int>(no))) - 1;
        if (first > 0 && past == seen && s + seen < last) { // more tiny segments may follow
          done = first;
          break;
        }
        const auto size =
            static_cast<std::uint32_t>(__shfl_sync(0xFFFFFFFFU, end, static_cast<int>(past - 1)) - from);
        const bool is_in_row = first <= lane && lane < past;
        const auto rest = static_cast<std::uint32_t>(begin - from);
        if (size > 32 * narrow)
          sort_row<wide>(own, items + from, size, is_in_row, rest, order);
        else if (size > 1)
          sort_row<narrow>(own, items + from, size, is_in_row, rest, order);
        left &= past == 32 ? 0 : ~0U << past;
      }
      list_segments(plan, has_segment && !tiny && lane < done, begin, end - begin);
      s += done;
    }
  }
}

// Numbers the tiles of a level. One block.
template <class Key>
__global__ void __launch_bounds__(plan_threads) number_tiles_kernel(sort_plan<Key> plan, int level) {
  wait_for_launch_before();
  number_tiles<plan_threads>(plan, level);
}

} // namespace weft::sort_detail
