// Filters of variants over a tile's streams: what a warp does.
#pragma once

#include <weft/scan/cuda/bit_stream/bit_stream_tile.cuh>

namespace weft::scan_cuda {

__device__ inline uint4 both(const uint4& a, const uint4& b) {
  return {a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w};
}
__device__ inline bool any(const uint4& a) { return (a.x | a.y | a.z | a.w) != 0; }

// Notes the positions of `bits`, of which `first` is that of bit 0; who: the lanes that have some. For the
// whole warp.
__device__ inline void note_candidates(std::uint64_t* candidates, std::uint32_t& noted, uint4 bits,
                                       std::uint32_t who, std::uint64_t first) {
  do {
    std::uint32_t part = 0, word = bits.x;
    if (word == 0) part = 1, word = bits.y;
    if (word == 0) part = 2, word = bits.z;
    if (word == 0) part = 3, word = bits.w;
    if (word != 0)
      candidates[noted + lanes_before(who)] =
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

// The filters that a warp has taken.
struct taken_filters {
  std::uint32_t first, next, count; // next: of them
  bool done;                        // nothing is left to take
};

// The filters of a warp, one a lane, and a tile's streams from the lane's words on.
class warp_filters {
public:
  __device__ warp_filters(const stream_tables& tables, std::uint32_t first, const uint4* arena)
      : arena_(arena), at_(__ldg(reinterpret_cast<const uint2*>(tables.filters + first) + threadIdx.x % 32)),
        same_first_(__ballot_sync(all_lanes, (at_.x & stream_filter::same_first) != 0)) {
    at_.x &= ~stream_filter::same_first;
  }
  // Takes the first stream of filter i.
  __device__ void begin(std::uint32_t i) { first_ = low(__shfl_sync(all_lanes, at_.x, i)); }
  // What filter i leaves of the tile, after the one before. i past the last: something. The fourth stream is
  // asked of the few lanes that have something left.
  __device__ uint4 leaves(std::uint32_t i) {
    i %= 32;
    const std::uint32_t one = __shfl_sync(all_lanes, at_.x, i), two = __shfl_sync(all_lanes, at_.y, i);
    if ((same_first_ >> i & 1) == 0) first_ = low(one);
    uint4 bits = both(both(first_, high(one)), low(two));
    if (any(bits)) bits = both(bits, high(two));
    return bits;
  }

private:
  __device__ uint4 low(std::uint32_t at) const { return arena_[at & stream_filter::address]; }
  __device__ uint4 high(std::uint32_t at) const {
    static_assert(sizeof(uint4) == 1U << 4);
    return *reinterpret_cast<const uint4*>(reinterpret_cast<const unsigned char*>(arena_) +
                                           (at >> (stream_filter::second_shift - 4)));
  }

  const uint4* arena_;
  uint2 at_;
  std::uint32_t same_first_;
  uint4 first_;
};

// The other streams of a warp's variants, one a lane, where each has a filter of its own.
class warp_seconds {
public:
  __device__ warp_seconds(const stream_tables& tables, std::uint32_t first, const uint4* arena)
      : arena_(arena),
        seconds_(__ldg(reinterpret_cast<const uint2*>(tables.seconds + first) + threadIdx.x % 32)),
        thirds_(__ldg(reinterpret_cast<const uint2*>(tables.thirds + first) + threadIdx.x % 32)) {}

  // What those of variant i leave of `bits`. Lanes that have none read nothing: what few lanes read takes the
  // shared memory a fourth of the time of a whole stream, or less.
  __device__ void ask(std::uint32_t i, uint4& bits) const {
    const std::uint32_t pairs[] = {
        __shfl_sync(all_lanes, seconds_.x, i), __shfl_sync(all_lanes, seconds_.y, i),
        __shfl_sync(all_lanes, thirds_.x, i), __shfl_sync(all_lanes, thirds_.y, i)};
#pragma unroll
    for (const std::uint32_t pair : pairs) {
      if (!any(bits)) return;
      bits = both(both(bits, arena_[pair & 0xffff]), arena_[pair >> 16]);
    }
  }

private:
  const uint4* arena_;
  uint2 seconds_, thirds_;
};

// Takes the next filters; few where few are left, so that warps end together.
__device__ inline void take(scan_memory& memory, std::uint32_t num_filters, taken_filters& taken) {
  const std::uint32_t left = num_filters - min(num_filters, taken.first), // or fewer
      count = left > scan_warps * 16 ? 32 : 8;
  if (threadIdx.x % 32 == 0) taken.first = atomicAdd(&memory.taken, count);
  taken.first = __shfl_sync(all_lanes, taken.first, 0);
  taken.next = 0;
  taken.done = taken.first >= num_filters;
  taken.count = taken.done ? 0 : min(count, num_filters - taken.first);
}

// Filters variants over the tile that begins at base, until none is left, which is returned, or the warp's
// memory is full.
__device__ inline bool run_filters(scan_memory& memory, const stream_tables& tables, std::uint64_t base,
                                   taken_filters& taken, std::uint64_t* candidates, std::uint32_t& noted) {
  const std::uint32_t lane = threadIdx.x % 32;
  constexpr std::uint32_t max_noted = warp_candidates - tile_positions;
  while (noted <= max_noted) {
    if (taken.next >= taken.count) take(memory, tables.num_filters, taken);
    if (taken.done) break;
    std::uint32_t i = taken.next;
    warp_filters filters(tables, taken.first, memory.arena + lane);
    const warp_seconds seconds(tables, taken.first, memory.arena + lane);
    filters.begin(i);
    const auto note = [&](std::uint32_t filter, uint4 bits) {
      if (!__any_sync(all_lanes, any(bits))) return;
      seconds.ask(filter, bits);
      const std::uint32_t who = __ballot_sync(all_lanes, any(bits));
      if (who != 0)
        note_candidates(candidates, noted, bits, who,
                        (static_cast<std::uint64_t>(taken.first + filter) << variant_shift | base) + lane);
    };
    while (i < taken.count && noted <= max_noted) { // two at a time: one vote for both
      const uint4 one = filters.leaves(i), other = filters.leaves(i + 1);
      if (!__any_sync(all_lanes, any(one) || any(other))) {
        i += 2;
        continue;
      }
      note(i++, one);
      if (i < taken.count && noted <= max_noted) note(i++, other);
    }
    taken.next = i;
  }
  return taken.done;
}

} // namespace weft::scan_cuda
