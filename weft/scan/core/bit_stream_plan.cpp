// Makes variants of rows: decides which gaps are written out, which elements a filter uses, and which classes
// get a stream.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <weft/base/parallel.hpp>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace weft::scan_detail {
namespace {

constexpr std::uint64_t max_slack = 64;
constexpr std::size_t max_variants = 64;
constexpr double boundary_rate = 1.0 / 400;

std::array<double, 256> byte_rates(alphabet letters) {
  std::array<double, 256> rates{};
  const auto set = [&](std::string_view names, auto&& rate) {
    for (std::size_t i = 0; i < names.size(); ++i) rates[static_cast<unsigned char>(names[i])] = rate(i);
  };
  if (letters == alphabet::protein) { // percent of residues in Swiss-Prot
    static constexpr double percent[] = {8.25, 1.38, 5.46, 6.71, 3.86, 7.07, 2.27, 5.91, 5.80, 9.64,
                                         2.41, 4.06, 4.74, 3.93, 5.53, 6.65, 5.36, 6.86, 1.10, 2.92};
    set("ACDEFGHIKLMNPQRSTVWY", [](std::size_t i) { return percent[i] / 100; });
  } else if (letters == alphabet::dna) {
    set("ACGT", [](std::size_t) { return 0.25; });
  } else {
    std::fill(rates.begin(), rates.end(), 1.0 / 256);
  }
  return rates;
}

struct filter_choice {                // the elements of a variant's filter
  std::vector<stream_check> elements; // the rarest first
  std::size_t filters = 0;
  double cost = 0;
};

struct row_layout { // a row from some segment on, with the next gaps written out
  std::vector<stream_check> elements;
  std::uint64_t length = 0;
  std::uint32_t next_segment = 0;
  bool complete = false, late = false;
  std::uint64_t slack = 0, lead = 0;
  filter_choice filter; // set by best_layout()
};

// Makes the variants of a plan whose rows, segments and classes exist.
class variant_builder {
public:
  variant_builder(bit_stream_plan& plan, alphabet letters, const stream_costs& costs)
      : plan_(plan), costs_(costs), rates_(byte_rates(letters)), segment_checks_(plan.checks.size()) {
    for (const byte_class& c : plan_.classes) {
      double rate = 1e-5;
      for (unsigned b = 0; b < 256; ++b)
        if (c.has(static_cast<unsigned char>(b))) rate += rates_[b];
      rate_.push_back(std::min(rate, 1.0));
    }
    rate_.push_back(boundary_rate);
    boundary_ = static_cast<std::uint32_t>(plan_.classes.size());
    stream_.resize(rate_.size());
    std::iota(stream_.begin(), stream_.end(), 0U);
  }

  void run(const std::function<bool(const bit_stream_plan&)>& fits) {
    std::vector<double> uses(rate_.size(), 0);
    for_rows(
        [&](std::uint32_t r) {
          std::vector<class_worth> of_row;
          for (const row_layout& v : best_layout(plan_.rows[r])) append_uses(v, of_row);
          return of_row;
        },
        [&](std::uint32_t, const std::vector<class_worth>& of_row) {
          for (const class_worth& use : of_row) uses[use.cls] += use.worth;
        });
    // choose_streams returns classes by descending benefit, so a prefix of its result is the best smaller
    // choice.
    const std::vector<std::uint32_t> chosen = choose_streams(plan_.classes, rate_, uses, costs_.max_streams);
    for (std::size_t streams = costs_.max_streams;; streams -= std::min<std::size_t>(streams, 16)) {
      append_all_variants(std::span(chosen).first(std::min(streams, chosen.size())));
      if (streams == 0 || !fits || fits(plan_)) break;
    }
    for (const stream_segment& s : plan_.segments) sort_checks(s.first_check, s.last_check);
    plan_.class_rates = rate_;
  }

private:
  // The worth of a stream for class `cls` to one use of the class.
  struct class_worth {
    std::uint32_t cls;
    double worth;
  };

  // Calls take(r, work(r)) for each row, in order. If there are many rows, all processors share the work.
  template <class Work, class Take> void for_rows(const Work& work, const Take& take) const {
    constexpr std::size_t block = 4096, min_parallel_rows = 2048;
    const std::size_t rows = plan_.rows.size();
    for (std::size_t first = 0; first < rows; first += block) {
      std::vector<decltype(work(0U))> made(std::min(block, rows - first));
      parallel_for(0, made.size(), 32, rows < min_parallel_rows ? 1 : 0,
                   [&](std::uint64_t i, std::uint64_t last) {
                     for (; i < last; ++i) made[i] = work(static_cast<std::uint32_t>(first + i));
                   });
      for (std::size_t i = 0; i < made.size(); ++i) take(static_cast<std::uint32_t>(first + i), made[i]);
    }
  }

  // Returns the layout of the row from segment `from` on, with the gaps behind that segment as given. Offsets
  // count from the start of the match if all gaps before the segment are as short as possible; if
  // costs_.leads, those of a late layout count from its own first residue.
  row_layout lay_out(const stream_row& row, std::uint32_t from, std::span<const std::uint64_t> gaps) const {
    row_layout result;
    for (std::uint32_t s = row.first_segment; s <= from; ++s) {
      const stream_segment& segment = plan_.segments[s];
      result.slack += segment.gap_max - segment.gap_min;
      result.length += segment.gap_min + (s < from ? segment.length : 0);
    }
    result.late = from != row.first_segment;
    if (result.late && costs_.leads) std::swap(result.length, result.lead);
    result.next_segment = from + static_cast<std::uint32_t>(gaps.size()) + 1;
    result.complete = !result.late && result.next_segment >= row.last_segment;
    for (std::uint32_t s = from; s < result.next_segment; ++s) {
      const stream_segment& segment = plan_.segments[s];
      if (s != from) {
        const std::uint64_t gap = gaps[s - from - 1];
        for (std::uint64_t i = 0; i < gap && segment.gap_class >= 0; ++i)
          result.elements.push_back(
              {static_cast<std::uint32_t>(result.length + i), static_cast<std::uint32_t>(segment.gap_class)});
        result.length += gap;
      }
      for (std::uint32_t c = segment.first_check; c < segment.last_check; ++c)
        result.elements.push_back(
            {static_cast<std::uint32_t>(result.length + plan_.checks[c].offset), plan_.checks[c].cls});
      result.length += segment.length;
    }
    return result;
  }

  // Chooses the elements of the filter: the rarest, as long as another element costs less than it saves.
  filter_choice choose_filter(const stream_row& row, const row_layout& v) const {
    filter_choice result;
    for (const stream_check& e : v.elements)
      if (e.offset < costs_.offsets && stream_[e.cls] != none)
        result.elements.push_back({e.offset, stream_[e.cls]});
    if (row.anchor_n && !v.late) result.elements.push_back({0, boundary_});
    if (row.anchor_c && v.complete && v.length < costs_.offsets)
      result.elements.push_back({static_cast<std::uint32_t>(v.length), boundary_});
    const auto key = [&](const stream_check& e) { return std::tuple(rate_[e.cls], e.cls, e.offset); };
    std::sort(result.elements.begin(), result.elements.end(),
              [&](const stream_check& a, const stream_check& b) { return key(a) < key(b); });
    choose_filter_size(v, result);
    return result;
  }

  // Sets the filter's size and cost for the elements in their order.
  void choose_filter_size(const row_layout& v, filter_choice& result) const {
    const std::vector<stream_check>& elements = result.elements;
    const double rows = !v.late ? (v.complete ? 0 : 1) : static_cast<double>(v.slack + 1),
                 candidate = !v.late ? costs_.candidate : costs_.late_candidate * rows;
    double candidates = 512;
    result.cost = HUGE_VAL;
    for (std::size_t k = 0; k < std::min(elements.size(), costs_.max_filters); ++k) {
      candidates *= rate_[elements[k].cls];
      if (k + 1 < std::min(elements.size(), costs_.min_filters)) continue;
      double cost = costs_.variant + costs_.load * static_cast<double>(k + 1);
      cost += costs_.tile_words == 0
                  ? candidates * candidate
                  : second_elements_cost(elements, k + 1, candidates, costs_.candidate + costs_.row * rows);
      if (cost < result.cost) result.cost = cost, result.filters = k + 1;
    }
  }

  // Appends the classes that the filter uses, and what each is worth. If second elements count, the worth of
  // a class is what its element saves: at most about the cost of a variant, so that a few motifs with few
  // elements do not take all streams, and at least a very small value, because for a variant with few
  // elements the cost may fall when an element is left out.
  void append_uses(const row_layout& v, std::vector<class_worth>& uses) const {
    const filter_choice& c = v.filter;
    constexpr double min_worth = 1e-6, max_worth = 1;
    for (std::size_t i = 0; i < (costs_.tile_words == 0 ? c.filters : c.elements.size()); ++i) {
      double worth = 1;
      if (costs_.tile_words != 0) {
        filter_choice without = c;
        without.elements.erase(without.elements.begin() + static_cast<std::ptrdiff_t>(i));
        choose_filter_size(v, without);
        worth = std::clamp(without.cost - c.cost, min_worth, max_worth);
      }
      uses.push_back({c.elements[i].cls, worth});
    }
  }

  // Returns the cost of testing the second elements and of checking the candidates that pass them.
  double second_elements_cost(const std::vector<stream_check>& elements, std::size_t filters, double left,
                              double candidate) const {
    double cost = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      cost += costs_.second * (1 - std::exp(-left * costs_.tile_words)) / costs_.tile_words;
      for (std::size_t i = 0; i < costs_.second_elements / 2 && filters < elements.size(); ++i)
        left *= rate_[elements[filters++].cls];
    }
    return cost + left * candidate;
  }

  // Returns all layouts that write out the first `gaps` gaps behind segment `from`, or none if there are too
  // many.
  std::vector<row_layout> layouts(const stream_row& row, std::uint32_t from, std::size_t gaps) const {
    std::vector<std::uint64_t> gap_lengths(gaps);
    const auto gap = [&](std::size_t i) -> const stream_segment& { return plan_.segments[from + 1 + i]; };
    double num_layouts = 1;
    for (std::size_t i = 0; i < gaps; ++i) {
      num_layouts *= static_cast<double>(gap(i).gap_max - gap(i).gap_min) + 1;
      gap_lengths[i] = gap(i).gap_min;
    }
    std::vector<row_layout> result;
    if (num_layouts > static_cast<double>(max_variants)) return result;
    for (;;) {
      result.push_back(lay_out(row, from, gap_lengths));
      std::size_t i = 0;
      while (i < gaps && gap_lengths[i] == gap(i).gap_max) gap_lengths[i] = gap(i).gap_min, ++i;
      if (i == gaps) return result;
      ++gap_lengths[i];
    }
  }

  std::vector<row_layout> best_layout(const stream_row& row) const {
    std::vector<row_layout> best;
    if (row.max_length > costs_.max_row_length && !(row.anchor_n && costs_.anchored_of_any_length))
      return best;
    double min_cost = HUGE_VAL;
    std::uint64_t slack = 0;
    for (std::uint32_t from = row.first_segment; from < row.last_segment; ++from) {
      slack += plan_.segments[from].gap_max - plan_.segments[from].gap_min;
      if (from != row.first_segment && (row.anchor_n || slack > max_slack)) break;
      for (std::size_t gaps = 0; gaps < row.last_segment - from; ++gaps) {
        std::vector<row_layout> layouts_of_split = layouts(row, from, gaps);
        if (layouts_of_split.empty()) break;
        double cost = costs_.late * static_cast<double>(slack);
        for (row_layout& v : layouts_of_split) {
          v.filter = choose_filter(row, v);
          cost += v.length + v.lead < 0x10000U ? v.filter.cost : HUGE_VAL;
        }
        if (cost < min_cost) min_cost = cost, best = std::move(layouts_of_split);
      }
    }
    return best;
  }

  // Replaces the variants of the plan by variants of all rows that use streams of the classes `kept` only.
  void append_all_variants(std::span<const std::uint32_t> kept) {
    plan_.variants.clear();
    plan_.filter_elements.clear();
    plan_.late_rows.clear();
    plan_.dense_rows.clear();
    plan_.checks.resize(segment_checks_);
    restrict_streams(kept);
    for_rows([&](std::uint32_t r) { return best_layout(plan_.rows[r]); },
             [&](std::uint32_t r, const std::vector<row_layout>& best) { append_variants(r, best); });
  }

  // Gives each class the stream that serves it: of the classes `kept` that contain it, the rarest.
  void restrict_streams(std::span<const std::uint32_t> kept) {
    for (std::uint32_t c = 0; c < boundary_; ++c) {
      stream_[c] = none;
      for (const std::uint32_t k : kept)
        if (plan_.classes[c].is_subset_of(plan_.classes[k]) &&
            (stream_[c] == none || rate_[k] < rate_[stream_[c]]))
          stream_[c] = k;
    }
  }

  void append_variants(std::uint32_t r, const std::vector<row_layout>& best) {
    if (best.empty())
      plan_.dense_rows.push_back(r);
    else if (best[0].late)
      plan_.late_rows.push_back({r, static_cast<std::uint32_t>(best[0].slack)});
    for (const row_layout& v : best) append_variant(r, v);
  }

  void append_variant(std::uint32_t r, const row_layout& v) {
    const stream_row& row = plan_.rows[r];
    filter_choice c = v.filter;
    stream_variant made{};
    made.row = r;
    made.motif = row.motif;
    made.next_segment = v.next_segment;
    made.first_element = static_cast<std::uint32_t>(plan_.filter_elements.size());
    made.filters = static_cast<std::uint32_t>(c.filters);
    made.length = static_cast<std::uint32_t>(v.length);
    made.complete = v.complete;
    made.late = v.late;
    made.slack = static_cast<std::uint32_t>(v.slack);
    made.lead = static_cast<std::uint32_t>(v.lead);
    made.anchor_n = row.anchor_n;
    if (v.length > 1 && !v.late)
      made.interior = ~std::uint64_t{0} >> (65 - std::min<std::uint64_t>(v.length, 64));
    if (v.complete && row.anchor_c && v.length <= 64) made.last_boundary = std::uint64_t{1} << (v.length - 1);
    c.elements.resize(c.filters + costs_.second_elements, c.elements[0]);
    plan_.filter_elements.insert(plan_.filter_elements.end(), c.elements.begin(), c.elements.end());
    made.first_check = static_cast<std::uint32_t>(plan_.checks.size());
    for (const stream_check& e : v.elements)
      if (std::find(c.elements.begin(), c.elements.end(), e) == c.elements.end()) plan_.checks.push_back(e);
    made.last_check = static_cast<std::uint32_t>(plan_.checks.size());
    sort_checks(made.first_check, made.last_check);
    plan_.variants.push_back(made);
  }

  void sort_checks(std::uint32_t first, std::uint32_t last) {
    std::stable_sort(
        plan_.checks.begin() + first, plan_.checks.begin() + last,
        [&](const stream_check& a, const stream_check& b) { return rate_[a.cls] < rate_[b.cls]; });
  }

  static constexpr std::uint32_t none = 0xffffffffU;
  bit_stream_plan& plan_;
  const stream_costs& costs_;
  std::array<double, 256> rates_;
  std::vector<double> rate_;          // of each class, then of sequence starts
  std::vector<std::uint32_t> stream_; // of each class: the class whose stream serves it
  std::uint32_t boundary_ = 0;
  std::size_t segment_checks_; // number of checks of segments in plan_.checks; those of variants follow
};

} // namespace

bit_stream_plan plan_variants(std::span<const motif> motifs, alphabet letters, edge which,
                              const stream_costs& costs,
                              const std::function<bool(const bit_stream_plan&)>& fits) {
  bit_stream_plan plan;
  plan.which = which;
  plan.motifs = static_cast<std::uint32_t>(motifs.size());
  class_ids ids;
  for (std::uint32_t m = 0; m < motifs.size(); ++m) append_stream_rows(motifs[m], m, ids, plan);
  variant_builder(plan, letters, costs).run(fits);
  return plan;
}

} // namespace weft::scan_detail
