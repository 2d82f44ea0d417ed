// The vector code of `bit-stream` for one tile of text: bit planes, class streams, filters.
// bit_stream_plan.hpp describes the layout of a tile. An arena has plan.arena_words * lanes 64-bit lanes.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace weft::scan_detail {

// Positions that passed filters, in blocks of lanes. Bit r of lane k of block b is the position (index %
// lanes) * 4096 + r * 64 + index / lanes of the tile, where index is k plus the low 32 bits of where[b]; the
// high 32 bits are the variant.
struct stream_hits {
  std::size_t count = 0; // number of blocks
  std::uint32_t block_lanes = 0;
  std::vector<std::uint64_t> lanes, where;
  std::vector<std::uint32_t> marks; // bit k: lane k of the block is not zero
};

// Writes the constants of a new arena.
void prepare_arena(const bit_stream_plan& plan, std::uint32_t lanes, std::uint64_t* arena);

// Makes the streams of text[0, 4096 * lanes + 64). `starts` has one bit for each position, set if a sequence
// starts there, and one word more.
void fill_tile(const bit_stream_plan& plan, std::uint32_t lanes, const unsigned char* text,
               const std::uint64_t* starts, std::uint64_t* arena);

// Runs the filters of plan.variants[first, ...) until `hits` may be too small for another one. Returns the
// variant to continue with.
[[nodiscard]] std::uint32_t run_filters(const bit_stream_plan& plan, std::uint32_t lanes,
                                        const std::uint64_t* arena, std::uint32_t first, stream_hits& hits);

} // namespace weft::scan_detail
