// The input of every scan engine, a compiled motif set, and the type of the functions that are the engines of
// the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>
#include <weft/scan/core/flat_motifs.hpp>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/scan.hpp>

namespace weft {

namespace scan_detail {
struct bit_stream_plans; // cpu/bit_stream.hpp
}
namespace scan_detail {
class searcher_cache; // cuda/searcher_cache.hpp
}

// The contents of a motif_set.
struct motif_set::compiled {
  std::vector<motif> motifs;
  motif_syntax syntax;
  scan_detail::flat_motif_tables tables; // the motifs as the walks read them
  // Both are empty at first. The first thread that scans with the set fills them; other threads wait for it.
  std::shared_ptr<scan_detail::bit_stream_plans> plans;
  std::shared_ptr<scan_detail::searcher_cache> gpu_searchers; // null without CUDA
};

namespace scan_detail {

// Takes the blocks of occurrences that an engine finds.
using occurrence_sink = std::function<void(const occurrence_block&)>;

// An engine of the CPU finds all occurrences of all motifs in the range [begin, end) (core/occurrences.hpp),
// and passes them to `sink` block by block, in ascending order of blocks. X of the text is accepted wherever
// the motif's elements accept it. The rules of scan_options (greedy end, X, overlap) are applied afterwards,
// by the same code for all engines. The engine reads outside the range if a match extends there. It runs on
// the calling thread; several calls on disjoint ranges may run at once. If it finds starts, it skips
// optional-start motifs.
using engine_function = void (*)(const motif_set::compiled& motifs, const sequences_view& sequences,
                                 std::uint64_t begin, std::uint64_t end, edge which,
                                 const occurrence_sink& sink);

} // namespace scan_detail
} // namespace weft
