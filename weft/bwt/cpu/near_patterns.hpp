// The patterns of a search with differences: the sets of bases that their letters stand for on each strand,
// and the seeds, of which each occurrence contains at least one unchanged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/core/near_steps.hpp>
#include <weft/bwt/near_search.hpp>

namespace weft::bwt_detail {

// A stretch of a pattern whose letters each stand for a single base.
struct near_seed {
  std::uint64_t begin, size;
};

// A strand of a pattern.
struct near_strand {
  std::uint64_t pattern;                    // its number in the batch
  bool reverse;                             // whether this is the reverse complement
  std::uint64_t size;                       // its letters
  std::uint64_t exact_prefix, exact_suffix; // letters at the begin and the end of this strand that must match
  const std::uint8_t* sets;                 // the set of each letter, a bit for each base
  const near_word* words;                   // the same sets for compare_near()

  [[nodiscard]] bool is_exact(std::uint64_t letter) const {
    return letter < exact_prefix || letter >= size - exact_suffix;
  }
  // Returns whether the letters before and at `letter` are both in the exact begin, or both in the exact end,
  // so that no other letter may be between them.
  [[nodiscard]] bool is_inside_exact(std::uint64_t letter) const {
    return (letter > 0 && letter < exact_prefix) || (letter > size - exact_suffix && letter < size);
  }
};

// Patterns [first, last) of a batch.
class near_patterns {
public:
  near_patterns(const sequences_view& patterns, std::uint64_t first, std::uint64_t last,
                const near_options& options);
  [[nodiscard]] std::span<const near_strand> strands() const noexcept { return strands_; }

private:
  std::vector<std::uint8_t> sets_;
  std::vector<near_word> words_;
  std::vector<near_strand> strands_;
};

// Returns seeds of which every occurrence of the strand with at most max_distance mismatches has at least
// one: by the pigeonhole principle, one more than there can be mismatches; or one that must match. Of these
// choices returns the one that occurs less often in a random text. `possible` becomes false if the strand
// cannot occur at all; the result is empty also if a strand has too few letters that stand for one base.
[[nodiscard]] std::vector<near_seed> choose_seeds(const near_strand& strand, unsigned max_distance,
                                                  bool& possible);

// Returns how many of num_symbols positions of a random text begin with one of the seeds.
[[nodiscard]] double expected_seeds(std::span<const near_seed> seeds, std::uint64_t num_symbols);

} // namespace weft::bwt_detail
