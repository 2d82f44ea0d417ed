#include <weft/search/cpu/backbones.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <weft/search/cpu/placement.hpp>

namespace weft::search_detail {

namespace {

text_range range_of_record(const genome_text& text, std::uint64_t record) {
  return {text.begins[record], text.begins[record] + text.sizes[record]};
}

// The chains of a record of the placed text on the record of A on which it is placed, and the letters in
// them.
struct record_chains {
  std::uint64_t b_record = 0, letters = 0;
  std::vector<anchor> anchors;
};

// Returns the chains of each record, without those at least half of which lie beside a heavier one in B: in
// repeats such chains lead along wrong diagonals.
std::vector<record_chains> collect_chains(const std::vector<chain>& chains,
                                          const std::vector<genome_placement>& placements) {
  std::vector<record_chains> of_record(placements.size());
  for (std::uint64_t record = 0; record < placements.size(); ++record) of_record[record].b_record = record;
  std::vector<const chain*> by_score;
  for (const chain& each : chains)
    if (!each.reverse && each.a_record == placements[each.b_record].a_record) by_score.push_back(&each);
  std::stable_sort(by_score.begin(), by_score.end(),
                   [](const chain* x, const chain* y) { return x->score > y->score; });
  open_letters taken;
  for (const chain* each : by_score) {
    const text_range in_b{each->anchors.front().b, each->anchors.back().b_end()};
    if (2 * taken.count(in_b) >= in_b.size()) continue;
    taken.add(in_b);
    record_chains& to = of_record[each->b_record];
    to.anchors.insert(to.anchors.end(), each->anchors.begin(), each->anchors.end());
    for (const anchor& one : each->anchors) to.letters += one.length;
  }
  std::erase_if(of_record, [](const record_chains& each) { return each.anchors.empty(); });
  // Where two records of B have the same letters of A, the one with more letters takes them.
  std::stable_sort(of_record.begin(), of_record.end(),
                   [](const auto& x, const auto& y) { return x.letters > y.letters; });
  return of_record;
}

// Moves the open part of each anchor with at least half of its letters to the result.
std::vector<anchor> cut_to(const open_letters& open_of_a, const std::vector<anchor>& anchors) {
  std::vector<anchor> result;
  for (const anchor& each : anchors) {
    const std::uint64_t middle = each.a + each.length / 2;
    const text_range open = open_of_a.find(middle);
    if (open.size() == 0) continue;
    const std::uint64_t begin = std::max(each.a, open.begin), end = std::min(each.a_end(), open.end);
    result.push_back({each.b + (begin - each.a), begin, end - begin});
  }
  return result;
}

// Of anchors that ascend in both texts, returns the part with the most letters in which no two neighbours are
// in different open ranges of A or far apart in one of the texts only.
std::vector<anchor> heaviest_part(const std::vector<anchor>& anchors, const open_letters& open_of_a) {
  constexpr std::uint64_t max_jump = 50000;
  std::size_t best_begin = 0, best_end = 0, begin = 0;
  std::uint64_t best = 0, letters = 0;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const bool belongs =
        i > 0 && open_of_a.find(anchors[i].a).begin == open_of_a.find(anchors[i - 1].a).begin &&
        static_cast<std::uint64_t>(std::abs(anchors[i].diagonal() - anchors[i - 1].diagonal())) <= max_jump;
    if (!belongs) begin = i, letters = 0;
    letters += anchors[i].length;
    if (letters > best) best = letters, best_begin = begin, best_end = i + 1;
  }
  return {anchors.begin() + static_cast<std::ptrdiff_t>(best_begin),
          anchors.begin() + static_cast<std::ptrdiff_t>(best_end)};
}

} // namespace

std::vector<backbone> align_backbones(const std::vector<chain>& chains, const genome_text& a,
                                      const genome_text& placed,
                                      const std::vector<genome_placement>& placements,
                                      const comparison_options& options) {
  open_letters open_of_a;
  open_of_a.add({0, a.size()});
  std::vector<backbone> backbones;
  for (record_chains& each : collect_chains(chains, placements)) {
    const genome_placement& placement = placements[each.b_record];
    std::vector<anchor> anchors = cut_to(open_of_a, each.anchors);
    each.anchors = {};
    std::sort(anchors.begin(), anchors.end());
    anchors = find_heaviest_sequence(anchors);
    if (anchors.empty()) continue;
    text_range a_range = range_of_record(a, placement.a_record);
    const text_range b_range = range_of_record(placed, each.b_record);
    if (!placement.is_partner) { // the letters beside the anchors may be in another backbone
      anchors = heaviest_part(anchors, open_of_a);
      const text_range open = open_of_a.find(anchors.front().a);
      a_range = {std::max(a_range.begin, open.begin), std::min(a_range.end, open.end)};
    }
    backbones.push_back(
        {placement.a_record, each.b_record,
         align_along(std::move(anchors), a.letters, placed.letters, a_range, b_range,
                     placement.is_partner ? alignment_extent::whole : alignment_extent::similar, options)});
    const aligned_ranges& aligned = backbones.back().aligned;
    open_of_a.remove(aligned.a);
    base_detail::add_work(options.run, (aligned.a.size() + aligned.b.size()) / 2);
  }
  std::sort(backbones.begin(), backbones.end(),
            [](const backbone& x, const backbone& y) { return x.b_record < y.b_record; });
  return backbones;
}

std::vector<backbone_gap> find_gaps(const std::vector<backbone>& backbones, std::uint64_t min_size) {
  constexpr std::uint64_t min_end = 8;
  std::vector<backbone_gap> gaps;
  for (std::size_t i = 0; i < backbones.size(); ++i) {
    const aligned_ranges& aligned = backbones[i].aligned;
    const std::vector<edit_run>& runs = aligned.path.runs;
    // Returns the number of runs, from `at` on in steps of `step`, of a weak end beside a gap.
    const auto weak_end = [&](std::ptrdiff_t at, std::ptrdiff_t step) -> std::size_t {
      const auto run = [&](std::ptrdiff_t t) {
        return t < 0 || t >= std::ssize(runs) ? edit_run{edit_op::remove, 0}
                                              : runs[static_cast<std::size_t>(t)];
      };
      const bool matches = run(at).op == edit_op::match;
      if (matches && run(at).length >= min_end) return 0;
      return run(at + (matches ? step : 0)).op == edit_op::substitute ? (matches ? 2 : 1) : 0;
    };
    std::vector<letter_counts> ends(runs.size() + 1); // letters before each run
    for (std::size_t t = 0; t < runs.size(); ++t) {
      const letter_counts letters = count_letters(runs[t]);
      ends[t + 1] = {ends[t].a + letters.a, ends[t].b + letters.b};
    }
    const auto is_gap = [&](std::size_t t) {
      return runs[t].op == edit_op::remove || runs[t].op == edit_op::insert;
    };
    for (std::size_t first = 0, last = 0; first < runs.size(); first = last + 1) {
      for (last = first; last < runs.size() && is_gap(last);) ++last;
      if (ends[last].a - ends[first].a < min_size && ends[last].b - ends[first].b < min_size) continue;
      const std::size_t begin = first - weak_end(static_cast<std::ptrdiff_t>(first) - 1, -1),
                        end = last + weak_end(static_cast<std::ptrdiff_t>(last), 1);
      const auto in_a = [&](std::size_t x, std::size_t y) {
        return text_range{aligned.a.begin + ends[x].a, aligned.a.begin + ends[y].a};
      };
      const auto in_b = [&](std::size_t x, std::size_t y) {
        return text_range{aligned.b.begin + ends[x].b, aligned.b.begin + ends[y].b};
      };
      gaps.push_back({i, in_a(begin, end), in_b(begin, end), in_a(first, last), in_b(first, last)});
    }
  }
  return gaps;
}

backbone_gap without_open_ends(backbone_gap gap, const open_letters& open_of_a,
                               const open_letters& open_of_b) {
  constexpr std::uint64_t min_size = 4; // a substitution, and more matches than it costs
  const auto is_open = [&](text_range in_a, text_range in_b) {
    return in_a.size() >= min_size && open_of_a.count(in_a) == in_a.size() &&
           open_of_b.count(in_b) == in_b.size();
  };
  if (is_open({gap.a.begin, gap.inner_a.begin}, {gap.b.begin, gap.inner_b.begin}))
    gap.a.begin = gap.inner_a.begin, gap.b.begin = gap.inner_b.begin;
  if (is_open({gap.inner_a.end, gap.a.end}, {gap.inner_b.end, gap.b.end}))
    gap.a.end = gap.inner_a.end, gap.b.end = gap.inner_b.end;
  return gap;
}

std::vector<genome_block> divide_backbones(const std::vector<backbone>& backbones,
                                           const std::vector<backbone_gap>& gaps) {
  std::vector<genome_block> blocks;
  auto gap = gaps.begin();
  for (std::size_t i = 0; i < backbones.size(); ++i) {
    const backbone& from = backbones[i];
    std::uint64_t a = from.aligned.a.begin, b = from.aligned.b.begin;
    genome_block block;
    const auto begin_block = [&] {
      block = {block_kind::collinear, from.a_record, a, a, from.b_record, b, b, false, {}};
    };
    const auto end_block = [&] {
      block.a_end = a, block.b_end = b;
      if (block.path.matches > 0) blocks.push_back(std::move(block));
    };
    begin_block();
    for (const edit_run& run : from.aligned.path.runs) {
      const letter_counts letters = count_letters(run);
      if (gap != gaps.end() && gap->backbone == i && a >= gap->a.begin && b >= gap->b.begin) {
        if (a == gap->a.begin && b == gap->b.begin) end_block();
        a += letters.a, b += letters.b;
        if (a == gap->a.end && b == gap->b.end) ++gap;
        begin_block();
        continue;
      }
      a += letters.a, b += letters.b;
      append(block.path, run.op, run.length);
    }
    end_block();
  }
  return blocks;
}

} // namespace weft::search_detail
