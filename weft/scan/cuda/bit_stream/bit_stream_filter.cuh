// The code with which a warp applies the filters of variants to the streams of a tile.
#pragma once

#include <weft/scan/cuda/bit_stream/bit_stream_tile.cuh>

namespace weft::scan_detail {

__device__ inline uint4 bitwise_and(const uint4& a, const uint4& b) {
  return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w};
}
__device__ inline bool any(const uint4& a) { return (a.x | a.y | a.z | a.w) != 0; }

// Appends a candidate for every bit of `bits` that is set in any lane. Bit 0 of a lane stands for the
// candidate `first`. `lanes`: the lanes that have a bit set, at least one. Called by all lanes of the warp.
__device__ inline void append_candidates(std::uint64_t* candidates, std::uint32_t& num_candidates, uint4 bits,
                                         std::uint32_t lanes, std::uint64_t first) {
  do {
    std::uint32_t part = 0, word = bits.x;
    if (word == 0) part = 1, word = bits.y;
    if (word == 0) part = 2, word = bits.z;
    if (word == 0) part = 3, word = bits.w;
    if (word != 0)
      candidates[num_candidates + lanes_before(lanes)] =
          first + (part * 32 + __ffs(static_cast<int>(word)) - 1) * stream_words;
    const std::uint32_t rest = word & (word - 1);
    if (part == 0) bits.x = rest;
    if (part == 1) bits.y = rest;
    if (part == 2) bits.z = rest;
    if (part == 3) bits.w = rest;
    num_candidates += __popc(lanes);
    lanes = __ballot_sync(all_lanes, any(bits));
  } while (lanes != 0);
}

// The range of filters that a warp is working on: filters [first, first + count).
struct taken_filters {
  std::uint32_t first, next, count; // `next`: index in the range
  bool done;                        // no filters are left for this tile
};

// Up to 32 filters of a warp, one in each lane, and the streams of a tile, addressed from the lane's own word
// on.
class warp_filters {
public:
  __device__ warp_filters(const stream_tables& tables, std::uint32_t first, const uint4* arena)
      : arena_(arena), at_(__ldg(reinterpret_cast<const uint2*>(tables.filters + first) + threadIdx.x % 32)),
        same_first_(__ballot_sync(all_lanes, (at_.x & stream_filter::same_first) != 0)) {
    at_.x &= ~stream_filter::same_first;
  }
  // Loads the first stream of filter i; surviving_bits() reloads it where it changes.
  __device__ void start_at(std::uint32_t i) { first_ = word_at_low(__shfl_sync(all_lanes, at_.x, i)); }
  // Returns the positions of the lane's word that pass filter i. Must be called for ascending filters, from
  // the one given to start_at() on. For i past the last filter, the result has no meaning. Only lanes with
  // positions left read the fourth stream.
  __device__ uint4 surviving_bits(std::uint32_t i) {
    i %= 32;
    const std::uint32_t one = __shfl_sync(all_lanes, at_.x, i), two = __shfl_sync(all_lanes, at_.y, i);
    if ((same_first_ >> i & 1) == 0) first_ = word_at_low(one);
    uint4 bits = bitwise_and(bitwise_and(first_, word_at_high(one)), word_at_low(two));
    if (any(bits)) bits = bitwise_and(bits, word_at_high(two));
    return bits;
  }

private:
  __device__ uint4 word_at_low(std::uint32_t at) const { return arena_[at & stream_filter::address]; }
  __device__ uint4 word_at_high(std::uint32_t at) const {
    static_assert(sizeof(uint4) == 1U << 4);
    return *reinterpret_cast<const uint4*>(reinterpret_cast<const unsigned char*>(arena_) +
                                           (at >> (stream_filter::second_shift - 4)));
  }

  const uint4* arena_;
  uint2 at_;
  std::uint32_t same_first_;
  uint4 first_;
};

// The extra filters of the variants of a warp, one variant in each lane. Used where every variant has a
// filter of its own.
class warp_extra_filters {
public:
  __device__ warp_extra_filters(const stream_tables& tables, std::uint32_t first, const uint4* arena)
      : arena_(arena), second_filters_(__ldg(reinterpret_cast<const uint2*>(tables.second_filters + first) +
                                             threadIdx.x % 32)),
        third_filters_(
            __ldg(reinterpret_cast<const uint2*>(tables.third_filters + first) + threadIdx.x % 32)) {}

  // Clears the bits of `bits` that the extra filters of variant i reject. Lanes without bits read nothing: a
  // read by few lanes occupies the shared memory for at most a quarter of the time of a whole word.
  __device__ void apply(std::uint32_t i, uint4& bits) const {
    const std::uint32_t pairs[] = {
        __shfl_sync(all_lanes, second_filters_.x, i), __shfl_sync(all_lanes, second_filters_.y, i),
        __shfl_sync(all_lanes, third_filters_.x, i), __shfl_sync(all_lanes, third_filters_.y, i)};
#pragma unroll
    for (const std::uint32_t pair : pairs) {
      if (!any(bits)) return;
      bits = bitwise_and(bitwise_and(bits, arena_[pair & 0xffff]), arena_[pair >> 16]);
    }
  }

private:
  const uint4* arena_;
  uint2 second_filters_, third_filters_;
};

// Takes the next range of filters for the warp. Takes small ranges when few filters are left, so that the
// warps of a block finish at about the same time.
__device__ inline void take_filters(scan_memory& memory, std::uint32_t num_filters, taken_filters& taken) {
  // `left` is an upper bound: other warps may have taken filters since.
  const std::uint32_t left = num_filters - min(num_filters, taken.first),
                      count = left > scan_warps * 16 ? 32 : 8;
  if (threadIdx.x % 32 == 0) taken.first = atomicAdd(&memory.next_filter, count);
  taken.first = __shfl_sync(all_lanes, taken.first, 0);
  taken.next = 0;
  taken.done = taken.first >= num_filters;
  taken.count = taken.done ? 0 : min(count, num_filters - taken.first);
}

// Applies filters to the tile that begins at position `base`, and appends candidates. Stops when no filter is
// left, which it returns, or when the candidates of one more filter might not fit into the warp's memory.
__device__ inline bool run_own_filters(scan_memory& memory, const stream_tables& tables, std::uint64_t base,
                                       taken_filters& taken, std::uint64_t* candidates,
                                       std::uint32_t& num_candidates) {
  const std::uint32_t lane = threadIdx.x % 32;
  constexpr std::uint32_t max_candidates = warp_candidates - tile_positions;
  while (num_candidates <= max_candidates) {
    if (taken.next >= taken.count) take_filters(memory, tables.num_filters, taken);
    if (taken.done) break;
    std::uint32_t i = taken.next;
    warp_filters filters(tables, taken.first, memory.arena + lane);
    const warp_extra_filters second_filters(tables, taken.first, memory.arena + lane);
    filters.start_at(i);
    const auto note = [&](std::uint32_t filter, uint4 bits) {
      if (!__any_sync(all_lanes, any(bits))) return;
      second_filters.apply(filter, bits);
      const std::uint32_t lanes = __ballot_sync(all_lanes, any(bits));
      if (lanes != 0)
        append_candidates(candidates, num_candidates, bits, lanes,
                          (static_cast<std::uint64_t>(taken.first + filter) << variant_shift | base) + lane);
    };
    while (i < taken.count && num_candidates <= max_candidates) { // two filters at a time share one vote
      const uint4 one = filters.surviving_bits(i), other = filters.surviving_bits(i + 1);
      if (!__any_sync(all_lanes, any(one) || any(other))) {
        i += 2;
        continue;
      }
      note(i++, one);
      if (i < taken.count && num_candidates <= max_candidates) note(i++, other);
    }
    taken.next = i;
  }
  return taken.done;
}

} // namespace weft::scan_detail
