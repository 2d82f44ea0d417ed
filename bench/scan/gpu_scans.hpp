// The methods of `weft-bench scan` that run on the first GPU. The header also compiles without a CUDA
// toolkit; each method then reports that it is unavailable.
#pragma once

#include <bench/bench.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::bench {

// The motifs and the sequences of a scan.
struct scan_input {
  motif_set motifs;
  sequences_view text;
};
using scan_input_source = std::function<const scan_input&()>;

// Scans a text in device memory; the matches stay there.
[[nodiscard]] method scan_in_gpu_memory(const std::string& engine, const std::string& unavailable_reason,
                                        match_rule rule, const scan_input_source& input);
// Copies the text from host memory that is not page-locked: the least that a scan of it can take.
[[nodiscard]] method text_copy_to_gpu(const scan_input_source& input);

// The searches of engines alone: the starts or the ends of all matches, timed between events in the stream.
// nfa_array, nfa_bpl and nfa_bp are the paper's methods; NFA-BPL keeps its masks in shared memory, NFA-BP
// reads them through the caches.
enum class gpu_search { bit_stream, nfa_array, nfa_bpl, nfa_bp };
struct named_search {
  std::string name;
  gpu_search engine;
  std::uint32_t threads = 0; // of a block, for the paper's methods; 0: the engine chooses
};
// `rule` is starts or ends.
[[nodiscard]] std::vector<method> searches_in_gpu_memory(const std::vector<named_search>& named,
                                                         match_rule rule, const scan_input_source& input);

// The part of matches that a digest covers.
enum class digested { begins_and_ends, begins, ends };
[[nodiscard]] std::uint64_t digest_of(std::span<const scan_match> matches, digested part);

} // namespace weft::bench
