// The scan engine `bit-stream`: filters over strided bit streams of residue classes, exact checks of what
// passes.
#pragma once

#include <weft/scan/cpu/bit_stream_plan.hpp>
#include <weft/scan/cpu/engine.hpp>

namespace weft::scan_detail {

// As engine_function, for a plan that compile_bit_stream made for the same edge. Memory: 2 MiB and what one
// block's occurrences take. Calls on the same plan may run at once.
void scan_bit_stream(const bit_stream_plan& plan, const sequence_batch& sequences, std::uint64_t begin,
                     std::uint64_t end, const occurrence_sink& sink);

} // namespace weft::scan_detail
