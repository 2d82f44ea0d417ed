// Alignments of blocks: paths along anchors, with the gaps between them closed, and extended at both ends.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include <weft/search/cpu/anchors.hpp>
#include <weft/search/cpu/gap_path.hpp>
#include <weft/search/variants.hpp>

namespace weft::search_detail {

// The letters [begin, end) of a text.
struct text_range {
  std::uint64_t begin = 0, end = 0;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

// Letters of A aligned with letters of B.
struct aligned_ranges {
  text_range a, b;
  edit_script path;
};

// Which part of the ranges an alignment must cover:
//   whole   all letters of both ranges
//   similar what is similar to the letters beside the anchors
enum class alignment_extent { whole, similar };

// An anchor_gap is between two anchors or beside one. It has the letters that it covers, and says which of
// them are aligned.
struct anchor_gap {
  // Which letters a path covers:
  //   all   all of both ranges
  //   last  the last ones of both, as far as they are similar
  //   first the first ones of both, as far as they are similar
  enum class cover : std::uint64_t { all, last, first };
  text_range a, b;
  cover covers = cover::all;
};

// Returns the paths of gaps of two texts, on the threads of the run. O(cells) time for a gap of at most 2^22
// cells; larger ones are aligned from both sides until the texts are no longer similar.
[[nodiscard]] std::vector<edit_script> close_gaps(std::span<const anchor_gap> gaps, std::string_view a,
                                                  std::string_view b, const affine_penalties& penalties,
                                                  const run_options& run);

// Returns about how many nanoseconds it takes to close a gap.
[[nodiscard]] std::uint64_t time_to_close(const anchor_gap& gap);

// Returns the alignment of letters of two texts along anchors, which ascend in both and lie in the ranges.
// There must be an anchor. Stretches that are not similar are deleted and inserted. The gaps are closed as by
// close_gaps(), together with the helpers of the options if that is worthwhile.
[[nodiscard]] aligned_ranges align_along(std::vector<anchor> anchors, std::string_view a, std::string_view b,
                                         text_range a_range, text_range b_range, alignment_extent extent,
                                         const comparison_options& options);

} // namespace weft::search_detail
