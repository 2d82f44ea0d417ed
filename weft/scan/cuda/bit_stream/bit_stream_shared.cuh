// Filters that several variants share, over a tile's streams: what a warp does. What a filter leaves is
// noted. Then each of its variants is asked at each such position, by a lane of its own: first single bits of
// more streams, then residues.
#pragma once

#include <weft/scan/cuda/bit_stream/bit_stream_filter.cuh>

namespace weft::scan_cuda {

// What a warp's filters have left: words of bits, of a filter and a lane each.
struct left_words {
  uint4* bits;       // warp_left
  std::uint32_t* of; // filter << 5 | lane
  std::uint32_t next, count;
  std::uint32_t pair; // of the next 32 positions and their variants: those before it have been asked
};

// Notes what the taken filters leave, as far as there is room.
__device__ inline void note_left(warp_filters filters, taken_filters& taken, left_words& left) {
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t i = taken.next;
  const auto note = [&](const uint4& bits) {
    const std::uint32_t who = __ballot_sync(all_lanes, any(bits)), filter = taken.first + i++;
    if (any(bits)) {
      const std::uint32_t at = left.count + lanes_before(who);
      left.of[at] = filter << 5 | lane;
      left.bits[at] = bits;
    }
    left.count += __popc(who);
  };
  filters.begin(i);
  while (i < taken.count && left.count <= warp_left - 64) { // two at a time
    const uint4 one = filters.leaves(i), other = filters.leaves(i + 1);
    note(one);
    if (i < taken.count) note(other);
  }
  taken.next = i;
}

// The bits that any lane has.
__device__ inline std::uint32_t bits_of_warp(std::uint32_t bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(all_lanes, bits);
#else
  for (int step = 16; step > 0; step /= 2) bits |= __shfl_xor_sync(all_lanes, bits, step);
  return bits;
#endif
}

// A position of a tile: where its bit is in a stream.
class stream_place {
public:
  stream_place() = default;
  // The lowest bit of a lane's word, which is taken off; there is one.
  __device__ stream_place(uint4& bits, std::uint32_t lane) {
    std::uint32_t part = 0, word = bits.x;
    if (word == 0) part = 1, word = bits.y;
    if (word == 0) part = 2, word = bits.z;
    if (word == 0) part = 3, word = bits.w;
    const std::uint32_t rest = word & (word - 1);
    if (part == 0) bits.x = rest;
    if (part == 1) bits.y = rest;
    if (part == 2) bits.z = rest;
    if (part == 3) bits.w = rest;
    place_ = (__ffs(static_cast<int>(word)) - 1) << 9 | lane * sizeof(uint4) | part * sizeof(std::uint32_t);
  }
  __device__ stream_place of_lane(std::uint32_t lane) const {
    stream_place other;
    other.place_ = __shfl_sync(all_lanes, place_, lane);
    return other;
  }
  // Whether four streams have it.
  __device__ bool in_all(const uint4* arena, const uint2& addresses) const {
    const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(arena) + place_ % 512;
    const auto both_at = [&](std::uint32_t two) {
      return *reinterpret_cast<const std::uint32_t*>(bytes + (two & 0xffff) * sizeof(uint4)) &
             *reinterpret_cast<const std::uint32_t*>(bytes + (two >> 16) * sizeof(uint4));
    };
    return (both_at(addresses.x) >> (place_ >> 9) & 1) != 0 &&
           (both_at(addresses.y) >> (place_ >> 9) & 1) != 0;
  }
  __device__ std::uint32_t position() const {
    return place_ / sizeof(std::uint32_t) % stream_parts * part_positions + (place_ >> 9) * stream_words +
           place_ / sizeof(uint4) % stream_words;
  }

private:
  std::uint32_t place_;
};

// Asks the variants of what is left, until all are or the memory for candidates is full.
__device__ inline void ask_variants(const scan_memory& memory, const stream_tables& tables,
                                    std::uint64_t base, left_words& left, std::uint64_t* candidates,
                                    std::uint32_t& noted) {
  const std::uint32_t lane = threadIdx.x % 32;
  const auto* const seconds = reinterpret_cast<const uint2*>(tables.seconds);
  for (; left.next < left.count; left.pair = 0) {
    const std::uint32_t size = min(left.count - left.next, 32U),
                        of = lane < size ? left.of[left.next + lane] : 0;
    uint4 bits = lane < size ? left.bits[left.next + lane] : uint4{};
    const stream_place mine(bits, of % 32);
    const std::uint32_t group = lane < size ? __ldg(tables.groups + (of >> 5)) : 0,
                        count = group & ((1U << group_shift) - 1), to_here = sum_to_lane(count, lane),
                        first = to_here - count, all = __shfl_sync(all_lanes, to_here, 31),
                        variant_of_pair = (group >> group_shift) - first;
    for (; left.pair < all; left.pair += 32) { // of 32 pairs, which position's: of those that begin, the last
      if (noted > warp_candidates - 32) return;
      const std::uint32_t begins = first - left.pair, marks = bits_of_warp(begins < 32 ? 1U << begins : 0U),
                          from = __popc(__ballot_sync(all_lanes, first < left.pair)) +
                                 __popc(marks & ((2U << lane) - 1)) - 1,
                          pair = left.pair + lane,
                          variant = pair + __shfl_sync(all_lanes, variant_of_pair, from);
      const stream_place place = mine.of_lane(from);
      const bool good = pair < all && place.in_all(memory.arena, __ldg(seconds + variant));
      const std::uint32_t who = __ballot_sync(all_lanes, good);
      if (good)
        candidates[noted + lanes_before(who)] =
            static_cast<std::uint64_t>(variant) << variant_shift | (base + place.position());
      noted += __popc(who);
    }
    const std::uint32_t again = __ballot_sync(all_lanes, any(bits)); // words with more positions
    left.next += size - __popc(again);
    if (any(bits)) {
      const std::uint32_t at = left.next + lanes_before(again);
      left.of[at] = of;
      left.bits[at] = bits;
    }
    __syncwarp();
  }
}

// Whether what a variant asks of residues near a position of the tile holds.
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

// Drops those of candidates[from .. noted - 1] whose residues do not hold.
__device__ inline void drop_candidates(const scan_memory& memory, int buffer, const stream_tables& tables,
                                       std::uint64_t* candidates, std::uint32_t from, std::uint32_t& noted) {
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t kept = from;
  __syncwarp(); // other lanes have noted them
  for (; from < noted; from += 32) {
    const bool some = from + lane < noted;
    const std::uint64_t candidate = some ? candidates[from + lane] : 0;
    const bool good = some && residues_hold(memory.text[buffer], tables,
                                            static_cast<std::uint32_t>(candidate >> variant_shift),
                                            static_cast<std::uint32_t>(candidate) % tile_positions);
    const std::uint32_t who = __ballot_sync(all_lanes, good); // all have read theirs
    if (good) candidates[kept + lanes_before(who)] = candidate;
    kept += __popc(who);
  }
  noted = kept;
}

// As run_filters, where variants share filters.
__device__ inline bool run_shared_filters(scan_memory& memory, int buffer, const stream_tables& tables,
                                          std::uint64_t base, taken_filters& taken, left_words& left,
                                          std::uint64_t* candidates, std::uint32_t& noted) {
  for (;;) {
    const std::uint32_t before = noted;
    ask_variants(memory, tables, base, left, candidates, noted);
    drop_candidates(memory, buffer, tables, candidates, before, noted);
    if (left.next < left.count) {
      if (noted > warp_candidates / 2) return false;
      continue;
    }
    if (taken.done) return true;
    left.next = left.count = 0;
    while (left.count <= warp_left - 64) {
      if (taken.next >= taken.count) take(memory, tables.num_filters, taken);
      if (taken.done) break;
      note_left(warp_filters(tables, taken.first, memory.arena + threadIdx.x % 32), taken, left);
    }
    __syncwarp(); // for lanes that read what others have noted
  }
}

} // namespace weft::scan_cuda
