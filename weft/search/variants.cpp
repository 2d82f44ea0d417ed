#include <weft/search/variants.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <stdexcept>
#include <tuple>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/search/cpu/backbones.hpp>
#include <weft/search/cpu/chains.hpp>
#include <weft/search/cpu/comparison_helpers.hpp>
#include <weft/search/cpu/genome_text.hpp>
#include <weft/search/cpu/other_blocks.hpp>
#include <weft/search/cpu/placement.hpp>
#include <weft/search/cpu/variant_list.hpp>

namespace weft {

namespace search_detail {

namespace {

// Letters of A or of B that a backbone leaves out at one point: from this number on they are looked for
// elsewhere.
constexpr std::uint64_t min_gap = 50;

// Returns how many anchors the memory allows: beside each there are its copies in chains, in placed chains
// and in the order of a backbone.
std::uint64_t max_anchors(const genome_text& a, const genome_text& b, const comparison_options& options) {
  constexpr std::uint64_t copies = 6;
  const std::uint64_t limit = memory_limit(options.run.memory), texts = memory_of_texts(a.size(), b.size());
  return (limit - std::min(limit, texts)) / (copies * sizeof(anchor));
}

strand_anchors find_anchors(const genome_text& a, const genome_text& b, const genome_text& b_reverse,
                            const comparison_options& options) {
  const std::uint64_t limit = max_anchors(a, b, options);
  if (options.helpers != nullptr && options.helpers->are_worthwhile(a.size() + b.size()))
    return options.helpers->find_anchors(a, b, b_reverse, options.min_match, limit, options.run);
  const kmer_table table(a, options.min_match, options.run);
  anchor_search search(table, a, b, b_reverse, limit, options.run);
  search.search_stretches(join_stretches(search.search_chunks()));
  return search.take();
}

// Returns the chains on both strands of B as it was given.
std::vector<chain> find_chains(const genome_text& a, const genome_text& b,
                               const comparison_options& options) {
  const genome_text b_reverse = reverse_complement(b);
  const strand_anchors anchors = find_anchors(a, b, b_reverse, options);
  // Two genomes of n letters have about n^2 / 4^k matches of k letters by chance. A chain needs more letters
  // than such a match, unless the genomes are small.
  const double log_size = std::log2(static_cast<double>(a.size()) + static_cast<double>(b.size()));
  const auto min_score = std::max(options.min_match, static_cast<std::uint64_t>(log_size + 8));
  std::vector<chain> chains;
  append_chains(anchors.forward, a, b, false, min_score, options.run, chains);
  append_chains(anchors.reverse, a, b_reverse, true, min_score, options.run, chains);
  return chains;
}

// Returns the gaps that contain letters of inverted or moved blocks, without the ends that no block needs.
// `open` has the letters that are in no block.
std::vector<backbone_gap> gaps_with_letters_of(const std::vector<genome_block>& others,
                                               const std::vector<backbone_gap>& gaps,
                                               const open_texts& open) {
  open_texts taken;
  for (const genome_block& block : others) {
    if (block.kind == block_kind::duplicated) continue;
    taken.a.add({block.a_begin, block.a_end});
    taken.b.add({block.b_begin, block.b_end});
  }
  std::vector<backbone_gap> result;
  for (const backbone_gap& gap : gaps)
    if (taken.a.count(gap.a) > 0 || taken.b.count(gap.b) > 0)
      result.push_back(without_open_ends(gap, open.a, open.b));
  return result;
}

// Returns the stretches of the records that are not in `covered`, which has positions of the text.
std::vector<genome_stretch> uncovered(const genome_text& text, const open_letters& covered) {
  std::vector<genome_stretch> stretches;
  for (std::uint64_t record = 0; record < text.begins.size(); ++record) {
    const std::uint64_t begin = text.begins[record];
    std::uint64_t done = begin;
    const auto append = [&](std::uint64_t end) {
      if (end > done) stretches.push_back({record, done - begin, end - begin});
    };
    covered.visit({begin, begin + text.sizes[record]}, [&](text_range part) {
      append(part.begin);
      done = part.end;
    });
    append(begin + text.sizes[record]);
  }
  return stretches;
}

// Replaces positions of the texts by positions of the records.
void make_relative(std::vector<genome_block>& blocks, const genome_text& a, const genome_text& b) {
  for (genome_block& block : blocks) {
    block.a_begin -= a.begins[block.a_record], block.a_end -= a.begins[block.a_record];
    block.b_begin -= b.begins[block.b_record], block.b_end -= b.begins[block.b_record];
  }
}

void find_stretches(const genome_text& a, const genome_text& b, genome_comparison& found) {
  open_texts covered;
  for (const genome_block& block : found.blocks) {
    const std::uint64_t a_begin = a.begins[block.a_record], b_begin = b.begins[block.b_record];
    covered.a.add({a_begin + block.a_begin, a_begin + block.a_end});
    covered.b.add({b_begin + block.b_begin, b_begin + block.b_end});
  }
  found.missing = uncovered(a, covered.a);
  found.added = uncovered(b, covered.b);
}

void list_all_variants(const genome_text& a, const genome_text& b, genome_comparison& found) {
  for (std::uint64_t i = 0; i < found.blocks.size(); ++i) {
    const genome_block& block = found.blocks[i];
    if (block.kind == block_kind::duplicated) continue;
    std::vector<genome_variant> of_block =
        list_variants(block, i, a.record(block.a_record), b.record(block.b_record));
    std::move(of_block.begin(), of_block.end(), std::back_inserter(found.variants));
  }
  const auto is_before = [](const genome_variant& x, const genome_variant& y) {
    return std::tuple(x.a_record, x.begin, x.reference.size()) <
           std::tuple(y.a_record, y.begin, y.reference.size());
  };
  if (!std::is_sorted(found.variants.begin(), found.variants.end(), is_before))
    std::stable_sort(found.variants.begin(), found.variants.end(), is_before);
}

// Returns the work that is left when tables, anchors and backbones have added theirs, perhaps in other
// processes.
std::uint64_t work_left(const genome_text& a, const genome_text& b, const std::vector<backbone>& backbones) {
  std::uint64_t done = a.size() / 2 + b.size() / 2;
  for (const backbone& each : backbones) done += (each.aligned.a.size() + each.aligned.b.size()) / 2;
  return a.size() + b.size() - std::min(a.size() + b.size(), done);
}

// What a comparison needs and returns.
struct comparison_problem {
  const sequences_view &a, &b;
  const comparison_options& options;
  genome_comparison found;
};

void compare(comparison_problem& problem) {
  const comparison_options& options = problem.options;
  const genome_text a = make_text(problem.a, separator_of_a, options.run.threads);
  const genome_text b = make_text(problem.b, separator_of_b, options.run.threads);
  genome_comparison& found = problem.found;
  const std::uint64_t total = a.size() + b.size();
  task_monitor* const monitor = options.run.monitor;
  if (monitor != nullptr) monitor->set_total(total);
  std::vector<chain> chains = find_chains(a, b, options);
  found.placements = assign_records(chains, a, b);
  chains = arrange_chains(chains, b, found.placements);
  const genome_text placed = arrange_text(b, found.placements);
  const std::vector<backbone> backbones = align_backbones(chains, a, placed, found.placements, options);
  const std::vector<backbone_gap> gaps = find_gaps(backbones, min_gap);
  open_texts open = find_open_letters(backbones, gaps, a, placed);
  std::vector<genome_block> others = align_others(chains, gaps, a, placed, open, options);
  found.blocks = divide_backbones(backbones, gaps_with_letters_of(others, gaps, open));
  std::move(others.begin(), others.end(), std::back_inserter(found.blocks));
  make_relative(found.blocks, a, placed);
  unplace_blocks(found.blocks, b, found.placements);
  std::stable_sort(found.blocks.begin(), found.blocks.end(),
                   [](const genome_block& x, const genome_block& y) {
                     return std::tuple(x.a_record, x.a_begin, x.b_record, x.b_begin) <
                            std::tuple(y.a_record, y.a_begin, y.b_record, y.b_begin);
                   });
  find_stretches(a, b, found);
  list_all_variants(a, b, found);
  base_detail::add_work(options.run, work_left(a, b, backbones));
}

class anchors_engine final : public base_detail::engine<comparison_problem> {
public:
  anchors_engine() : engine("anchors", "any processor", device_kind::cpu) {}
  [[nodiscard]] std::string why_not(const comparison_problem&) const override { return ""; }
  [[nodiscard]] double estimated_seconds(const comparison_problem& problem) const override {
    return 4e-8 * static_cast<double>(problem.a.data.size() + problem.b.data.size());
  }
  void run(comparison_problem& problem) const override { compare(problem); }
};

const base_detail::engine_list<comparison_problem>& comparison_engine_list() {
  static const anchors_engine anchors;
  static const base_detail::engine_list<comparison_problem> list("compare_genomes", {&anchors});
  return list;
}

// Throws unless the options are in range and the memory suffices.
void check(const sequences_view& a, const sequences_view& b, const comparison_options& options) {
  check_sequences(a, "compare_genomes");
  check_sequences(b, "compare_genomes");
  if (options.min_match < 8 || options.min_match > 31)
    throw std::invalid_argument("compare_genomes: min_match must be between 8 and 31");
  if (options.min_block == 0) throw std::invalid_argument("compare_genomes: min_block must be at least 1");
  check_lcs_options({.metric = lcs_metric::affine, .penalties = options.penalties});
  check_memory(a.data.size(), b.data.size(), options.run);
}

} // namespace

std::uint64_t memory_of_texts(std::uint64_t a_size, std::uint64_t b_size) {
  return a_size + 3 * b_size + kmer_table::memory(a_size);
}

void check_memory(std::uint64_t a_size, std::uint64_t b_size, const run_options& run) {
  const std::uint64_t needed = memory_of_texts(a_size, b_size);
  if (run.memory != 0 && needed > run.memory)
    throw memory_error(
        fmt::format("comparing genomes of {} and {} letters takes {} of memory, but only {} is allowed",
                    a_size, b_size, format_size(needed), format_size(run.memory)));
}

} // namespace search_detail

genome_comparison compare_genomes(const sequences_view& a, const sequences_view& b,
                                  const comparison_options& options) {
  search_detail::check(a, b, options);
  base_detail::run_record record(options.run, "letters");
  search_detail::comparison_problem problem{a, b, options, {}};
  const auto& list = search_detail::comparison_engine_list();
  list.check(options.run);
  record.set_engine(list.solve(problem, options.run).name());
  record.set_work(a.data.size() + b.data.size());
  return std::move(problem.found);
}

std::vector<engine_info> comparison_engines() { return search_detail::comparison_engine_list().list(); }

} // namespace weft
