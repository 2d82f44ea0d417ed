// What a CPU scan engine is: text in, exact occurrences out. The rules of scan_options (greedy end, X,
// overlap) are applied afterwards, by one piece of code for all engines.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Finds all occurrences of all motifs (X of the text accepted wherever the motif's elements accept it) whose
// position lies in the text range [begin, end) (starts) or (begin, end] (ends), reading outside the range
// where a match does, and hands them to `sink` block by block, in ascending order of blocks. Runs on the
// caller's thread; several calls on disjoint ranges may run at once. Motifs that are not asked_of_engines()
// are passed over.
using occurrence_sink = std::function<void(const occurrence_block&)>;
using engine_function = void (*)(const motif_set::compiled& motifs, const sequence_batch& sequences,
                                 std::uint64_t begin, std::uint64_t end, edge which,
                                 const occurrence_sink& sink);

} // namespace weft::scan_detail
