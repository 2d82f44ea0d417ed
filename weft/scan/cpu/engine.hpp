// The interface of the CPU scan engines, which find exact occurrences in text. The rules of scan_options
// (greedy end, X, overlap) are applied afterwards, by the same code for all engines.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Takes the blocks of occurrences that an engine finds.
using occurrence_sink = std::function<void(const occurrence_block&)>;

// An engine finds all occurrences of all motifs whose position lies in the text range [begin, end) (starts)
// or (begin, end] (ends), and passes them to `sink` block by block, in ascending order of blocks. X of the
// text is accepted wherever the motif's elements accept it. The engine reads outside the range if a match
// extends there. It runs on the calling thread; several calls on disjoint ranges may run at once. Motifs
// that engines do not search for (see core/occurrences.hpp) are skipped.
using engine_function = void (*)(const motif_set::compiled& motifs, const sequences_view& sequences,
                                 std::uint64_t begin, std::uint64_t end, edge which,
                                 const occurrence_sink& sink);

} // namespace weft::scan_detail
