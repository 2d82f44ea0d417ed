// The scan engine `bit-stream`: filters over strided bit streams of residue classes, and exact checks of the
// positions that pass. docs/design/scan.md describes the method. A call takes 1 to 2 MiB of memory, and the
// occurrences of a block.
#pragma once

#include <mutex>
#include <weft/scan/core/bit_stream_plan.hpp>
#include <weft/scan/cpu/engine.hpp>

namespace weft::scan_detail {

// The compiled motifs for both edges (0: starts, 1: ends). Each plan is made when it is first needed.
struct bit_stream_plans {
  std::once_flag made[2];
  bit_stream_plan plan[2];
};

// The engine, see cpu/engine.hpp.
void bit_stream(const motif_set::compiled& motifs, const sequences_view& sequences, std::uint64_t begin,
                std::uint64_t end, edge which, const occurrence_sink& sink);

// Compiles motifs into a plan, including the steps that make its streams.
[[nodiscard]] bit_stream_plan compile_bit_stream(std::span<const motif> motifs, alphabet letters, edge which);

// Scans with a plan made by compile_bit_stream(); otherwise works as bit_stream().
void scan_bit_stream(const bit_stream_plan& plan, const sequences_view& sequences, std::uint64_t begin,
                     std::uint64_t end, const occurrence_sink& sink);

} // namespace weft::scan_detail
