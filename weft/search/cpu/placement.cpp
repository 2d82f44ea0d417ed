#include <weft/search/cpu/placement.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <weft/search/cpu/block_alignment.hpp>
#include <weft/search/cpu/gap_path.hpp>
#include <weft/search/cpu/open_letters.hpp>

namespace weft::search_detail {

namespace {

constexpr std::size_t none = ~std::size_t{0};

std::uint64_t letters_of(const std::vector<anchor>& anchors) {
  return std::accumulate(anchors.begin(), anchors.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const anchor& each) { return sum + each.length; });
}

// A Fenwick tree that tells which of the sequences that end at a rank below a given one is the heaviest.
class heaviest_before {
public:
  explicit heaviest_before(std::size_t ranks) : best_(ranks + 1, {0, none}) {}
  void add(std::size_t rank, std::uint64_t weight, std::size_t sequence) {
    for (std::size_t i = rank + 1; i < best_.size(); i += i & (~i + 1))
      if (weight > best_[i].first) best_[i] = {weight, sequence};
  }
  // Returns the weight and the sequence; weight 0 if there is none.
  [[nodiscard]] std::pair<std::uint64_t, std::size_t> find(std::size_t rank) const {
    std::pair<std::uint64_t, std::size_t> best{0, none};
    for (std::size_t i = rank; i > 0; i -= i & (~i + 1))
      if (best_[i].first > best.first) best = best_[i];
    return best;
  }

private:
  std::vector<std::pair<std::uint64_t, std::size_t>> best_;
};

// Appends an anchor with a record of B as one or two anchors with the placed record, by ascending a.
void append_placed(const anchor& from, bool& reverse, const genome_text& b, std::uint64_t record,
                   const genome_placement& placement, std::vector<anchor>& to) {
  const std::uint64_t begin = b.begins[record], size = b.sizes[record], length = from.length;
  std::uint64_t position = (reverse ? b.size() - from.b - length : from.b) - begin;
  if (placement.reverse) position = size - position - length;
  reverse = reverse != placement.reverse;
  position = (position + size - placement.origin) % size;
  const auto append = [&](std::uint64_t at, std::uint64_t a, std::uint64_t letters) {
    to.push_back({reverse ? b.size() - (begin + at) - letters : begin + at, a, letters});
  };
  const std::uint64_t before_end = std::min(length, size - position), behind = length - before_end;
  if (behind == 0)
    append(position, from.a, length);
  else if (!reverse)
    append(position, from.a, before_end), append(0, from.a + before_end, behind);
  else
    append(0, from.a, behind), append(position, from.a + behind, before_end);
}

// Appends the chain, divided where its placed anchors do not ascend.
void append_placed(const chain& from, const genome_text& b, const genome_placement& placement,
                   std::vector<chain>& to) {
  bool reverse = from.reverse;
  std::vector<anchor> anchors;
  for (const anchor& each : from.anchors) {
    reverse = from.reverse;
    append_placed(each, reverse, b, from.b_record, placement, anchors);
  }
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    if (i == 0 || anchors[i].b <= anchors[i - 1].b)
      to.push_back({reverse, from.a_record, from.b_record, from.score, {}});
    to.back().anchors.push_back(anchors[i]);
  }
}

// Returns the anchors of all chains on the forward strand, by (b, a).
std::vector<anchor> forward_anchors(const std::vector<chain>& chains) {
  std::vector<anchor> anchors;
  for (const chain& each : chains)
    if (!each.reverse) anchors.insert(anchors.end(), each.anchors.begin(), each.anchors.end());
  std::sort(anchors.begin(), anchors.end());
  return anchors;
}

// Returns whether anchors of A and a rotated record of B, in the order of both, are those of a circular
// sequence: they reach from one end of A to the other, and up to the first letter of the record on both
// sides.
bool is_circular(const std::vector<anchor>& anchors, text_range of_a, text_range of_b, std::uint64_t wrap) {
  const auto margin = [](std::uint64_t size) {
    return std::max<std::uint64_t>(size / 50, std::min<std::uint64_t>(size / 10, 1000));
  };
  const std::uint64_t a_margin = margin(of_a.size()), b_margin = margin(of_b.size());
  const auto behind = std::partition_point(anchors.begin(), anchors.end(),
                                           [&](const anchor& each) { return each.b < of_b.begin + wrap; });
  if (behind == anchors.begin() || behind == anchors.end()) return false;
  return anchors.front().a <= of_a.begin + a_margin && anchors.back().a_end() + a_margin >= of_a.end &&
         std::prev(behind)->b_end() + b_margin >= of_b.begin + wrap &&
         behind->b <= of_b.begin + wrap + b_margin;
}

// Returns the origin of a partner; `chains` are those between it and the record of A on which it is placed.
std::uint64_t find_origin(const std::vector<chain>& chains, std::uint64_t record, const genome_text& a,
                          const genome_text& b, genome_placement placement) {
  constexpr std::uint64_t min_gain = 40; // letters that a rotation brings into order
  constexpr std::size_t max_candidates = 4, min_share = 1024;
  const text_range of_a{a.begins[placement.a_record],
                        a.begins[placement.a_record] + a.sizes[placement.a_record]},
      of_b{b.begins[record], b.begins[record] + b.sizes[record]};
  const auto arrange_all = [&](std::uint64_t origin) {
    placement.origin = origin;
    std::vector<chain> placed;
    for (const chain& each : chains) append_placed(each, b, placement, placed);
    return placed;
  };
  std::vector<chain> heavy = arrange_all(0);
  const std::vector<anchor> anchors = forward_anchors(heavy);
  const std::uint64_t total = letters_of(anchors);
  std::uint64_t best = 0, best_weight = letters_of(find_heaviest_sequence(anchors));
  if (best_weight + min_gain > total) return 0;
  const std::uint64_t min_weight = best_weight + min_gain;
  // The record of A begins in one of the first of the chains with a good part of the letters.
  std::erase_if(heavy, [&](const chain& each) { return each.reverse || each.score * min_share < total; });
  std::sort(heavy.begin(), heavy.end(),
            [](const chain& x, const chain& y) { return x.anchors.front() < y.anchors.front(); });
  std::stable_sort(heavy.begin(), heavy.end(),
                   [](const chain& x, const chain& y) { return x.anchors.front().a < y.anchors.front().a; });
  for (std::size_t i = 0; i < std::min(heavy.size(), max_candidates); ++i) {
    const anchor& first = heavy[i].anchors.front();
    const std::uint64_t before = (first.a - of_a.begin) % of_b.size();
    const std::uint64_t origin = (first.b - of_b.begin + of_b.size() - before) % of_b.size();
    const std::vector<anchor> chosen = find_heaviest_sequence(forward_anchors(arrange_all(origin)));
    const std::uint64_t weight = letters_of(chosen);
    if (weight <= best_weight || weight < min_weight ||
        !is_circular(chosen, of_a, of_b, of_b.size() - origin))
      continue;
    best = origin, best_weight = weight;
  }
  return best;
}

// The total score of chains, and their letters of B.
struct chain_total {
  std::uint64_t score = 0;
  open_letters letters;
};

// Returns the totals for each record of B, record of A and strand. A chain at least half of which lies beside
// heavier ones in B does not count: the copies of a repeat would otherwise outweigh everything else.
std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, chain_total>
add_scores(const std::vector<chain>& chains) {
  std::vector<const chain*> by_score;
  for (const chain& each : chains) by_score.push_back(&each);
  std::stable_sort(by_score.begin(), by_score.end(),
                   [](const chain* x, const chain* y) { return x->score > y->score; });
  std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, chain_total> totals;
  for (const chain* each : by_score) {
    chain_total& total = totals[{each->b_record, each->a_record, each->reverse}];
    const text_range in_b{each->anchors.front().b, each->anchors.back().b_end()};
    if (2 * total.letters.count(in_b) >= in_b.size()) continue;
    total.letters.add(in_b);
    total.score += each->score;
  }
  return totals;
}

// Cuts the last letters of B off a block of the placed text on its forward strand, and returns them as a
// block of their own; `kept` is the number of letters of B that stay.
genome_block cut_block(genome_block& from, std::uint64_t kept) {
  genome_block rest = from;
  const bool reverse = from.reverse; // the path takes the last letters of B first
  const std::uint64_t size = from.b_end - from.b_begin;
  auto [head, tail] = split_path(from.path, reverse ? size - kept : kept);
  const std::uint64_t a_size = count_letters(head).a;
  genome_block &first = reverse ? rest : from, &second = reverse ? from : rest;
  first.path = std::move(head), second.path = std::move(tail);
  first.a_end = second.a_begin = first.a_begin + a_size;
  from.b_end = rest.b_begin = from.b_begin + kept;
  return rest;
}

} // namespace

std::vector<anchor> find_heaviest_sequence(const std::vector<anchor>& anchors) {
  std::vector<std::uint64_t> sorted;
  sorted.reserve(anchors.size());
  for (const anchor& each : anchors) sorted.push_back(each.a);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  const auto rank = [&](const anchor& each) {
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), each.a) - sorted.begin());
  };
  heaviest_before tree(sorted.size());
  std::vector<std::uint64_t> weights(anchors.size());
  std::vector<std::size_t> previous(anchors.size(), none);
  std::size_t best = none;
  for (std::size_t first = 0, last = 0; first < anchors.size(); first = last) {
    while (last < anchors.size() && anchors[last].b == anchors[first].b) ++last; // cannot follow each other
    for (std::size_t i = first; i < last; ++i) {
      const auto [weight, sequence] = tree.find(rank(anchors[i]));
      weights[i] = weight + anchors[i].length;
      previous[i] = sequence;
      if (best == none || weights[i] > weights[best]) best = i;
    }
    for (std::size_t i = first; i < last; ++i) tree.add(rank(anchors[i]), weights[i], i);
  }
  std::vector<anchor> chosen;
  for (std::size_t i = best; i != none; i = previous[i]) chosen.push_back(anchors[i]);
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<genome_placement> assign_records(const std::vector<chain>& chains, const genome_text& a,
                                             const genome_text& b) {
  std::vector<genome_placement> placements(b.begins.size());
  std::vector<std::uint64_t> best(b.begins.size()), on_record(a.begins.size());
  for (const auto& [key, total] : add_scores(chains)) {
    const auto [b_record, a_record, reverse] = key;
    genome_placement& placement = placements[b_record];
    // If records of A are equal, takes the one with the fewest records of B so far, so that each of them can
    // become a partner.
    if (total.score < best[b_record] || (placement.is_placed && total.score == best[b_record] &&
                                         on_record[a_record] + 1 >= on_record[placement.a_record]))
      continue;
    if (placement.is_placed) --on_record[placement.a_record];
    ++on_record[a_record];
    best[b_record] = total.score;
    placement = {true, a_record, reverse, 0, false};
  }
  for (genome_placement& each : placements) each.is_partner = each.is_placed && on_record[each.a_record] == 1;
  std::vector<std::vector<chain>> of_pair(placements.size()); // between the partners
  for (const chain& each : chains)
    if (placements[each.b_record].is_partner && each.a_record == placements[each.b_record].a_record)
      of_pair[each.b_record].push_back(each);
  for (std::uint64_t record = 0; record < placements.size(); ++record)
    if (placements[record].is_partner)
      placements[record].origin = find_origin(of_pair[record], record, a, b, placements[record]);
  return placements;
}

genome_text arrange_text(const genome_text& b, const std::vector<genome_placement>& placements) {
  genome_text placed = b;
  for (std::uint64_t record = 0; record < placements.size(); ++record) {
    const genome_placement& placement = placements[record];
    const auto begin = placed.letters.begin() + static_cast<std::ptrdiff_t>(b.begins[record]);
    const auto end = begin + static_cast<std::ptrdiff_t>(b.sizes[record]);
    if (placement.reverse) {
      const std::string reversed = reverse_complement(b.record(record));
      std::copy(reversed.begin(), reversed.end(), begin);
    }
    std::rotate(begin, begin + static_cast<std::ptrdiff_t>(placement.origin), end);
  }
  return placed;
}

std::vector<chain> arrange_chains(const std::vector<chain>& chains, const genome_text& b,
                                  const std::vector<genome_placement>& placements) {
  std::vector<chain> placed;
  placed.reserve(chains.size());
  for (const chain& each : chains) append_placed(each, b, placements[each.b_record], placed);
  return placed;
}

void unplace_blocks(std::vector<genome_block>& blocks, const genome_text& b,
                    const std::vector<genome_placement>& placements) {
  std::vector<genome_block> result;
  for (genome_block& block : blocks) {
    const genome_placement& placement = placements[block.b_record];
    const std::uint64_t size = b.sizes[block.b_record];
    const std::uint64_t wrap = size - placement.origin; // the placed position of the strand's first letter
    const auto append = [&](genome_block part) {
      if (part.path.matches == 0) return;
      const std::uint64_t length = part.b_end - part.b_begin;
      part.b_begin = length == 0 ? (part.b_begin + placement.origin) % (size + 1)
                                 : (part.b_begin + placement.origin) % size;
      if (placement.reverse) {
        part.b_begin = size - part.b_begin - length;
        part.reverse = !part.reverse;
      }
      part.b_end = part.b_begin + length;
      result.push_back(std::move(part));
    };
    if (block.b_begin < wrap && wrap < block.b_end) append(cut_block(block, wrap - block.b_begin));
    append(std::move(block));
  }
  blocks = std::move(result);
}

} // namespace weft::search_detail
