// A greedy algorithm: chooses, of all sets of three or four elements, the set that saves most when the
// variants that contain it share it as their filter; then repeats the choice for the variants that are left.
#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

namespace weft::scan_detail {

namespace {

// Costs in cycles of a multiprocessor for a tile: applying a filter, storing its survivors if there are any,
// and testing one variant at one survivor. A survivor is a position that passes the filter.
constexpr double filter_cost = 8, note_cost = 5, pair_cost = 1.2;
constexpr double max_survivors = 20; // positions of a tile that may pass a shared filter
// Variants share filters only if that leaves at most this fraction of the filters.
constexpr double max_group_ratio = 0.9;
constexpr std::size_t max_shareable = 7; // number of a variant's rarest elements that may be shared
constexpr std::size_t shared = stream_filter::capacity;

// An element as a 16-bit number: the index of its class among the classes of filters, and its offset.
using element_number = std::uint16_t;
constexpr int number_bits = 16, offset_bits = 5;
static_assert(stream_words == 1U << offset_bits && max_streams <= 1U << (number_bits - offset_bits));
// Three or four element numbers, ascending. A set of three has no_number instead of the fourth.
using set_key = std::uint64_t;
constexpr element_number no_number = 0xffff;
static_assert(shared * number_bits == 64);

// Builds the groups of a plan's variants.
class variant_grouper {
public:
  explicit variant_grouper(const bit_stream_plan& plan)
      : plan_(plan), number_of_class_(plan.classes.size() + 1, none), grouped_(plan.variants.size(), false) {
    for (std::uint32_t v = 0; v < plan.variants.size(); ++v) append_sets(v);
    std::sort(sets_.begin(), sets_.end());
  }

  std::vector<variant_group> run() {
    queue_shared_sets();
    while (!shared_sets_.empty()) {
      shared_set top = shared_sets_.top();
      shared_sets_.pop();
      const double gain = gain_of(top);
      // A group takes at most max_members variants, so the set may be worth choosing again.
      if (gain == top.gain) append_group(top);
      // The gain is smaller than before if other groups have taken some of the set's variants.
      top.gain = gain;
      if (gain > 0) shared_sets_.push(top);
    }
    append_singles();
    if (groups_.size() >
        std::min<double>(max_group_ratio * static_cast<double>(plan_.variants.size()), max_shared_filters)) {
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
  // A set of elements that a variant may share.
  struct variant_set {
    set_key key;
    std::uint32_t variant;
    friend auto operator<=>(const variant_set&, const variant_set&) = default;
  };
  struct shared_set { // the variants sets_[begin .. end - 1], which all contain one set
    double gain, survivors;
    std::size_t begin, end;
    friend bool operator<(const shared_set& a, const shared_set& b) {
      return std::tuple(a.gain, b.begin) < std::tuple(b.gain, a.begin);
    }
  };

  // Returns the expected number of positions of a tile that pass a filter of these elements.
  template <class Elements> double survivors_of(const Elements& elements) const {
    double rate = tile_positions;
    for (const stream_check& e : elements) rate *= plan_.class_rates[e.cls];
    return rate;
  }

  // Returns the cost of storing and testing the survivors of a filter that `variants` variants share.
  static double survivor_cost(double survivors, double variants) {
    return note_cost * (1 - std::exp(-survivors)) + pair_cost * survivors * variants;
  }

  element_number number_of(const stream_check& e) {
    if (number_of_class_[e.cls] == none) {
      number_of_class_[e.cls] = static_cast<element_number>(class_of_.size());
      class_of_.push_back(e.cls);
    }
    return static_cast<element_number>(number_of_class_[e.cls] << offset_bits | e.offset);
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

  // Appends all sets of elements that the variant may share.
  void append_sets(std::uint32_t variant) {
    std::vector<stream_check> elements = elements_of(plan_, plan_.variants[variant]);
    own_costs_.push_back(survivor_cost(survivors_of(std::span(elements).first(own_elements(variant))), 1));
    elements.resize(std::min(elements.size(), max_shareable));
    for (std::uint32_t which = 0; which < 1U << elements.size(); ++which) {
      const auto count = static_cast<std::size_t>(std::popcount(which));
      if (count != shared && count != shared - 1) continue;
      std::array<stream_check, shared> chosen{};
      std::array<element_number, shared> numbers{};
      numbers.back() = no_number;
      for (std::size_t i = 0, n = 0; i < elements.size(); ++i)
        if ((which >> i & 1) != 0) numbers[n] = number_of(elements[i]), chosen[n++] = elements[i];
      if (survivors_of(std::span(chosen).first(count)) > max_survivors) continue;
      std::sort(numbers.begin(), numbers.end());
      set_key key = 0;
      for (const element_number n : numbers) key = key << number_bits | n;
      sets_.push_back({key, variant});
    }
  }

  std::size_t own_elements(std::uint32_t variant) const {
    return std::min<std::size_t>(plan_.variants[variant].filters, shared);
  }

  void queue_shared_sets() {
    for (std::size_t begin = 0, end = 0; begin < sets_.size(); begin = end) {
      while (end < sets_.size() && sets_[end].key == sets_[begin].key) ++end;
      if (end - begin < 2) continue;
      shared_set run{0, survivors_of(elements_of_key(sets_[begin].key)), begin, end};
      run.gain = gain_of(run);
      if (run.gain > 0) shared_sets_.push(run);
    }
  }

  // Returns what a shared filter would save for those variants of the set that are in no group yet.
  double gain_of(const shared_set& run) const {
    double count = 0, own = 0;
    for (std::size_t i = run.begin; i < run.end; ++i)
      if (!grouped_[sets_[i].variant]) count += 1, own += own_costs_[sets_[i].variant];
    return count < 2 ? 0 : (count - 1) * filter_cost + own - survivor_cost(run.survivors, count);
  }

  void append_group(const shared_set& run) {
    variant_group group{elements_of_key(sets_[run.begin].key), {}};
    for (std::size_t i = run.begin; i < run.end && group.members.size() < variant_group::max_members; ++i)
      if (!grouped_[sets_[i].variant]) {
        grouped_[sets_[i].variant] = true;
        group.members.push_back(sets_[i].variant);
      }
    groups_.push_back(std::move(group));
  }

  // Appends a group of its own for each variant that is in no group.
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
  // Index of each class among the classes of filters; class of each index.
  std::vector<std::uint32_t> number_of_class_, class_of_;
  std::vector<bool> grouped_;
  std::vector<double> own_costs_; // for each variant, the cost of the positions that pass its own filter
  std::vector<variant_set> sets_;
  std::priority_queue<shared_set> shared_sets_;
  std::vector<variant_group> groups_;
};

} // namespace

std::vector<stream_check> elements_of(const bit_stream_plan& plan, const stream_variant& variant) {
  std::vector<stream_check> elements;
  for (std::uint32_t i = 0; i < variant.filters + max_second_elements; ++i) {
    const stream_check& e = plan.filter_elements[variant.first_element + i];
    if (std::find(elements.begin(), elements.end(), e) == elements.end()) elements.push_back(e);
  }
  return elements;
}

std::vector<variant_group> group_variants(const bit_stream_plan& plan) { return variant_grouper(plan).run(); }

} // namespace weft::scan_detail
