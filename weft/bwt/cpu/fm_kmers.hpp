// The rows of all strings of k bases: a table with which a search skips the last k letters of a pattern.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/core/fm_parts.hpp>

namespace weft::bwt_detail {

// A view of a table of k-mers: those of number `kmer`, whose last base is in the lowest bits, have the rows
// [rows[2 * kmer], rows[2 * kmer + 1]). Without a table, k is 0.
struct fm_kmers {
  index_array rows;
  std::uint32_t k = 0;
};

// The table of k-mers in an index takes at most 0.25 bits a base. This object makes a table of longer k-mers,
// of at most 5 bits a base, once an index has been searched for so many patterns that the table pays. An
// index of 64 million bases has 8-mers, and gets 11-mers: the search for a pattern then reads a line of the
// table instead of five lines of the ranks. Thread-safe.
class fm_long_kmers {
public:
  // Returns the table for the next search, for `num_patterns` patterns: that of the index, or a longer one.
  // Makes the longer one, on run.threads threads, if there have been enough patterns, it takes at most an
  // eighth of the memory that `run` allows, and no other thread is making it. Throws cancelled_error.
  [[nodiscard]] fm_kmers table_for(const fm_parts& index, std::uint64_t num_patterns, const run_options& run);

private:
  std::atomic<std::uint64_t> num_patterns_{0}; // of all searches so far
  std::atomic<bool> is_made_{false};           // whether the members below may be read
  std::mutex making_;
  unwritten_vector<std::uint32_t> narrow_; // one of the two is empty
  unwritten_vector<std::uint64_t> wide_;
  fm_kmers made_;
};

} // namespace weft::bwt_detail
