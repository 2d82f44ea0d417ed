// The part of a search with differences that one thread does (pattern_search.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/bwt/near_search.hpp>
#include <weft/files/find/batch_search.hpp>
#include <weft/files/formats/find_formats.hpp>
#include <weft/io/pattern_reader.hpp>

namespace weft::files {

// A near_batch_search searches batches of patterns with differences for one thread, which lets the threads
// without a batch take part. The number of hits is unknown before the search: if those of several patterns do
// not fit the thread's share of the memory, half as many patterns are searched at a time; if those of one
// pattern do not, it is searched again with half of the whole memory, in the batch whose turn it is to be
// written.
class near_batch_search {
public:
  explicit near_batch_search(shared_search& shared);

  // Searches batch `number` and passes its text to the output. Returns the totals of the batch.
  find_totals run(const io::pattern_chunk& chunk, std::uint64_t number);

private:
  // Returns whether a pattern of this size would be found sooner if the index had contexts.
  [[nodiscard]] bool is_for_contexts(std::uint64_t size) const;
  // Throws error(invalid_input) if pattern p is none of DNA, or is too short for the options.
  void check_pattern(std::uint64_t p) const;
  // Counts pattern p in the totals if it can never match; with options_.strict, throws error(invalid_input).
  void check_letters(std::uint64_t p);
  // Returns the hits of patterns [first, last). Throws memory_error.
  [[nodiscard]] near_rows locate(std::uint64_t first, std::uint64_t last, std::uint64_t memory);
  // Returns the hits of pattern p, whose hits are more than the thread's share of the memory. Throws
  // memory_error with a message that names the pattern.
  [[nodiscard]] near_rows locate_large(std::uint64_t p, std::uint64_t memory);
  // Searches patterns from `first` on, at most until `last`, and returns the first one that is left.
  std::uint64_t list(std::uint64_t first, std::uint64_t last);
  // Formats the hits of patterns from `first` on.
  void append(const near_rows& rows, std::uint64_t first);
  void append_hits(const near_rows& rows, std::uint64_t i, std::uint64_t p);
  void write_if_long();

  shared_search& shared_;
  const find_options& options_;
  near_options near_;
  hit_writer writer_;
  find_totals found_;
  const io::pattern_chunk* chunk_ = nullptr;
  std::uint64_t number_ = 0;
  std::uint64_t block_ = 256; // patterns that are searched at a time
  std::string as_dna_, reversed_, text_;
  std::string_view letters_; // of the patterns, with T for U
};

} // namespace weft::files
