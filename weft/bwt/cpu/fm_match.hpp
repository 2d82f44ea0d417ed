// Finds the exact matches between a stretch of a packed query and an FM-index of DNA.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>
#include <weft/bwt/core/fm_match_steps.hpp>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/entry/match_queries.hpp>

namespace weft::bwt_detail {

// Narrows each anchor, given as its stretch of the query with min_left 0 and without rows, to its rows. Stops
// early if comparing the other letters of the stretch with the text is cheaper: then the stretch becomes
// shorter at its begin, and min_left and max_left grow accordingly. An anchor without rows stays as it is.
void narrow_anchors(const fm_index::view& index, const std::uint64_t* words, std::span<match_anchor> anchors);

// Returns the rows [first, second) of letters [begin, begin + length), or an empty range if there are fewer
// than `min_rows`.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> rows_of(const fm_index::view& index,
                                                              const std::uint64_t* words, std::uint64_t begin,
                                                              std::uint64_t length, std::uint64_t min_rows);

// Replaces each row by the text position of its suffix. Throws error(invalid_input) if the index is damaged.
void locate_rows(const fm_index::view& index, std::span<std::uint64_t> rows);

// The number of matches that are in memory at once, and its limit. Thread-safe.
struct match_limit {
  // Thrown by match_finder::find() if the limit is exceeded.
  struct exceeded {};

  std::uint64_t max_matches;
  std::atomic<std::uint64_t> num_matches{0};

  // Counts further matches. Throws exceeded.
  void add(std::uint64_t count) {
    if (num_matches.fetch_add(count, std::memory_order_relaxed) + count > max_matches) throw exceeded();
  }
};

// The rule that says which matches are found: all maximal ones, or the super-maximal ones; of these, those
// whose stretch occurs at most max_occurrences times.
struct match_rule {
  bool super_maximal;
  std::uint64_t max_occurrences;
};

// A match_finder finds matches for one thread. It keeps its buffers between calls.
class match_finder {
public:
  match_finder(const fm_index::view& index, const match_queries& queries, const match_plan& plan,
               const match_rule& rule, match_limit& limit)
      : index_(index), queries_(queries), plan_(plan), rule_(rule), limit_(limit) {}

  // Appends the matches of a range, ordered by their positions on the strand and then in the text.
  void find(const match_range& range, std::vector<found_match>& matches);

private:
  // The rows of an anchor that wait to be located; rows_[first, ...) up to those of the next group. An anchor
  // with more rows than fit at once has several groups, of which only the last one is complete.
  struct row_group {
    match_anchor anchor;
    query_stretch within;
    std::uint64_t first;
    bool complete;
  };

  // Sets anchors_ to the seeds that report matches of the range, and adds windows_ for those seeds that have
  // too many rows.
  void list_seeds(const match_range& range);
  void list_windows(const match_range& range);
  // Calls each(w) for each position at which a window begins that replaces a seed.
  template <class Each>
  void each_window(const match_anchor& seed, const query_stretch& within, const match_range& range,
                   const Each& each) const;

  // Adds the rows of an anchor to rows_. add_window_rows() leaves out the rows that can be extended to the
  // left.
  void add_rows(const match_anchor& anchor, const query_stretch& within);
  void add_window_rows(const match_anchor& anchor, const query_stretch& within);
  void add_row(const match_anchor& anchor, const query_stretch& within, std::uint64_t row);
  // Finds the super-maximal stretch that begins at `begin`, where a seed has too many rows.
  void add_super_maximal_at(std::uint64_t begin, const query_stretch& within);
  void report_all(std::uint64_t begin, std::uint64_t length, std::uint64_t low, std::uint64_t high);

  // Locates the rows of all groups, and reports their matches.
  void flush();
  void report_maximal(const row_group& group, std::span<const std::uint64_t> positions);
  void report_super_maximal(const row_group& group, std::span<const std::uint64_t> positions);
  // Return the extensions of an occurrence; to the right, it is at most `max_right`.
  [[nodiscard]] match_extent left_extent_of(const row_group& group, std::uint64_t position) const {
    return left_extent(index_, words_, group.anchor, group.within, position);
  }
  [[nodiscard]] std::uint64_t right_extent_of(const row_group& group, std::uint64_t position,
                                              std::uint64_t max_right) const;
  void report(std::uint64_t query, std::uint64_t text, std::uint64_t length);
  void sort_reported();

  const fm_index::view& index_;
  const match_queries& queries_;
  const match_plan plan_;
  const match_rule rule_;
  match_limit& limit_;
  match_range range_{};
  match_strand strand_;
  const std::uint64_t* words_ = nullptr; // of the strand
  std::vector<match_anchor> anchors_, windows_;
  std::vector<std::uint64_t> rows_;
  std::vector<row_group> groups_;
  std::vector<match_extent> extents_;
  std::vector<found_match>* matches_ = nullptr;
  std::uint64_t num_sorted_ = 0;  // matches_[0, num_sorted_) are complete and in order
  std::uint64_t num_counted_ = 0; // matches that limit_ has counted
};

} // namespace weft::bwt_detail
