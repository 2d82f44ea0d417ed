#include <weft/search/cpu/chains.hpp>

#include <algorithm>
#include <array>
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

// The best chain that ends with each anchor: its score, and the anchor before.
struct chain_links {
  std::vector<std::int64_t> scores;
  std::vector<std::size_t> previous;
};

// Finds the anchors that an anchor may follow, beside those shortly before it: where there are many short
// repeats, the anchors of a chain are far from each other in the order of all anchors.
class distant_candidates {
public:
  explicit distant_candidates(const std::vector<anchor>& anchors) : anchors_(anchors) { last_.fill(none); }

  // Calls visit(j) for the last anchor on the diagonal of anchor i, as far as a small cache can tell, and for
  // the anchor that ends the chain with the highest score.
  template <class Visit> void visit(std::size_t i, const Visit& visit) const {
    const std::size_t same = last_[slot(i)];
    if (same != none && anchors_[same].diagonal() == anchors_[i].diagonal()) visit(same);
    if (best_ != none && best_ != same) visit(best_);
  }

  // Adds anchor i, after those before it. An anchor that is too far away gives way to the next one.
  void add(std::size_t i, const std::vector<std::int64_t>& scores) {
    last_[slot(i)] = i;
    if (best_ == none || scores[i] >= scores[best_] || anchors_[i].b > anchors_[best_].b_end() + max_distance)
      best_ = i;
  }

private:
  [[nodiscard]] std::size_t slot(std::size_t i) const {
    return mix(static_cast<std::uint64_t>(anchors_[i].diagonal())) % last_.size();
  }

  const std::vector<anchor>& anchors_;
  std::array<std::size_t, 1024> last_{};
  std::size_t best_ = none;
};

// Links each anchor to the one before it in the best chain. `a_records` has the record of A of each anchor.
chain_links link_anchors(const std::vector<anchor>& anchors, const std::vector<std::uint32_t>& a_records,
                         const genome_text& b, const run_options& run) {
  const std::size_t count = anchors.size();
  chain_links links{std::vector<std::int64_t>(count), std::vector<std::size_t>(count, none)};
  distant_candidates distant(anchors);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 4096 == 0) base_detail::check_cancelled(run);
    links.scores[i] = static_cast<std::int64_t>(anchors[i].length);
    const auto follow = [&](std::size_t j) {
      if (a_records[i] != a_records[j]) return;
      const std::int64_t gain = gain_of(anchors[j], anchors[i]);
      if (gain == INT64_MIN || links.scores[j] + gain <= links.scores[i]) return;
      if (b.begins.size() > 1 && b.record_at(anchors[i].b) != b.record_at(anchors[j].b)) return;
      links.scores[i] = links.scores[j] + gain;
      links.previous[i] = j;
    };
    std::size_t back = 1;
    for (; back <= std::min(i, max_candidates); ++back) {
      // Anchors are by b; one that is so long that it reaches further than its successors is rare.
      if (anchors[i].b > anchors[i - back].b_end() + max_distance && back > 8) break;
      follow(i - back);
    }
    if (back > max_candidates) distant.visit(i, follow);
    distant.add(i, links.scores);
  }
  return links;
}

} // namespace

void append_chains(const std::vector<anchor>& anchors, const genome_text& a, const genome_text& b,
                   bool reverse, std::uint64_t min_score, const run_options& run,
                   std::vector<chain>& chains) {
  const std::size_t count = anchors.size();
  std::vector<std::uint32_t> a_records(count);
  for (std::size_t i = 0; i < count; ++i)
    a_records[i] = static_cast<std::uint32_t>(a.record_at(anchors[i].a));
  const auto [scores, previous] = link_anchors(anchors, a_records, b, run);
  // The chain with the highest score takes its anchors first.
  std::vector<std::size_t> ends(count);
  std::iota(ends.begin(), ends.end(), std::size_t{0});
  std::stable_sort(ends.begin(), ends.end(),
                   [&scores = scores](std::size_t x, std::size_t y) { return scores[x] > scores[y]; });
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
