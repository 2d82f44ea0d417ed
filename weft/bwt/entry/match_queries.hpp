// Queries as their exact matches with an index of DNA are searched: packed, on one or both strands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/sequences.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/core/fm_match_steps.hpp>

namespace weft::bwt_detail {

// A match_queries object holds a batch of queries as two strands of packed letters. The forward strand is the
// letters of all records end to end; the reverse strand is its reverse complement, so its records are in
// reverse order. Positions on a strand count all letters, also those that are no bases, which are packed as
// any base and lie in no stretch.
class match_queries {
public:
  // Packs the queries, which must outlive the object. O(letters) time on run.threads threads; a quarter of a
  // byte for each letter and strand, half as much again while packing, and 16 bytes a stretch.
  match_queries(const sequences_view& queries, bool both_strands, const run_options& run);

  // Returns the number of letters of a strand.
  [[nodiscard]] std::uint64_t num_letters() const noexcept { return letters_; }
  // Returns the letters of a strand, 2 bits each, with a word behind the last one that may be read.
  [[nodiscard]] const std::uint64_t* words(bool reverse) const noexcept { return words_[reverse].data(); }
  // Returns a strand, which this object owns.
  [[nodiscard]] match_strand strand(bool reverse) const noexcept {
    return {words(reverse), stretches_.data(), stretches_.size(), letters_, reverse};
  }
  // Returns the number of the record that contains the letter at `position` of a strand.
  [[nodiscard]] std::uint64_t record_of(bool reverse, std::uint64_t position) const;
  [[nodiscard]] const sequences_view& records() const noexcept { return queries_; }

private:
  // Packs words [first, last) of the forward strand, and appends the stretches in them.
  void pack(std::uint64_t first, std::uint64_t last, std::vector<query_stretch>& stretches);
  void pack_reverse(std::uint64_t first, std::uint64_t last);

  sequences_view queries_;
  std::uint64_t letters_;
  unwritten_vector<std::uint64_t> words_[2];
  std::vector<query_stretch> stretches_;
};

} // namespace weft::bwt_detail
