// Searches patterns in an index and writes their occurrences: several threads search batches of patterns, and
// the output is in the order of the patterns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/patterns.hpp>
#include <weft/files/find/searched_index.hpp>
#include <weft/files/formats/find_formats.hpp>
#include <weft/files/ranks/rank_output.hpp>

namespace weft::files {

// The options of find_patterns().
struct find_options {
  fm_search_options search; // max_hits; of run: device, device_memory, threads and monitor
  std::uint64_t memory = 0; // bytes for patterns, occurrences and text; 0: memory_limit(0)
  // Search with differences: metric, max_distance, iupac, all_ends, best and the exact letters. The other
  // members follow from these options.
  std::optional<near_options> near;
  hit_format format = hit_format::tsv;
  bool both_strands = false; // also search the reverse complements; only with an index of DNA
  bool circular = false;     // records are circular; only with an index of DNA
  bool count = false;        // count the occurrences of each pattern instead of listing them
  bool strict = false;       // a pattern that can never match is an error
};

// The numbers that describe the result of a search.
struct find_totals {
  std::uint64_t patterns = 0, occurrences = 0;
  std::uint64_t cut = 0;        // patterns with more occurrences than were listed
  std::uint64_t impossible = 0; // patterns that can never match
  std::uint64_t with_other_letters =
      0;                              // patterns with letters that match nothing without near_options::iupac
  std::uint64_t without_contexts = 0; // patterns that an index with contexts would find sooner (fm_index.hpp)
  std::string first_impossible;       // the first impossible pattern, for a message
  std::uint64_t first_impossible_batch = ~std::uint64_t{0}; // number of the batch that has it
  run_info used; // the report of a batch that ran on a GPU, if one did
};

// Returns the largest size of a pattern, in bytes, that fits the limit on memory.
[[nodiscard]] std::uint64_t max_pattern_bytes(const find_options& options);

// Returns the bytes that the letters around the origins of circular records may take; 0 if they are linear.
[[nodiscard]] std::uint64_t origin_bytes(const find_options& options);

// Searches all patterns and writes their occurrences, headers included. The monitor of the options, if there
// is one, gets an estimate of the number of patterns as its total, and counts each pattern once. Throws
// error(invalid_input) for a pattern that can never match if options.strict; memory_error if the occurrences
// of one pattern do not fit options.memory; and the errors of the reader, the index and the output. Before an
// exception is thrown, everything that was found until then is written.
[[nodiscard]] find_totals find_patterns(searched_index& index, pattern_source& patterns,
                                        const find_options& options, rank_output& out);

} // namespace weft::files
