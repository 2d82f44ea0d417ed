// The search of `weft find`: several threads search batches of patterns, and the output is in the order of
// the patterns.
#pragma once

#include <cli/find_options.hpp>
#include <cli/find_patterns.hpp>
#include <cstdint>
#include <string>
#include <weft/bwt/fm_index.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

// The numbers that describe the result of a search.
struct find_totals {
  std::uint64_t patterns = 0, occurrences = 0;
  std::uint64_t cut = 0;        // patterns with more occurrences than were listed
  std::uint64_t impossible = 0; // patterns that can never match
  std::string first_impossible; // the first impossible pattern, for a message
  weft::run_info used;          // the report of a batch that ran on a GPU, if one did
};

// Searches all patterns and writes their occurrences, headers included. Throws error(invalid_input) for a
// pattern that can never match if options.strict; memory_error if the occurrences of one pattern do not fit
// options.memory; and the errors of the reader, the index and the output. Before an exception is thrown,
// everything that was found until then is written.
[[nodiscard]] find_totals find_patterns(const fm_index& index, pattern_source& patterns,
                                        const find_options& options, io::output_file& out);

} // namespace weft::cli
