// The vector work of `bit-stream` on one tile of text: bit planes, class streams, filters.
// bit_stream_plan.hpp says how a tile is laid out. An arena has plan.arena_words * lanes 64-bit lanes.
#pragma once

#include <cstdint>
#include <span>
#include <weft/scan/cpu/bit_stream_plan.hpp>

namespace weft::scan_detail {

// Positions that passed a variant's filter: bit r of `bits` is position (index % lanes) * 4096 + r * 64 +
// index / lanes.
struct stream_hit {
  std::uint32_t variant, index;
  std::uint64_t bits;
};

// Fills the constants of a new arena.
void prepare_arena(const bit_stream_plan& plan, std::uint32_t lanes, std::uint64_t* arena);

// Streams of the text[0, 4096 * lanes + 64), of which `starts` has one bit per position for sequence starts,
// in as many words and one more.
void fill_tile(const bit_stream_plan& plan, std::uint32_t lanes, const unsigned char* text,
               const std::uint64_t* starts, std::uint64_t* arena);

// Runs the filters of plan.variants[first, ...), variant v with filters[v] elements, until `hits` (at least
// 64 * lanes) may be too small for one more. Sets `count`; returns the variant to go on with.
[[nodiscard]] std::uint32_t run_filters(const bit_stream_plan& plan, std::uint32_t lanes,
                                        const std::uint64_t* arena, const std::uint16_t* filters,
                                        std::uint32_t first, std::span<stream_hit> hits, std::size_t& count);

} // namespace weft::scan_detail
