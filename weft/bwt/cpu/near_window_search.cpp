// Search by windows (near_windows.hpp): finds rows by the contexts, and compares strands there.
#include <algorithm>
#include <span>
#include <vector>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/near_search.hpp>
#include <weft/bwt/cpu/near_windows.hpp>

namespace weft::bwt_detail {

namespace {

// Searches strands whose windows were chosen, several at a time.
class window_search {
public:
  window_search(const fm_index::view& index, const near_options& options, near_costs& costs,
                near_collector& to, std::vector<near_strand>& found, std::vector<near_strand>& remaining)
      : index_(index), options_(options), costs_(costs), to_(to), found_(found), remaining_(remaining) {}

  // Adds a strand and its windows. Searches the strands that have been added if they have many strings.
  void add(const near_strand& strand, const near_windows& windows) {
    constexpr std::size_t max_strings = 1 << 12;
    strands_.push_back({&strand, &windows, strings_.size()});
    for (std::uint32_t w = 0; w < windows.windows.size(); ++w) {
      filters_.push_back(make_filter(strand, windows.windows[w], options_.max_distance));
      filter_owners_.push_back({static_cast<std::uint32_t>(strands_.size() - 1), w});
      list_strings(strand, windows.windows[w], index_.kmer_size,
                   static_cast<std::uint32_t>(filters_.size() - 1), strings_);
    }
    if (strings_.size() >= max_strings) search();
  }
  // Searches the strands that have been added since the last call.
  void search() {
    base_detail::check_cancelled(options_.run);
    find_rows(index_, strings_);
    for (std::size_t s = 0; s < strands_.size(); ++s) {
      search_strand(s);
      if (matches_.size() >= max_matches) compare();
    }
    compare();
    strands_.clear();
    strings_.clear();
    filters_.clear();
    filter_owners_.clear();
  }

private:
  static constexpr std::size_t max_matches = 1 << 12; // rows that are looked up at a time

  struct added_strand {
    const near_strand* strand;
    const near_windows* windows;
    std::size_t first_string;
  };
  struct filter_owner {
    std::uint32_t strand, window;
  };

  // Appends the rows of a strand that pass to matches_, unless they are so many that another method takes
  // less time: the strand lies in a repeat.
  void search_strand(std::size_t s) {
    const std::size_t first = strands_[s].first_string,
                      last = s + 1 < strands_.size() ? strands_[s + 1].first_string : strings_.size();
    const double max_cost = costs_.without_windows(*strands_[s].strand);
    std::uint64_t rows = 0;
    for (std::size_t i = first; i < last; ++i) rows += strings_[i].high - strings_[i].low;
    const std::size_t matches_before = matches_.size(),
                      max_own_matches =
                          max_matches + static_cast<std::size_t>(std::min(max_cost / leaf_cost, 1e12));
    if (near_context_cost * static_cast<double>(rows) <= max_cost &&
        filter_rows(index_, strings_, first, last, filters_, matches_before + max_own_matches, matches_)) {
      found_.push_back(*strands_[s].strand);
    } else {
      matches_.resize(matches_before);
      remaining_.push_back(*strands_[s].strand);
    }
  }
  // Looks up the rows that passed, and compares their strands there.
  void compare() {
    for (std::size_t begin = 0; begin < matches_.size(); begin += max_matches) {
      const std::span<const context_match> matches =
          std::span(matches_).subspan(begin, std::min(max_matches, matches_.size() - begin));
      rows_.clear();
      for (const context_match& match : matches) rows_.push_back(match.row);
      positions_.resize(rows_.size());
      find_positions_of_rows(index_, rows_, positions_);
      constexpr std::size_t ahead = 16;
      for (std::size_t i = 0; i < matches.size(); ++i) {
        if (i + ahead < matches.size()) __builtin_prefetch(index_.packed_text + positions_[i + ahead] / 32);
        compare_at(positions_[i], filter_owners_[matches[i].filter]);
      }
      to_.add(hits_);
    }
    matches_.clear();
  }
  // Compares the strand of a window where the window lies at a text position.
  void compare_at(std::uint64_t position, const filter_owner& owner) {
    const added_strand& added = strands_[owner.strand];
    near_hit hit{};
    near_mismatches<max_near_distance> mismatches;
    if (compare_within_segment(index_, *added.strand, position, added.windows->windows[owner.window].begin,
                               options_.max_distance, hit, mismatches) &&
        is_first_window(*added.windows, owner.window, mismatches))
      hits_.push_back(hit);
  }
  // Returns whether a hit with these mismatches is found by this window, but by none before it.
  [[nodiscard]] static bool is_first_window(const near_windows& windows, std::uint32_t window,
                                            const near_mismatches<max_near_distance>& mismatches) {
    for (std::uint32_t w = 0; w < window; ++w) {
      const near_window& before = windows.windows[w];
      if (mismatches.count_in(before.begin, before.begin + before.size) <= before.max_mismatches)
        return false;
    }
    return true;
  }

  const fm_index::view& index_;
  const near_options& options_;
  near_costs& costs_;
  near_collector& to_;
  std::vector<near_strand>&found_, &remaining_;
  std::vector<added_strand> strands_;
  std::vector<window_string> strings_;
  std::vector<context_filter> filters_;
  std::vector<filter_owner> filter_owners_; // of the filters
  std::vector<context_match> matches_;
  std::vector<std::uint64_t> rows_, positions_;
  std::vector<near_hit> hits_;
};

} // namespace

std::vector<near_strand> search_by_windows(const fm_index::view& index, std::span<const near_strand> strands,
                                           const near_options& options, near_costs& costs, near_collector& to,
                                           std::vector<near_strand>& found) {
  std::vector<near_strand> remaining;
  window_search search(index, options, costs, to, found, remaining);
  for (const near_strand& strand : strands)
    if (const near_windows& windows = costs.windows(strand); windows.cost > costs.without_windows(strand))
      remaining.push_back(strand);
    else
      search.add(strand, windows);
  search.search();
  return remaining;
}

} // namespace weft::bwt_detail
