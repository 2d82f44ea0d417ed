#include <weft/bwt/cpu/fm_match.hpp>

#include <algorithm>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t max_rows_at_once = std::uint64_t{1} << 13;

} // namespace

void match_finder::find(const match_range& range, std::vector<found_match>& matches) {
  range_ = range;
  strand_ = queries_.strand(range.reverse);
  words_ = strand_.words;
  matches_ = &matches;
  num_sorted_ = num_counted_ = matches.size();
  rows_.clear();
  groups_.clear();
  list_seeds(range);
  narrow_anchors(index_, words_, anchors_);
  windows_.clear();
  if (!rule_.super_maximal) {
    list_windows(range);
    narrow_anchors(index_, words_, windows_);
  }
  std::uint64_t stretch = strand_.first_stretch(range.first), window = 0;
  for (const match_anchor& seed : anchors_) {
    query_stretch within = strand_.stretch(stretch);
    while (within.end <= seed.begin) within = strand_.stretch(++stretch);
    if (seed.high - seed.low < plan_.min_occurrences) continue;
    if (!plan_.needs_windows(seed))
      add_rows(seed, within);
    else if (rule_.super_maximal)
      each_window(seed, within, range, [&](std::uint64_t w) { add_super_maximal_at(w, within); });
    else
      each_window(seed, within, range, [&](std::uint64_t) { add_window_rows(windows_[window++], within); });
  }
  flush();
}

void match_finder::list_seeds(const match_range& range) {
  const auto round_up = [this](std::uint64_t at) { return (at + plan_.step - 1) / plan_.step * plan_.step; };
  const std::uint64_t end = round_up(range.last - 1) + 1; // the last seed may begin behind the range
  anchors_.clear();
  for (std::uint64_t s = strand_.first_stretch(range.first); s < strand_.num_stretches; ++s) {
    const query_stretch within = strand_.stretch(s);
    if (within.begin >= range.last) break;
    if (within.end - within.begin < plan_.min_length) continue;
    for (std::uint64_t at = round_up(std::max(range.first, within.begin));
         at < end && at + plan_.seed <= within.end; at += plan_.step)
      anchors_.push_back({at, plan_.seed, 0, plan_.step, 0, 0});
  }
}

void match_finder::list_windows(const match_range& range) {
  std::uint64_t stretch = strand_.first_stretch(range.first);
  for (const match_anchor& seed : anchors_) {
    if (!plan_.needs_windows(seed)) continue;
    query_stretch within = strand_.stretch(stretch);
    while (within.end <= seed.begin) within = strand_.stretch(++stretch);
    each_window(seed, within, range, [&](std::uint64_t w) {
      windows_.push_back({w, plan_.min_length, 0, 1, 0, 0});
    });
  }
}

template <class Each>
void match_finder::each_window(const match_anchor& seed, const query_stretch& within,
                               const match_range& range, const Each& each) const {
  const match_windows windows = windows_of(plan_, seed, within, range);
  for (std::uint64_t w = windows.first; w < windows.first + windows.count; ++w) each(w);
}

void match_finder::add_rows(const match_anchor& anchor, const query_stretch& within) {
  groups_.push_back({anchor, within, rows_.size(), true});
  for (std::uint64_t row = anchor.low; row < anchor.high; ++row) rows_.push_back(row);
  if (rows_.size() >= max_rows_at_once) flush();
}

void match_finder::add_window_rows(const match_anchor& anchor, const query_stretch& within) {
  if (anchor.low >= anchor.high) return;
  const bool can_extend = anchor.min_left == 0 && anchor.begin > within.begin;
  if (!can_extend || anchor.high - anchor.low <= plan_.max_rows) return add_rows(anchor, within);
  groups_.push_back({anchor, within, rows_.size(), true});
  for_each_row_not_after(index_, code_at(words_, anchor.begin - 1), anchor.low, anchor.high,
                         [&](std::uint64_t row) { add_row(anchor, within, row); });
}

void match_finder::add_row(const match_anchor& anchor, const query_stretch& within, std::uint64_t row) {
  rows_.push_back(row);
  if (rows_.size() < max_rows_at_once) return;
  groups_.back().complete = false;
  flush();
  groups_.push_back({anchor, within, 0, true});
}

// The longest stretch from `begin` on that occurs often enough is found by trying lengths: first twice as
// long each time, then by bisection, until so few rows are left that their extensions can be compared.
void match_finder::add_super_maximal_at(std::uint64_t begin, const query_stretch& within) {
  const auto rows_before = [&](std::uint64_t low,
                               std::uint64_t high) { // rows extended by a letter to the left
    if (begin == within.begin) return std::uint64_t{0};
    index_.narrow<true>(code_at(words_, begin - 1), low, high);
    return high - low;
  };
  const std::uint64_t max_length = within.end - begin;
  std::uint64_t length = 0, too_long = max_length + 1, low = 0, high = 0;
  for (std::uint64_t next = plan_.min_length;;) {
    const auto [first, last] = rows_of(index_, words_, begin, next, plan_.min_occurrences);
    if (first == last) {
      if (length == 0) return;
      too_long = next;
    } else {
      length = next;
      low = first;
      high = last;
      if (rows_before(low, high) == high - low) return; // every longer stretch can be extended to the left
      if (high - low <= plan_.max_rows) return add_rows({begin, length, 0, 1, low, high}, within);
    }
    if (length + 1 == too_long) break;
    next = too_long > max_length ? std::min(2 * length, max_length) : length + (too_long - length) / 2;
  }
  if (rows_before(low, high) < plan_.min_occurrences && high - low <= rule_.max_occurrences)
    report_all(begin, length, low, high);
}

void match_finder::report_all(std::uint64_t begin, std::uint64_t length, std::uint64_t low,
                              std::uint64_t high) {
  flush();
  while (low < high) {
    rows_.clear();
    for (; low < high && rows_.size() < max_rows_at_once; ++low) rows_.push_back(low);
    locate_rows(index_, rows_);
    for (const std::uint64_t position : rows_) report(begin, position, length);
    limit_.add(matches_->size() - num_counted_);
    num_counted_ = matches_->size();
  }
  rows_.clear();
  sort_reported();
}

void match_finder::flush() {
  locate_rows(index_, rows_);
  for (std::uint64_t g = 0; g < groups_.size(); ++g) {
    const row_group& group = groups_[g];
    const std::uint64_t last = g + 1 < groups_.size() ? groups_[g + 1].first : rows_.size();
    const std::span<const std::uint64_t> positions =
        std::span(rows_).subspan(group.first, last - group.first);
    if (rule_.super_maximal)
      report_super_maximal(group, positions);
    else
      report_maximal(group, positions);
    if (group.complete) sort_reported();
  }
  groups_.clear();
  rows_.clear();
  limit_.add(matches_->size() - num_counted_);
  num_counted_ = matches_->size();
}

void match_finder::report_maximal(const row_group& group, std::span<const std::uint64_t> positions) {
  for (const std::uint64_t position : positions) {
    const match_extent extent = left_extent_of(group, position);
    if (!extent.reported_by(group.anchor)) continue;
    const std::uint64_t right = right_extent_of(group, position, ~std::uint64_t{0});
    report(group.anchor.begin - extent.left, position - extent.left,
           extent.left + group.anchor.length + right);
  }
}

void match_finder::report_super_maximal(const row_group& group, std::span<const std::uint64_t> positions) {
  const match_anchor& anchor = group.anchor;
  extents_.clear();
  std::uint64_t max_right = 0;
  bool reports = false;
  for (const std::uint64_t position : positions) {
    match_extent extent = left_extent_of(group, position);
    if (extent.left < anchor.min_left) continue;
    if (extent.reported_by(anchor)) {
      reports = true;
      extent.right = right_extent_of(group, position, ~std::uint64_t{0});
      max_right = std::max(max_right, extent.right);
    }
    extents_.push_back(extent);
  }
  if (!reports) return;
  for (match_extent& extent : extents_)
    if (!extent.reported_by(anchor)) extent.right = right_extent_of(group, extent.position, max_right);
  std::sort(extents_.begin(), extents_.end(),
            [](const match_extent& a, const match_extent& b) { return a.left > b.left; });
  for_each_super_maximal(
      anchor, extents_.data(), extents_.size(), plan_.min_occurrences,
      [&](std::uint64_t left, std::uint64_t right) {
        const auto has_stretch = [&](const match_extent& extent) {
          return extent.left >= left && extent.right >= right;
        };
        if (static_cast<std::uint64_t>(std::count_if(extents_.begin(), extents_.end(), has_stretch)) >
            rule_.max_occurrences)
          return;
        for (const match_extent& extent : extents_)
          if (has_stretch(extent))
            report(anchor.begin - left, extent.position - left, left + anchor.length + right);
      });
}

std::uint64_t match_finder::right_extent_of(const row_group& group, std::uint64_t position,
                                            std::uint64_t max_right) const {
  const std::uint64_t right = right_extent(index_, words_, group.anchor, group.within, position, max_right);
  if (right == damaged_extent) refuse_damaged_index();
  return right;
}

void match_finder::report(std::uint64_t query, std::uint64_t text, std::uint64_t length) {
  if (length >= plan_.min_length && query >= range_.first && query < range_.last)
    matches_->push_back({query, text, length});
}

void match_finder::sort_reported() {
  const auto first = matches_->begin() + static_cast<std::ptrdiff_t>(num_sorted_);
  if (matches_->end() - first > 1) std::sort(first, matches_->end());
  num_sorted_ = matches_->size();
}

} // namespace weft::bwt_detail
