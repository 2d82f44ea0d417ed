// The scan engine `bit-stream`: filters over strided bit streams of residue classes, and exact checks of the
// positions that pass. docs/design/scan.md describes the method. A call takes 1 to 2 MiB of memory, and the
// occurrences of a block.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>
#include <weft/scan/core/bit_stream_plan.hpp>
#include <weft/scan/core/engine.hpp>

namespace weft::scan_detail {

// The compiled motifs for both edges (0: starts, 1: ends). Each plan is made by the first thread that scans
// for its edge; the other threads wait for it.
struct bit_stream_plans {
  std::once_flag made[2];
  bit_stream_plan plan[2];
};

// The engine, see core/engine.hpp.
void bit_stream(const motif_set::compiled& motifs, const sequences_view& sequences, std::uint64_t begin,
                std::uint64_t end, edge which, const occurrence_sink& sink);

// Compiles motifs into a plan, including the steps that make its streams.
[[nodiscard]] bit_stream_plan compile_bit_stream(std::span<const motif> motifs, alphabet letters, edge which);

// The vector code for one tile of text (bit_stream_tile.cpp): bit planes, class streams, filters.
// bit_stream_plan.hpp describes the layout of a tile. An arena has plan.arena_words * lanes 64-bit lanes.

// The positions that passed filters, in blocks of `block_lanes` lanes. The lanes of a tile are numbered word
// * lanes + lane, as they lie in memory. Block b holds the result of the filter of one variant for the lanes
// i, i + 1, ... of the tile, where variant_and_lane[b] is variant << 32 | i. Bit r of lane number word *
// lanes + lane stands for position lane * 4096 + r * 64 + word of the tile.
struct stream_hits {
  std::size_t count = 0; // number of blocks
  std::uint32_t block_lanes = 0;
  std::vector<std::uint64_t> lanes, variant_and_lane;
  std::vector<std::uint32_t> nonzero_lanes; // bit k: lane k of the block is not zero
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

// Exact checks on the text itself (bit_stream_verify.cpp).

// The text in the direction of the scan: position p is origin[p * step].
struct directed_text {
  const unsigned char* origin = nullptr;
  std::int64_t step = 1;
  [[nodiscard]] unsigned char operator[](std::uint64_t p) const noexcept {
    return origin[static_cast<std::int64_t>(p) * step];
  }
};

// Returns whether the row's segments from `segment` on match after `start`, in a sequence that ends at
// `limit`. O(length of the longest match * segments) in the worst case; `ends` is scratch.
[[nodiscard]] bool matches_row(const bit_stream_plan& plan, const stream_row& row, std::uint32_t segment,
                               directed_text text, std::uint64_t start, std::uint64_t limit,
                               std::vector<std::uint64_t>& ends);

// Appends all starts of the row in [first, last), ascending, within one sequence [begin, limit). Takes
// O((last - first + longest match) * checks) time, however wide the gaps are.
void find_row(const bit_stream_plan& plan, const stream_row& row, directed_text text, std::uint64_t begin,
              std::uint64_t limit, std::uint64_t first, std::uint64_t last,
              std::vector<std::uint64_t>& starts);

} // namespace weft::scan_detail
