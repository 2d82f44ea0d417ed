// Finds the matches of a batch in parts, on the CPU.
#pragma once

#include <functional>
#include <weft/scan/cpu/engine.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Does the work of scan_in_parts() with the engine `find` of the CPU.
void scan_parts(const motif_set::compiled& motifs, const sequences_view& sequences,
                const scan_options& options, engine_function find, const part_limits& limits,
                const std::function<void(scan_part)>& visit);

} // namespace weft::scan_detail
