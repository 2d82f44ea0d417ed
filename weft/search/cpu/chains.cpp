#include <weft/search/cpu/chains.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

namespace weft::search_detail {

namespace {

constexpr std::size_t max_candidates = 64;   // anchors before an anchor that it can follow
constexpr std::uint64_t max_distance = 5000; // letters between two anchors of a chain, in each text

constexpr std::size_t none = ~std::size_t{0};

// Returns what it costs to go from a diagonal to another one that is `shift` away, and over `distance`
// letters.
std::int64_t gap_cost(std::uint64_t shift, std::uint64_t distance) {
  const auto cost = static_cast<std::int64_t>(distance / 100);
  return shift == 0 ? cost : cost + 10 + 2 * static_cast<std::int64_t>(std::bit_width(shift));
}

// Returns by how much the score of a chain that ends with `before` changes if `after` follows; INT64_MIN if
// it cannot follow.
std::int64_t gain_of(const anchor& before, const anchor& after) {
  constexpr std::int64_t never = INT64_MIN;
  if (after.a <= before.a || after.b <= before.b) return never;
  const std::uint64_t a_gap = after.a - std::min(after.a, before.a_end()),
                      b_gap = after.b - std::min(after.b, before.b_end());
  if (a_gap > max_distance || b_gap > max_distance) return never;
  const std::uint64_t overlap = std::max(before.a_end() - std::min(before.a_end(), after.a),
                                         before.b_end() - std::min(before.b_end(), after.b));
  if (overlap >= after.length) return never;
  const auto shift = static_cast<std::uint64_t>(std::abs(after.diagonal() - before.diagonal()));
  return static_cast<std::int64_t>(after.length - overlap) - gap_cost(shift, std::min(a_gap, b_gap));
}

} // namespace

void append_chains(const std::vector<anchor>& anchors, const genome_text& a, const genome_text& b,
                   bool reverse, std::uint64_t min_score, const run_options& run,
                   std::vector<chain>& chains) {
  const std::size_t count = anchors.size();
  std::vector<std::int64_t> scores(count);
  std::vector<std::size_t> previous(count, none);
  std::vector<std::uint32_t> a_records(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 4096 == 0) base_detail::check_cancelled(run);
    a_records[i] = static_cast<std::uint32_t>(a.record_at(anchors[i].a));
    scores[i] = static_cast<std::int64_t>(anchors[i].length);
    for (std::size_t back = 1; back <= std::min(i, max_candidates); ++back) {
      const std::size_t j = i - back;
      // Anchors are by b; one that is so long that it reaches further than its successors is rare.
      if (anchors[i].b > anchors[j].b_end() + max_distance && back > 8) break;
      if (a_records[i] != a_records[j]) continue;
      const std::int64_t gain = gain_of(anchors[j], anchors[i]);
      if (gain == INT64_MIN || scores[j] + gain <= scores[i]) continue;
      if (b.begins.size() > 1 && b.record_at(anchors[i].b) != b.record_at(anchors[j].b)) continue;
      scores[i] = scores[j] + gain;
      previous[i] = j;
    }
  }
  // The chain with the highest score takes its anchors first.
  std::vector<std::size_t> ends(count);
  std::iota(ends.begin(), ends.end(), std::size_t{0});
  std::stable_sort(ends.begin(), ends.end(),
                   [&](std::size_t x, std::size_t y) { return scores[x] > scores[y]; });
  std::vector<bool> taken(count);
  for (const std::size_t end : ends) {
    if (taken[end]) continue;
    chain found{reverse, a_records[end], b.record_at(anchors[end].b), 0, {}};
    std::size_t i = end;
    for (; i != none && !taken[i]; i = previous[i]) {
      taken[i] = true;
      found.anchors.push_back(anchors[i]);
    }
    const std::int64_t score = scores[end] - (i == none ? 0 : scores[i]);
    if (score < static_cast<std::int64_t>(min_score)) continue;
    found.score = static_cast<std::uint64_t>(score);
    std::reverse(found.anchors.begin(), found.anchors.end());
    chains.push_back(std::move(found));
  }
}

} // namespace weft::search_detail
