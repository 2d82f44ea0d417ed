#include <weft/scan/core/bit_stream_plan.hpp>

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>
#include <weft/base/parallel.hpp>

namespace weft::scan_detail {

namespace {

constexpr std::size_t max_considered_classes = 8192;

// Returns the classes with uses, the most used first.
std::vector<std::uint32_t> used_classes(std::span<const byte_class> classes, std::span<const double> uses) {
  std::vector<std::uint32_t> used;
  for (std::uint32_t c = 0; c < classes.size(); ++c)
    if (uses[c] > 0) used.push_back(c);
  std::stable_sort(used.begin(), used.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return uses[a] > uses[b]; });
  used.resize(std::min(used.size(), max_considered_classes));
  return used;
}

// The state of the greedy choice.
class stream_chooser {
public:
  stream_chooser(std::span<const byte_class> classes, std::span<const double> rates,
                 std::span<const double> uses)
      : used_(used_classes(classes, uses)), served_(used_.size(), 0), subsets_(used_.size()) {
    for (const std::uint32_t c : used_) uses_.push_back(uses[c]), worth_.push_back(-std::log(rates[c]));
    constexpr std::size_t grain = 64, min_parallel_classes = 1024;
    parallel_for(0, used_.size(), grain, used_.size() < min_parallel_classes ? 1 : 0,
                 [&](std::uint64_t k, std::uint64_t last) {
                   for (; k < last; ++k)
                     for (std::uint32_t c = 0; c < used_.size(); ++c)
                       if (classes[used_[c]].is_subset_of(classes[used_[k]])) subsets_[k].push_back(c);
                 });
  }

  std::vector<std::uint32_t> run(std::size_t max_streams) {
    std::vector<std::uint32_t> chosen;
    std::priority_queue<std::pair<double, std::uint32_t>> gains; // upper bounds: a gain never grows
    for (std::uint32_t k = 0; k < used_.size(); ++k) gains.emplace(gain_of(k), k);
    while (chosen.size() < max_streams && !gains.empty()) {
      const auto [before, k] = gains.top();
      gains.pop();
      const double gain = gain_of(k);
      if (gain < before) {
        gains.emplace(gain, k);
        continue;
      }
      if (gain <= 0) break;
      chosen.push_back(used_[k]);
      for (const std::uint32_t c : subsets_[k]) served_[c] = std::max(served_[c], worth_[k]);
    }
    return chosen;
  }

private:
  double gain_of(std::uint32_t k) const {
    double gain = 0;
    for (const std::uint32_t c : subsets_[k]) gain += uses_[c] * std::max(0.0, worth_[k] - served_[c]);
    return gain;
  }

  std::vector<std::uint32_t> used_;
  std::vector<double> uses_, worth_, served_; // of each used class
  // For each used class, the used classes that it contains, itself included.
  std::vector<std::vector<std::uint32_t>> subsets_;
};

} // namespace

std::vector<std::uint32_t> choose_streams(std::span<const byte_class> classes, std::span<const double> rates,
                                          std::span<const double> uses, std::size_t max_streams) {
  return stream_chooser(classes, rates, uses).run(max_streams);
}

} // namespace weft::scan_detail
