// The code with which a warp applies filters that several variants share. The positions that pass a filter
// are its survivors. The warp first collects survivors. Then each variant of a filter is tested at each of
// the filter's survivors, one pair of position and variant in each lane: first against single bits of four
// more streams, then against residues of the text.
#pragma once

#include <weft/scan/cuda/bit_stream/bit_stream_filter.cuh>

namespace weft::scan_detail {

// The survivors of a warp's filters. Each word has the surviving positions of one filter in one lane's word
// of a stream.
struct survivor_words {
  uint4* bits;           // array of max_warp_survivors words
  std::uint32_t* origin; // of each word: filter << 5 | lane
  std::uint32_t next, count;
  // The next 32 words give up to 32 positions at a time. Of the pairs of these positions and their variants,
  // those before `pair` have been tested.
  std::uint32_t pair;
};

// Applies the taken filters and appends their survivors, as long as there is memory for two more filters.
__device__ inline void note_survivors(warp_filters filters, taken_filters& taken, survivor_words& survivors) {
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t i = taken.next;
  const auto note = [&](const uint4& bits) {
    const std::uint32_t who = __ballot_sync(all_lanes, any(bits)), filter = taken.first + i++;
    if (any(bits)) {
      const std::uint32_t at = survivors.count + lanes_before(who);
      survivors.origin[at] = filter << 5 | lane;
      survivors.bits[at] = bits;
    }
    survivors.count += __popc(who);
  };
  filters.start_at(i);
  while (i < taken.count && survivors.count <= max_warp_survivors - 64) { // two filters at a time
    const uint4 one = filters.surviving_bits(i), result = filters.surviving_bits(i + 1);
    note(one);
    if (i < taken.count) note(result);
  }
  taken.next = i;
}

// Returns the bitwise OR of `bits` over all lanes.
__device__ inline std::uint32_t or_over_warp(std::uint32_t bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(all_lanes, bits);
#else
  for (int step = 16; step > 0; step /= 2) bits |= __shfl_xor_sync(all_lanes, bits, step);
  return bits;
#endif
}

// A position of a tile, stored as the address of its bit within a stream.
class stream_position {
public:
  stream_position() = default;
  // Takes the lowest bit that is set in a lane's word, and clears it there. At least one bit must be set.
  __device__ stream_position(uint4& bits, std::uint32_t lane) {
    std::uint32_t part = 0, word = bits.x;
    if (word == 0) part = 1, word = bits.y;
    if (word == 0) part = 2, word = bits.z;
    if (word == 0) part = 3, word = bits.w;
    const std::uint32_t rest = word & (word - 1);
    if (part == 0) bits.x = rest;
    if (part == 1) bits.y = rest;
    if (part == 2) bits.z = rest;
    if (part == 3) bits.w = rest;
    address_ = (__ffs(static_cast<int>(word)) - 1) << 9 | lane * sizeof(uint4) | part * sizeof(std::uint32_t);
  }
  __device__ stream_position of_lane(std::uint32_t lane) const {
    stream_position result;
    result.address_ = __shfl_sync(all_lanes, address_, lane);
    return result;
  }
  // Returns whether four streams have the position's bit set. `addresses`: two stream addresses in each half.
  __device__ bool in_all(const uint4* arena, const uint2& addresses) const {
    const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(arena) + address_ % 512;
    const auto both_at = [&](std::uint32_t two) {
      return *reinterpret_cast<const std::uint32_t*>(bytes + (two & 0xffff) * sizeof(uint4)) &
             *reinterpret_cast<const std::uint32_t*>(bytes + (two >> 16) * sizeof(uint4));
    };
    return (both_at(addresses.x) >> (address_ >> 9) & 1) != 0 &&
           (both_at(addresses.y) >> (address_ >> 9) & 1) != 0;
  }
  __device__ std::uint32_t position() const {
    return address_ / sizeof(std::uint32_t) % stream_parts * part_positions + (address_ >> 9) * stream_words +
           address_ / sizeof(uint4) % stream_words;
  }

private:
  std::uint32_t address_;
};

// Tests the variants of all survivors and appends candidates. Stops early when the candidates of another 32
// pairs might not fit into the warp's memory.
__device__ inline void test_variants(const scan_memory& memory, const stream_tables& tables,
                                     std::uint64_t base, survivor_words& survivors, std::uint64_t* candidates,
                                     std::uint32_t& num_candidates) {
  const std::uint32_t lane = threadIdx.x % 32;
  const auto* const second_filters = reinterpret_cast<const uint2*>(tables.second_filters);
  for (; survivors.next < survivors.count; survivors.pair = 0) {
    const std::uint32_t size = min(survivors.count - survivors.next, 32U),
                        origin = lane < size ? survivors.origin[survivors.next + lane] : 0;
    uint4 bits = lane < size ? survivors.bits[survivors.next + lane] : uint4{};
    const stream_position mine(bits, origin % 32);
    const std::uint32_t group = lane < size ? __ldg(tables.groups + (origin >> 5)) : 0,
                        count = group & ((1U << group_shift) - 1), to_here = sum_to_lane(count, lane),
                        first = to_here - count, all = __shfl_sync(all_lanes, to_here, 31),
                        variant_of_pair = (group >> group_shift) - first;
    for (; survivors.pair < all; survivors.pair += 32) {
      if (num_candidates > warp_candidates - 32) return;
      // Each lane takes one of 32 consecutive pairs. `from` is the lane that holds the pair's position: the
      // last position whose first pair is not behind the lane's pair.
      const std::uint32_t begins = first - survivors.pair,
                          marks = or_over_warp(begins < 32 ? 1U << begins : 0U),
                          from = __popc(__ballot_sync(all_lanes, first < survivors.pair)) +
                                 __popc(marks & ((2U << lane) - 1)) - 1,
                          pair = survivors.pair + lane,
                          variant = pair + __shfl_sync(all_lanes, variant_of_pair, from);
      const stream_position candidate_position = mine.of_lane(from);
      const bool good =
          pair < all && candidate_position.in_all(memory.arena, __ldg(second_filters + variant));
      const std::uint32_t who = __ballot_sync(all_lanes, good);
      if (good)
        candidates[num_candidates + lanes_before(who)] =
            static_cast<std::uint64_t>(variant) << variant_shift | (base + candidate_position.position());
      num_candidates += __popc(who);
    }
    const std::uint32_t again = __ballot_sync(all_lanes, any(bits)); // words that have more positions
    survivors.next += size - __popc(again);
    if (any(bits)) {
      const std::uint32_t at = survivors.next + lanes_before(again);
      survivors.origin[at] = origin;
      survivors.bits[at] = bits;
    }
    __syncwarp();
  }
}

// Returns whether all residue tests of a variant hold for a start at `position` of the tile.
__device__ inline bool residues_hold(const unsigned char* text, const stream_tables& tables,
                                     std::uint32_t variant, std::uint32_t position) {
  const auto* const tests = reinterpret_cast<const uint4*>(tables.tests);
  const std::uint32_t last = __ldg(tables.first_tests + variant + 1);
  for (std::uint32_t i = __ldg(tables.first_tests + variant); i < last; ++i) {
    const uint4 two = __ldg(tests + i);
    if ((two.x >> text[skewed(position + two.y)] % 32 & two.z >> text[skewed(position + two.w)] % 32 & 1) ==
        0)
      return false;
  }
  return true;
}

// Removes those of candidates[from .. num_candidates - 1] whose residue tests fail.
__device__ inline void drop_candidates(const scan_memory& memory, int buffer, const stream_tables& tables,
                                       std::uint64_t* candidates, std::uint32_t from,
                                       std::uint32_t& num_candidates) {
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t kept = from;
  __syncwarp(); // makes the candidates of other lanes visible
  for (; from < num_candidates; from += 32) {
    const bool some = from + lane < num_candidates;
    const std::uint64_t candidate = some ? candidates[from + lane] : 0;
    const bool good = some && residues_hold(memory.text[buffer], tables,
                                            static_cast<std::uint32_t>(candidate >> variant_shift),
                                            static_cast<std::uint32_t>(candidate) % tile_positions);
    // After the vote, every lane has read its candidate, so the candidates may be overwritten.
    const std::uint32_t who = __ballot_sync(all_lanes, good);
    if (good) candidates[kept + lanes_before(who)] = candidate;
    kept += __popc(who);
  }
  num_candidates = kept;
}

// Does what run_own_filters does, for filters that variants share.
__device__ inline bool run_shared_filters(scan_memory& memory, int buffer, const stream_tables& tables,
                                          std::uint64_t base, taken_filters& taken, survivor_words& survivors,
                                          std::uint64_t* candidates, std::uint32_t& num_candidates) {
  for (;;) {
    const std::uint32_t before = num_candidates;
    test_variants(memory, tables, base, survivors, candidates, num_candidates);
    drop_candidates(memory, buffer, tables, candidates, before, num_candidates);
    if (survivors.next < survivors.count) {
      if (num_candidates > warp_candidates / 2) return false;
      continue;
    }
    if (taken.done) return true;
    survivors.next = survivors.count = 0;
    while (survivors.count <= max_warp_survivors - 64) {
      if (taken.next >= taken.count) take_filters(memory, tables.num_filters, taken);
      if (taken.done) break;
      note_survivors(warp_filters(tables, taken.first, memory.arena + threadIdx.x % 32), taken, survivors);
    }
    __syncwarp(); // makes the survivors of other lanes visible
  }
}

} // namespace weft::scan_detail
