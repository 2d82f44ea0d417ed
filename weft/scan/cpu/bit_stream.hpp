// The scan engine `bit-stream`: filters over strided bit streams of residue classes, exact checks of what
// passes. docs/scan-cpu.md tells the method. Memory of a call: 1 to 2 MiB, and a block's occurrences.
#pragma once

#include <mutex>
#include <weft/scan/core/bit_stream_plan.hpp>
#include <weft/scan/cpu/engine.hpp>

namespace weft::scan_detail {

// What motifs compile into, for starts and for ends, each when it is first asked for.
struct bit_stream_plans {
  std::once_flag made[2];
  bit_stream_plan plan[2];
};

void bit_stream(const motif_set::compiled& motifs, const sequence_batch& sequences, std::uint64_t begin,
                std::uint64_t end, edge which, const occurrence_sink& sink);

// A plan with the steps that make its streams.
[[nodiscard]] bit_stream_plan compile_bit_stream(std::span<const motif> motifs, alphabet letters, edge which);

// The same for a plan that compile_bit_stream made.
void scan_bit_stream(const bit_stream_plan& plan, const sequence_batch& sequences, std::uint64_t begin,
                     std::uint64_t end, const occurrence_sink& sink);

} // namespace weft::scan_detail
