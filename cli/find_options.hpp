// The options of `weft find`, and the division of its limit on memory.
#pragma once

#include <cstdint>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/formats/find_formats.hpp>

namespace weft::cli {

// The search of patterns uses the writers of occurrences by these names.
using files::found_pattern;
using files::hit_format;
using files::hit_writer;

// The options of weft find.
struct find_options {
  fm_search_options search; // max_hits, device, threads
  std::uint64_t memory = 0; // bytes, or 0
  hit_format format = hit_format::tsv;
  bool both_strands = false, circular = false;
  bool count = false;  // count the occurrences of each pattern instead of listing them
  bool strict = false; // a pattern that can never match is an error
};

// Upper bound of the memory that an occurrence takes while its pattern is located.
constexpr std::uint64_t bytes_of_hit = 32;

// The shares into which the limit on memory is divided.
struct memory_shares {
  explicit memory_shares(const find_options& options);

  int threads;               // threads that search batches
  std::uint64_t batch_bytes; // size of a batch of patterns
  std::uint64_t block_hits;  // hits of a block of patterns in the first round
  std::uint64_t thread_hits; // hits of the patterns that a thread locates again
  std::uint64_t large_hits;  // hits of the single pattern with more occurrences than thread_hits
};

// Returns the largest size of a pattern, in bytes, that fits the limit on memory.
[[nodiscard]] std::uint64_t max_pattern_bytes(const find_options& options);

} // namespace weft::cli
