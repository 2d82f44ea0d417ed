// Greedy: of all sets of three or four elements the one that saves most, then again without the variants that
// have it.
#include <weft/scan/cuda/bit_stream/variant_groups.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

namespace weft::scan_cuda {

namespace {

using scan_detail::bit_stream_plan;
using scan_detail::stream_check;
using scan_detail::stream_variant;

// Cycles of a multiprocessor for a tile: to ask a filter, to note what is left, if it is, and to ask a
// variant of it at a position.
constexpr double filter_cost = 8, note_cost = 5, pair_cost = 1.2;
constexpr double max_left = 20;   // positions of a tile, by a filter that is shared
constexpr double worth_it = 0.9;  // of the filters of variants for themselves: more are left alone
constexpr std::size_t rarest = 7; // elements of a variant that it may share some of
constexpr std::size_t shared = stream_filter::most;

// An element as a number of 16 bits: its class among those of filters, and its offset.
using element_number = std::uint16_t;
constexpr int number_bits = 16, offset_bits = 5;
static_assert(stream_words == 1U << offset_bits && max_streams <= 1U << (number_bits - offset_bits));
using set_key = std::uint64_t; // three or four numbers, ascending; instead of the fourth no_number
constexpr element_number no_number = 0xffff;
static_assert(shared * number_bits == 64);

class variant_grouper {
public:
  explicit variant_grouper(const bit_stream_plan& plan)
      : plan_(plan), number_of_(plan.classes.size() + 1, none), grouped_(plan.variants.size(), false) {
    for (std::uint32_t v = 0; v < plan.variants.size(); ++v) append_sets(v);
    std::sort(sets_.begin(), sets_.end());
  }

  std::vector<variant_group> run() {
    queue_runs();
    while (!runs_.empty()) {
      run_of_set top = runs_.top();
      runs_.pop();
      const double gain = gain_of(top);
      if (gain == top.gain) append_group(top); // there may be more of them
      top.gain = gain;                         // less than before if others have taken some of its variants
      if (gain > 0) runs_.push(top);
    }
    append_singles();
    if (groups_.size() >
        std::min<double>(worth_it * static_cast<double>(plan_.variants.size()), max_shared_filters)) {
      groups_.clear();
      grouped_.assign(grouped_.size(), false);
      append_singles();
    }
    const auto key = [](const variant_group& group) {
      const stream_check &first = group.filter.front(),
                         &second = group.filter[group.filter.size() > 1 ? 1 : 0];
      return std::tuple(first.cls, first.offset, second.cls, second.offset);
    };
    std::stable_sort(groups_.begin(), groups_.end(),
                     [&](const variant_group& a, const variant_group& b) { return key(a) < key(b); });
    return std::move(groups_);
  }

private:
  struct variant_set {
    set_key key;
    std::uint32_t variant;
    friend auto operator<=>(const variant_set&, const variant_set&) = default;
  };
  struct run_of_set { // sets_[begin .. end-1] have one key
    double gain, left;
    std::size_t begin, end;
    friend bool operator<(const run_of_set& a, const run_of_set& b) {
      return std::tuple(a.gain, b.begin) < std::tuple(b.gain, a.begin);
    }
  };

  // Positions of a tile that are left.
  template <class Elements> double left_by(const Elements& elements) const {
    double rate = tile_positions;
    for (const stream_check& e : elements) rate *= plan_.class_rates[e.cls];
    return rate;
  }

  // To note and ask what a filter of so many variants leaves.
  static double cost_of(double left, double variants) {
    return note_cost * (1 - std::exp(-left)) + pair_cost * left * variants;
  }

  element_number number(const stream_check& e) {
    if (number_of_[e.cls] == none) {
      number_of_[e.cls] = static_cast<element_number>(class_of_.size());
      class_of_.push_back(e.cls);
    }
    return static_cast<element_number>(number_of_[e.cls] << offset_bits | e.offset);
  }

  std::vector<stream_check> elements_of_key(set_key key) const {
    std::vector<stream_check> elements;
    for (std::size_t i = 0; i < shared; ++i, key >>= number_bits) {
      const auto number = static_cast<element_number>(key);
      if (number != no_number) elements.push_back({number % stream_words, class_of_[number >> offset_bits]});
    }
    std::sort(elements.begin(), elements.end(), [&](const stream_check& a, const stream_check& b) {
      return std::tuple(plan_.class_rates[a.cls], a.cls, a.offset) <
             std::tuple(plan_.class_rates[b.cls], b.cls, b.offset);
    });
    return elements;
  }

  // The sets that a variant may share.
  void append_sets(std::uint32_t variant) {
    std::vector<stream_check> elements = elements_of(plan_, plan_.variants[variant]);
    own_.push_back(cost_of(left_by(std::span(elements).first(own_elements(variant))), 1));
    elements.resize(std::min(elements.size(), rarest));
    for (std::uint32_t which = 0; which < 1U << elements.size(); ++which) {
      const auto count = static_cast<std::size_t>(std::popcount(which));
      if (count != shared && count != shared - 1) continue;
      std::array<stream_check, shared> chosen{};
      std::array<element_number, shared> numbers{};
      numbers.back() = no_number;
      for (std::size_t i = 0, n = 0; i < elements.size(); ++i)
        if ((which >> i & 1) != 0) numbers[n] = number(elements[i]), chosen[n++] = elements[i];
      if (left_by(std::span(chosen).first(count)) > max_left) continue;
      std::sort(numbers.begin(), numbers.end());
      set_key key = 0;
      for (const element_number n : numbers) key = key << number_bits | n;
      sets_.push_back({key, variant});
    }
  }

  std::size_t own_elements(std::uint32_t variant) const {
    return std::min<std::size_t>(plan_.variants[variant].filters, shared);
  }

  void queue_runs() {
    for (std::size_t begin = 0, end = 0; begin < sets_.size(); begin = end) {
      while (end < sets_.size() && sets_[end].key == sets_[begin].key) ++end;
      if (end - begin < 2) continue;
      run_of_set run{0, left_by(elements_of_key(sets_[begin].key)), begin, end};
      run.gain = gain_of(run);
      if (run.gain > 0) runs_.push(run);
    }
  }

  // What those of its variants that are in no group would save.
  double gain_of(const run_of_set& run) const {
    double count = 0, own = 0;
    for (std::size_t i = run.begin; i < run.end; ++i)
      if (!grouped_[sets_[i].variant]) count += 1, own += own_[sets_[i].variant];
    return count < 2 ? 0 : (count - 1) * filter_cost + own - cost_of(run.left, count);
  }

  void append_group(const run_of_set& run) {
    variant_group group{elements_of_key(sets_[run.begin].key), {}};
    for (std::size_t i = run.begin; i < run.end && group.members.size() < variant_group::max_members; ++i)
      if (!grouped_[sets_[i].variant]) {
        grouped_[sets_[i].variant] = true;
        group.members.push_back(sets_[i].variant);
      }
    groups_.push_back(std::move(group));
  }

  // Of all that are in no group.
  void append_singles() {
    for (std::uint32_t v = 0; v < plan_.variants.size(); ++v) {
      if (grouped_[v]) continue;
      std::vector<stream_check> elements = elements_of(plan_, plan_.variants[v]);
      elements.resize(own_elements(v));
      groups_.push_back({std::move(elements), {v}});
    }
  }

  static constexpr std::uint32_t none = 0xffffffffU;
  const bit_stream_plan& plan_;
  std::vector<std::uint32_t> number_of_, class_of_; // of classes of filters
  std::vector<bool> grouped_;
  std::vector<double> own_; // of each variant: what its own filter leaves costs
  std::vector<variant_set> sets_;
  std::priority_queue<run_of_set> runs_;
  std::vector<variant_group> groups_;
};

} // namespace

std::vector<stream_check> elements_of(const bit_stream_plan& plan, const stream_variant& variant) {
  std::vector<stream_check> elements;
  for (std::uint32_t i = 0; i < variant.filters + max_seconds; ++i) {
    const stream_check& e = plan.filter_elements[variant.first_element + i];
    if (std::find(elements.begin(), elements.end(), e) == elements.end()) elements.push_back(e);
  }
  return elements;
}

std::vector<variant_group> group_variants(const bit_stream_plan& plan) { return variant_grouper(plan).run(); }

} // namespace weft::scan_cuda
