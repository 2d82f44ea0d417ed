// The search of weft find: patterns in batches, on several threads, with the output in order.
#pragma once

#include <cli/find_options.hpp>
#include <cli/find_patterns.hpp>
#include <cstdint>
#include <string>
#include <weft/bwt/fm_index.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

// The results of a search, counted.
struct find_totals {
  std::uint64_t patterns = 0, occurrences = 0;
  std::uint64_t cut = 0;        // patterns with more occurrences than were listed
  std::uint64_t impossible = 0; // patterns that can never match
  std::string first_impossible; // the first of them, for a message
  int used_gpu = -1;            // by the last search, or -1
};

// Searches all patterns and writes what is found, headers included. Throws error(invalid_input) for a pattern
// that can never match if options.strict; memory_error where the occurrences of one pattern do not fit
// options.memory; what the reader, the index and the output throw. What was found before is written then.
[[nodiscard]] find_totals find_patterns(const fm_index& index, pattern_source& patterns,
                                        const find_options& options, io::output_file& out);

} // namespace weft::cli
