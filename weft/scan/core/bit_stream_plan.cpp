// Rows to variants: which gaps are written out, which elements the filter uses, which classes get a stream.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <weft/base/parallel.hpp>
#include <weft/scan/core/bit_stream_plan.hpp>
#include <weft/scan/core/stream_choice.hpp>

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
  if (letters == alphabet::protein) { // percent of Swiss-Prot
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

struct choice {                       // of a variant's filter
  std::vector<stream_check> elements; // by rate
  std::size_t filters = 0;
  double cost = 0;
};

struct laid_out { // a row from some segment on, with the next gaps written out
  std::vector<stream_check> elements;
  std::uint64_t length = 0;
  std::uint32_t next_segment = 0;
  bool complete = false, late = false;
  std::uint64_t slack = 0, lead = 0;
  choice filter; // of best_layout()
};

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
          std::vector<class_use> of_row;
          for (const laid_out& v : best_layout(plan_.rows[r])) append_uses(v, of_row);
          return of_row;
        },
        [&](std::uint32_t, const std::vector<class_use>& of_row) {
          for (const class_use& use : of_row) uses[use.cls] += use.worth;
        });
    // What fewer would be is what comes first of them.
    const std::vector<std::uint32_t> chosen = choose_streams(plan_.classes, rate_, uses, costs_.max_streams);
    for (std::size_t streams = costs_.max_streams;; streams -= std::min<std::size_t>(streams, 16)) {
      append_all_variants(std::span(chosen).first(std::min(streams, chosen.size())));
      if (streams == 0 || !fits || fits(plan_)) break;
    }
    for (const stream_segment& s : plan_.segments) sort_checks(s.first_check, s.last_check);
    plan_.class_rates = rate_;
  }

private:
  struct class_use {
    std::uint32_t cls;
    double worth;
  };

  // take(r, work(r)) in order; the work on all processors, where there is much.
  template <class Work, class Take> void for_rows(const Work& work, const Take& take) const {
    constexpr std::size_t block = 4096, much = 2048;
    const std::size_t rows = plan_.rows.size();
    for (std::size_t first = 0; first < rows; first += block) {
      std::vector<decltype(work(0U))> made(std::min(block, rows - first));
      parallel_for(0, made.size(), 32, rows < much ? 1 : 0, [&](std::uint64_t i, std::uint64_t last) {
        for (; i < last; ++i) made[i] = work(static_cast<std::uint32_t>(first + i));
      });
      for (std::size_t i = 0; i < made.size(); ++i) take(static_cast<std::uint32_t>(first + i), made[i]);
    }
  }

  // The row from segment `from` on, with these gaps after it. Its first residue stands where it does when all
  // gaps before are least, or if it may lead, at 0.
  laid_out lay_out(const stream_row& row, std::uint32_t from, std::span<const std::uint64_t> gaps) const {
    laid_out result;
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

  // Which elements the filter uses: the rarest, as long as one more costs less than what it saves.
  choice choose(const stream_row& row, const laid_out& v) const {
    choice result;
    for (const stream_check& e : v.elements)
      if (e.offset < costs_.offsets && stream_[e.cls] != none)
        result.elements.push_back({e.offset, stream_[e.cls]});
    if (row.anchor_n && !v.late) result.elements.push_back({0, boundary_});
    if (row.anchor_c && v.complete && v.length < costs_.offsets)
      result.elements.push_back({static_cast<std::uint32_t>(v.length), boundary_});
    const auto key = [&](const stream_check& e) { return std::tuple(rate_[e.cls], e.cls, e.offset); };
    std::sort(result.elements.begin(), result.elements.end(),
              [&](const stream_check& a, const stream_check& b) { return key(a) < key(b); });
    choose_filters(v, result);
    return result;
  }

  // Sets filters and cost, for the elements as they stand.
  void choose_filters(const laid_out& v, choice& result) const {
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
                  : second_cost(elements, k + 1, candidates, costs_.candidate + costs_.row * rows);
      if (cost < result.cost) result.cost = cost, result.filters = k + 1;
    }
  }

  // Of the classes of a filter; with second elements: what each saves, up to about the cost of a variant,
  // lest a few motifs of few elements have all streams; at least next to nothing, as where few elements are
  // there one less may cost less than to load it.
  void append_uses(const laid_out& v, std::vector<class_use>& uses) const {
    const choice& c = v.filter;
    constexpr double least = 1e-6, most = 1;
    for (std::size_t i = 0; i < (costs_.tile_words == 0 ? c.filters : c.elements.size()); ++i) {
      double worth = 1;
      if (costs_.tile_words != 0) {
        choice without = c;
        without.elements.erase(without.elements.begin() + static_cast<std::ptrdiff_t>(i));
        choose_filters(v, without);
        worth = std::clamp(without.cost - c.cost, least, most);
      }
      uses.push_back({c.elements[i].cls, worth});
    }
  }

  // Of the second elements, and of what they leave.
  double second_cost(const std::vector<stream_check>& elements, std::size_t filters, double left,
                     double candidate) const {
    double cost = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      cost += costs_.second * (1 - std::exp(-left * costs_.tile_words)) / costs_.tile_words;
      for (std::size_t i = 0; i < costs_.second_elements / 2 && filters < elements.size(); ++i)
        left *= rate_[elements[filters++].cls];
    }
    return cost + left * candidate;
  }

  // All ways to write out the first `gaps` gaps after segment `from`; empty if there are too many.
  std::vector<laid_out> layouts(const stream_row& row, std::uint32_t from, std::size_t gaps) const {
    std::vector<std::uint64_t> now(gaps);
    const auto gap = [&](std::size_t i) -> const stream_segment& { return plan_.segments[from + 1 + i]; };
    double ways = 1;
    for (std::size_t i = 0; i < gaps; ++i) {
      ways *= static_cast<double>(gap(i).gap_max - gap(i).gap_min) + 1;
      now[i] = gap(i).gap_min;
    }
    std::vector<laid_out> result;
    if (ways > static_cast<double>(max_variants)) return result;
    for (;;) {
      result.push_back(lay_out(row, from, now));
      std::size_t i = 0;
      while (i < gaps && now[i] == gap(i).gap_max) now[i] = gap(i).gap_min, ++i;
      if (i == gaps) return result;
      ++now[i];
    }
  }

  std::vector<laid_out> best_layout(const stream_row& row) const {
    std::vector<laid_out> best;
    if (row.max_length > costs_.max_row_length && !(row.anchor_n && costs_.anchored_of_any_length))
      return best;
    double least = HUGE_VAL;
    std::uint64_t slack = 0;
    for (std::uint32_t from = row.first_segment; from < row.last_segment; ++from) {
      slack += plan_.segments[from].gap_max - plan_.segments[from].gap_min;
      if (from != row.first_segment && (row.anchor_n || slack > max_slack)) break;
      for (std::size_t gaps = 0; gaps < row.last_segment - from; ++gaps) {
        std::vector<laid_out> these = layouts(row, from, gaps);
        if (these.empty()) break;
        double cost = costs_.late * static_cast<double>(slack);
        for (laid_out& v : these) {
          v.filter = choose(row, v);
          cost += v.length + v.lead < 0x10000U ? v.filter.cost : HUGE_VAL;
        }
        if (cost < least) least = cost, best = std::move(these);
      }
    }
    return best;
  }

  // Instead of what there is: variants of all rows, with streams for these classes.
  void append_all_variants(std::span<const std::uint32_t> kept) {
    plan_.variants.clear();
    plan_.filter_elements.clear();
    plan_.late_rows.clear();
    plan_.dense_rows.clear();
    plan_.checks.resize(segment_checks_);
    restrict_streams(kept);
    for_rows([&](std::uint32_t r) { return best_layout(plan_.rows[r]); },
             [&](std::uint32_t r, const std::vector<laid_out>& best) { append_variants(r, best); });
  }

  // Streams for these classes; the others are served by the rarest of them that contains them.
  void restrict_streams(std::span<const std::uint32_t> kept) {
    for (std::uint32_t c = 0; c < boundary_; ++c) {
      stream_[c] = none;
      for (const std::uint32_t k : kept)
        if (plan_.classes[c].inside(plan_.classes[k]) && (stream_[c] == none || rate_[k] < rate_[stream_[c]]))
          stream_[c] = k;
    }
  }

  void append_variants(std::uint32_t r, const std::vector<laid_out>& best) {
    if (best.empty())
      plan_.dense_rows.push_back(r);
    else if (best[0].late)
      plan_.late_rows.push_back({r, static_cast<std::uint32_t>(best[0].slack)});
    for (const laid_out& v : best) append_variant(r, v);
  }

  void append_variant(std::uint32_t r, const laid_out& v) {
    const stream_row& row = plan_.rows[r];
    choice c = v.filter;
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
  std::vector<double> rate_;          // of classes, then of sequence starts
  std::vector<std::uint32_t> stream_; // the class whose stream serves a class
  std::uint32_t boundary_ = 0;
  std::size_t segment_checks_; // the first of plan_.checks; those of variants follow
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
