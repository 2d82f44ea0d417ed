#include <weft/files/find/near_changes.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace weft::files {

namespace {

// Returns the number of letters that [a_begin, a_end) and [b_begin, b_end) have in common.
std::int64_t common_letters(std::int64_t a_begin, std::int64_t a_end, std::int64_t b_begin,
                            std::int64_t b_end) {
  return std::max<std::int64_t>(0, std::min(a_end, b_end) - std::max(a_begin, b_begin));
}

// The hits that have been taken on one circular record.
class taken_hits {
public:
  explicit taken_hits(std::uint64_t length) : length_(static_cast<std::int64_t>(length)) {}

  void add(const near_stretch& hit) {
    ends_.emplace(hit.begin, hit.end);
    longest_ = std::max(longest_, static_cast<std::int64_t>(hit.end - hit.begin));
  }
  // Returns whether a hit shares more than half of the letters of the shorter one with the stretch.
  [[nodiscard]] bool conflict_with(const near_stretch& stretch) const {
    const auto begin = static_cast<std::int64_t>(stretch.begin), end = static_cast<std::int64_t>(stretch.end);
    for (const std::int64_t turn : {-length_, std::int64_t{0}, length_}) // the stretch, moved by a whole turn
      for (auto at = ends_.lower_bound(std::max<std::int64_t>(0, begin + turn - longest_));
           at != ends_.end() && at->first < end + turn; ++at)
        if (2 * shared(at->first, at->second, begin, end) > std::min(end - begin, at->second - at->first))
          return true;
    return false;
  }

private:
  [[nodiscard]] std::int64_t shared(std::int64_t a_begin, std::int64_t a_end, std::int64_t begin,
                                    std::int64_t end) const {
    std::int64_t sum = 0;
    for (const std::int64_t turn : {-length_, std::int64_t{0}, length_})
      sum += common_letters(a_begin, a_end, begin + turn, end + turn);
    return sum;
  }

  const std::int64_t length_;
  std::int64_t longest_ = 0;
  std::map<std::int64_t, std::int64_t> ends_; // by begins, which are distinct
};

// Drops the hits of one pattern that are not listed, and orders the others.
void keep_listed(std::vector<near_stretch>& hits, const near_options& options) {
  const auto comes_first = [](const near_stretch& a, const near_stretch& b) {
    return std::tie(a.distance, a) < std::tie(b.distance, b);
  };
  std::sort(hits.begin(), hits.end(), comes_first);
  if (options.best)
    while (!hits.empty() && hits.back().distance > hits.front().distance) hits.pop_back();
  if (hits.size() > options.max_hits) hits.resize(options.max_hits);
  std::sort(hits.begin(), hits.end());
}

} // namespace

void add_row(near_hits& to, const near_stretch& hit) {
  to.record.push_back(hit.record);
  to.begin.push_back(hit.begin);
  to.end.push_back(hit.end);
  to.distance.push_back(static_cast<std::uint8_t>(hit.distance));
  to.reverse.push_back(hit.reverse ? 1 : 0);
}

std::vector<near_stretch> select_hits(std::vector<near_stretch> stretches, std::uint64_t length) {
  std::sort(stretches.begin(), stretches.end(), [](const near_stretch& a, const near_stretch& b) {
    return std::tie(a.distance, a.begin, a.end) < std::tie(b.distance, b.begin, b.end);
  });
  taken_hits taken(length);
  const auto conflicts = [&](const near_stretch& stretch) {
    if (taken.conflict_with(stretch)) return true;
    taken.add(stretch);
    return false;
  };
  std::vector<near_stretch> result;
  for (const near_stretch& stretch : stretches)
    if (!conflicts(stretch)) result.push_back(stretch);
  return result;
}

near_hits apply_changes(const near_hits& hits, std::span<const near_changes> changes,
                        const near_options& options) {
  near_hits result;
  result.totals = hits.totals;
  std::vector<near_stretch> of_pattern;
  for (std::uint64_t p = 0; p < changes.size(); ++p) {
    std::vector<near_stretch> removed = changes[p].removed;
    std::sort(removed.begin(), removed.end());
    of_pattern = changes[p].added;
    for (std::uint64_t h = hits.offsets[p]; h < hits.offsets[p + 1]; ++h) {
      const near_stretch hit{hits.record[h], hits.begin[h], hits.reverse[h] != 0, hits.end[h],
                             hits.distance[h]};
      if (!std::binary_search(removed.begin(), removed.end(), hit)) of_pattern.push_back(hit);
    }
    std::uint64_t* const totals = result.totals.data() + p * (options.max_distance + 1);
    for (const near_stretch& hit : removed) --totals[hit.distance];
    for (const near_stretch& hit : changes[p].added) ++totals[hit.distance];
    keep_listed(of_pattern, options);
    for (const near_stretch& hit : of_pattern) add_row(result, hit);
    result.offsets.push_back(result.record.size());
  }
  return result;
}

} // namespace weft::files
