// Finds the matches of a batch in parts, on the CPU.
#pragma once

#include <weft/scan/cpu/engine.hpp>
#include <weft/scan/engines.hpp>

namespace weft::scan_detail {

// Visits or counts the matches of a problem with limits, with the engine `find` of the CPU.
void scan_parts(const scan_problem& problem, engine_function find);

} // namespace weft::scan_detail
