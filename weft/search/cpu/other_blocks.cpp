#include <weft/search/cpu/other_blocks.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace weft::search_detail {

namespace {

constexpr std::uint64_t min_piece = 8;    // letters of an anchor that is cut
constexpr std::uint64_t min_letters = 40; // of the anchors of a block
constexpr double min_identity = 0.6;      // matches of a block, as a part of its longer side

// A part of a chain that can become a block.
struct candidate {
  bool reverse = false;
  bool is_new = false; // whether its letters of A are open, too: it is not an additional copy
  std::uint64_t a_record = 0, b_record = 0, letters = 0;
  text_range a_limits, b_limits;
  std::vector<anchor> anchors; // of the placed text, or of its reverse complement
};

text_range range_of_record(const genome_text& text, std::uint64_t record) {
  return {text.begins[record], text.begins[record] + text.sizes[record]};
}

// Returns the range of the text that has a range of its reverse complement, or the other way round.
text_range turned(text_range range, std::uint64_t size) { return {size - range.end, size - range.begin}; }

// Cuts chains to the open letters.
class chain_cutter {
public:
  chain_cutter(const genome_text& a, const genome_text& placed, const open_texts& open)
      : a_(a), placed_(placed), open_(open) {}

  // Appends what is left of a chain, or of a candidate, as candidates with at least min_letters.
  template <class Chain> void append_candidates(const Chain& from, std::vector<candidate>& to) const {
    candidate current;
    for (const anchor& each : from.anchors) {
      const text_range in_b = on_strand({each.b, each.b_end()}, from.reverse);
      std::vector<text_range> parts;
      open_.b.visit(in_b, [&](text_range part) { parts.push_back(part); });
      if (from.reverse) std::reverse(parts.begin(), parts.end());
      for (const text_range& part : parts) {
        if (part.size() < std::min(min_piece, each.length)) continue;
        const text_range cut = on_strand(part, from.reverse);
        append_cut({cut.begin, each.a + (cut.begin - each.b), cut.size()}, part, from, current, to);
      }
    }
    finish(current, to);
  }

private:
  [[nodiscard]] text_range on_strand(text_range range, bool reverse) const {
    return reverse ? turned(range, placed_.size()) : range;
  }

  // Adds a cut anchor to the candidate, or begins a new one if it lies between other letters.
  template <class Chain>
  void append_cut(const anchor& cut, text_range in_b, const Chain& from, candidate& current,
                  std::vector<candidate>& to) const {
    text_range a_limits = open_.a.find(cut.a + cut.length / 2);
    anchor used = cut;
    const bool is_new = 2 * open_.a.count({cut.a, cut.a_end()}) > cut.length && a_limits.size() > 0;
    if (is_new) {
      const std::uint64_t begin = std::max(cut.a, a_limits.begin), end = std::min(cut.a_end(), a_limits.end);
      used = {cut.b + (begin - cut.a), begin, end - begin};
    } else {
      a_limits = range_of_record(a_, from.a_record);
    }
    const text_range b_limits = open_.b.find(in_b.begin);
    if (current.anchors.empty() || current.is_new != is_new || current.a_limits.begin != a_limits.begin ||
        current.b_limits.begin != b_limits.begin) {
      finish(current, to);
      current = {from.reverse, is_new, from.a_record, from.b_record, 0, a_limits, b_limits, {}};
    }
    current.anchors.push_back(used);
    current.letters += used.length;
  }

  static void finish(candidate& current, std::vector<candidate>& to) {
    if (current.letters >= min_letters) to.push_back(std::move(current));
    current = {};
  }

  const genome_text &a_, &placed_;
  const open_texts& open_;
};

// Aligns candidates, and keeps those that are long and similar enough.
class block_maker {
public:
  block_maker(const std::vector<backbone_gap>& gaps, const genome_text& a, const genome_text& placed,
              const comparison_options& options)
      : gaps_(gaps), a_(a), placed_(placed), options_(options) {
    std::erase_if(gaps_, [](const backbone_gap& gap) { return gap.a.size() == 0; });
    std::sort(gaps_.begin(), gaps_.end(),
              [](const backbone_gap& x, const backbone_gap& y) { return x.a.begin < y.a.begin; });
  }

  // Returns the block; it has no matches if it is not to be kept.
  [[nodiscard]] genome_block make(const candidate& from) const {
    const bool in_gap = from.is_new && is_in_gap(from);
    genome_block block{block_kind::duplicated, from.a_record, 0, 0, from.b_record, 0, 0, from.reverse, {}};
    if (from.is_new) block.kind = in_gap && from.reverse ? block_kind::inverted : block_kind::moved;
    if (in_gap && !from.reverse) return block; // collinear, and not similar enough
    // Positions of B relative to its limits, on the strand.
    const text_range a_limits =
        near_anchors(from.a_limits, {from.anchors.front().a, from.anchors.back().a_end()});
    const text_range hull{from.anchors.front().b, from.anchors.back().b_end()};
    const text_range limits = near_anchors(from.b_limits, from.reverse ? turned(hull, placed_.size()) : hull);
    std::string letters = placed_.letters.substr(limits.begin, limits.size());
    if (from.reverse) letters = reverse_complement(letters);
    const std::uint64_t first = from.reverse ? turned(limits, placed_.size()).begin : limits.begin;
    std::vector<anchor> anchors = from.anchors;
    for (anchor& each : anchors) each.b -= first;
    aligned_ranges aligned = align_along(std::move(anchors), a_.letters, letters, a_limits,
                                         {0, limits.size()}, alignment_extent::similar, options_);
    const std::uint64_t size = std::max(aligned.a.size(), aligned.b.size());
    if (std::min(aligned.a.size(), aligned.b.size()) < options_.min_block ||
        static_cast<double>(aligned.path.matches) < min_identity * static_cast<double>(size))
      return block;
    block.a_begin = aligned.a.begin, block.a_end = aligned.a.end;
    if (from.reverse) aligned.b = turned(aligned.b, limits.size());
    block.b_begin = limits.begin + aligned.b.begin, block.b_end = limits.begin + aligned.b.end;
    block.path = std::move(aligned.path);
    return block;
  }

private:
  // Returns the part of the limits that is not far from the anchors: what is similar there has anchors of its
  // own.
  static text_range near_anchors(text_range limits, text_range anchors) {
    constexpr std::uint64_t max_extension = std::uint64_t{1} << 16;
    return {anchors.begin - std::min(anchors.begin - limits.begin, max_extension),
            anchors.end + std::min(limits.end - anchors.end, max_extension)};
  }

  // Returns whether the candidate lies in one gap, with its letters of A and with those of B.
  [[nodiscard]] bool is_in_gap(const candidate& from) const {
    const anchor& middle = from.anchors[from.anchors.size() / 2];
    const text_range in_b{middle.b, middle.b_end()};
    const std::uint64_t b = from.reverse ? turned(in_b, placed_.size()).begin : in_b.begin;
    const auto next =
        std::upper_bound(gaps_.begin(), gaps_.end(), middle.a,
                         [](std::uint64_t at, const backbone_gap& gap) { return at < gap.a.begin; });
    if (next == gaps_.begin()) return false;
    const backbone_gap& gap = *std::prev(next);
    return middle.a < gap.a.end && gap.b.begin <= b && b < gap.b.end;
  }

  std::vector<backbone_gap> gaps_; // those with letters of A, by a
  const genome_text &a_, &placed_;
  const comparison_options& options_;
};

} // namespace

open_texts find_open_letters(const std::vector<backbone>& backbones, const std::vector<backbone_gap>& gaps,
                             const genome_text& a, const genome_text& placed) {
  open_texts open;
  for (std::uint64_t record = 0; record < a.begins.size(); ++record) open.a.add(range_of_record(a, record));
  for (std::uint64_t record = 0; record < placed.begins.size(); ++record)
    open.b.add(range_of_record(placed, record));
  for (const backbone& each : backbones) {
    open.a.remove(each.aligned.a);
    open.b.remove(each.aligned.b);
  }
  for (const backbone_gap& gap : gaps) {
    open.a.add(gap.a);
    open.b.add(gap.b);
  }
  return open;
}

std::vector<genome_block> align_others(const std::vector<chain>& chains,
                                       const std::vector<backbone_gap>& gaps, const genome_text& a,
                                       const genome_text& placed, open_texts& open,
                                       const comparison_options& options) {
  const chain_cutter cutter(a, placed, open);
  const block_maker maker(gaps, a, placed, options);
  std::vector<candidate> candidates;
  for (const chain& each : chains) cutter.append_candidates(each, candidates);
  const auto is_lighter = [](const candidate& x, const candidate& y) {
    return std::pair(x.letters, y.anchors.front()) < std::pair(y.letters, x.anchors.front());
  };
  std::make_heap(candidates.begin(), candidates.end(), is_lighter);
  std::vector<genome_block> blocks;
  while (!candidates.empty()) {
    base_detail::check_cancelled(options.run);
    std::pop_heap(candidates.begin(), candidates.end(), is_lighter);
    const candidate best = std::move(candidates.back());
    candidates.pop_back();
    // Blocks that were made meanwhile may have taken letters of the candidate.
    std::vector<candidate> left;
    cutter.append_candidates(best, left);
    if (left.size() != 1 || left.front().letters != best.letters || left.front().is_new != best.is_new) {
      for (candidate& each : left) {
        candidates.push_back(std::move(each));
        std::push_heap(candidates.begin(), candidates.end(), is_lighter);
      }
      continue;
    }
    genome_block block = maker.make(left.front());
    if (block.path.matches == 0) continue;
    open.b.remove({block.b_begin, block.b_end});
    if (left.front().is_new) open.a.remove({block.a_begin, block.a_end});
    blocks.push_back(std::move(block));
  }
  return blocks;
}

} // namespace weft::search_detail
