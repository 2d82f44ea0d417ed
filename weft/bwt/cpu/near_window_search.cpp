// Search by windows (near_windows.hpp): finds rows by the contexts, compares strands there, and scans the
// stretches of the text that contain letters which are no bases.
#include <algorithm>
#include <utility>
#include <vector>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/near_scan.hpp>
#include <weft/bwt/cpu/near_search.hpp>
#include <weft/bwt/cpu/near_windows.hpp>

namespace weft::bwt_detail {

namespace {

// Searches strands whose windows were chosen, several at a time.
class window_search {
public:
  window_search(const fm_index::view& index, unsigned max_distance, near_costs& costs, near_collector& to)
      : index_(index), max_distance_(max_distance), costs_(costs), to_(to) {}

  // Adds a strand. Searches the strands that have been added if they have many strings.
  void add(const near_strand& strand) {
    constexpr std::size_t max_strings = 1 << 12;
    const near_windows& windows = costs_.windows(strand);
    strands_.push_back({&strand, &windows, strings_.size()});
    for (std::uint32_t w = 0; w < windows.windows.size(); ++w) {
      filters_.push_back(make_filter(strand, windows.windows[w], max_distance_));
      filter_owners_.push_back({static_cast<std::uint32_t>(strands_.size() - 1), w});
      list_strings(strand, windows.windows[w], index_.kmer_size,
                   static_cast<std::uint32_t>(filters_.size() - 1), strings_);
    }
    if (strings_.size() >= max_strings) search();
  }
  // Searches the strands that have been added since the last call. Those that occur in repeats, and that
  // another method finds sooner, are appended to `remaining`, the others to `searched`.
  void search() {
    find_rows(index_, strings_);
    drop_repeats();
    constexpr std::size_t strings_at_once = 1 << 10;
    for (std::size_t first = 0; first < strings_.size(); first += strings_at_once) {
      const std::size_t count = std::min(strings_at_once, strings_.size() - first);
      filter_rows(index_, std::span(strings_).subspan(first, count), filters_, matches_);
      if (matches_.size() >= max_matches) compare();
    }
    compare();
    strands_.clear();
    strings_.clear();
    filters_.clear();
    filter_owners_.clear();
  }

  std::vector<near_strand> remaining;
  std::vector<const near_strand*> searched;

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

  // Leaves no rows to the strings of strands that another method finds sooner.
  void drop_repeats() {
    for (std::size_t s = 0; s < strands_.size(); ++s) {
      const std::size_t first = strands_[s].first_string,
                        last = s + 1 < strands_.size() ? strands_[s + 1].first_string : strings_.size();
      const std::span<window_string> strings = std::span(strings_).subspan(first, last - first);
      std::uint64_t rows = 0;
      for (const window_string& string : strings) rows += string.high - string.low;
      if (near_context_cost * static_cast<double>(rows) <= costs_.without_windows(*strands_[s].strand)) {
        searched.push_back(strands_[s].strand);
      } else {
        remaining.push_back(*strands_[s].strand);
        for (window_string& string : strings) string.high = string.low;
      }
    }
  }
  // Looks up the rows that passed, and compares their strands there.
  void compare() {
    // To find_positions(), the rows are those of an empty pattern.
    const std::vector<std::uint64_t> offsets(2, 0);
    const fm_patterns empty(index_, "", offsets);
    const std::vector<fm_interval> interval(1);
    candidates_.clear();
    for (const context_match& match : matches_) candidates_.push_back({match.row, 0});
    positions_.resize(candidates_.size());
    find_positions(index_, empty, interval, candidates_, positions_);
    constexpr std::size_t ahead = 16;
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      if (i + ahead < matches_.size()) __builtin_prefetch(index_.packed_text + positions_[i + ahead] / 32);
      const filter_owner owner = filter_owners_[matches_[i].filter];
      const added_strand& added = strands_[owner.strand];
      near_hit hit{};
      near_mismatches<max_near_distance> found;
      if (compare_within_segment(index_, *added.strand, positions_[i],
                                 added.windows->windows[owner.window].begin, max_distance_, hit, found) &&
          is_first_window(*added.windows, owner.window, found))
        hits_.push_back(hit);
    }
    matches_.clear();
    to_.add(hits_);
  }
  // Returns whether a hit with these mismatches is found by this window, but by none before it.
  [[nodiscard]] static bool is_first_window(const near_windows& windows, std::uint32_t window,
                                            const near_mismatches<max_near_distance>& found) {
    for (std::uint32_t w = 0; w < window; ++w) {
      const near_window& before = windows.windows[w];
      if (found.count_in(before.begin, before.begin + before.size) <= before.max_mismatches) return false;
    }
    return true;
  }

  const fm_index::view& index_;
  const unsigned max_distance_;
  near_costs& costs_;
  near_collector& to_;
  std::vector<added_strand> strands_;
  std::vector<window_string> strings_;
  std::vector<context_filter> filters_;
  std::vector<filter_owner> filter_owners_; // of the filters
  std::vector<context_match> matches_;
  std::vector<fm_candidate> candidates_;
  std::vector<std::uint64_t> positions_;
  std::vector<near_hit> hits_;
};

// Calls site(symbol) for each position of the records, end to end, from which 32 letters contain some that
// are no bases, but not more than max_distance of them before the next base.
template <class Site>
void each_open_site(const fm_index::view& index, unsigned max_distance, const Site& site) {
  const std::uint64_t reach = site_scan::max_size - 1, num_symbols = index.record_offsets.back();
  std::uint64_t next = 0; // the first position that was not passed to site()
  const auto visit = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t symbol = std::max(first, next); symbol < last; ++symbol) site(symbol);
    next = std::max(next, last);
  };
  for (std::size_t r = 0; r < index.other_letters.size();) {
    const std::uint64_t begin = index.other_letters[r].position;
    std::uint64_t end = begin;
    for (; r < index.other_letters.size() && index.other_letters[r].position == end; ++r)
      end += index.other_letters[r].length;
    visit(begin - std::min(begin, reach), begin);
    visit(std::max(begin, end - std::min<std::uint64_t>(end, max_distance)), std::min(end, num_symbols));
  }
}

// Finds the hits of strands that contain letters which are no bases.
void search_open_sites(const fm_index::view& index, std::span<const near_strand* const> strands,
                       const near_options& options, near_collector& to) {
  if (strands.empty() || index.other_letters.empty()) return;
  text_planes planes(index, {});
  site_scan scan(strands, options.max_distance, true);
  std::vector<near_hit> hits;
  const auto report = [&](const near_strand& strand, std::uint64_t symbol, std::uint32_t is_base,
                          std::uint32_t mismatches) {
    const std::uint32_t letters = ~std::uint32_t{0} >> (32 - strand.size);
    if ((is_base & letters) == letters) return; // the index has found it
    append_scanned_hit(index, strand, symbol, mismatches, hits);
  };
  std::uint64_t loaded = no_position; // the block whose planes are there
  each_open_site(index, options.max_distance, [&](std::uint64_t symbol) {
    if (const std::uint64_t block = symbol / near_scan_block; block != loaded) {
      base_detail::check_cancelled(options.run);
      planes.load(block * near_scan_block);
      loaded = block;
      to.add(hits);
    }
    scan.add_site(planes, symbol % near_scan_block, symbol, report);
  });
  scan.flush(report);
  to.add(hits);
}

} // namespace

std::vector<near_strand> search_by_windows(const fm_index::view& index, std::span<const near_strand> strands,
                                           const near_options& options, near_costs& costs,
                                           near_collector& to) {
  window_search search(index, options.max_distance, costs, to);
  std::vector<near_strand> others;
  for (const near_strand& strand : strands)
    if (costs.of_windows(strand) > costs.without_windows(strand))
      others.push_back(strand);
    else
      search.add(strand);
  search.search();
  search_open_sites(index, search.searched, options, to);
  others.insert(others.end(), search.remaining.begin(), search.remaining.end());
  return others;
}

} // namespace weft::bwt_detail
