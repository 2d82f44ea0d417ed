// Finds the first k items of the sorted order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/run.hpp>

namespace weft::sort_detail {

// Collects the positions of the first k items of the order.
//
// The plain version: argsort, and take the first k.
//
// Each thread reads a slice and keeps the positions of up to 2 k candidates. Once there are 2 k, only the
// best k remain, and from then on only items that come before the last of these become candidates: if items
// are in random order, almost none do. Of equal items, the one with the smaller position comes first, so that
// the result is that of a stable sort.
template <class T, class Less> class candidates {
public:
  candidates(std::span<const T> items, std::uint64_t k, Less less) : items_(items), k_(k), less_(less) {}

  void take(std::uint64_t position) {
    if (full_ && !before(position, last_)) return;
    positions_.push_back(position);
    if (positions_.size() >= 2 * k_) prune();
  }
  void prune() {
    if (positions_.size() < k_) return;
    const auto last = positions_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(positions_.begin(), last, positions_.end(),
                     [this](std::uint64_t a, std::uint64_t b) { return before(a, b); });
    last_ = *last;
    full_ = true;
    positions_.resize(k_);
  }
  [[nodiscard]] std::vector<std::uint64_t>& positions() { return positions_; }

private:
  bool before(std::uint64_t a, std::uint64_t b) {
    if (less_(items_[a], items_[b])) return true;
    return a < b && !less_(items_[b], items_[a]);
  }
  std::span<const T> items_;
  std::uint64_t k_;
  Less less_;
  std::vector<std::uint64_t> positions_;
  std::uint64_t last_ = 0;
  bool full_ = false;
};

// Returns the positions of the first k items, in order. For k < n / 8.
template <class T, class Less>
std::vector<std::uint64_t> top_k_positions(std::span<const T> items, std::uint64_t k, const Less& less,
                                           const run_options& options) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16; // items between two looks at the monitor
  if (k == 0) return {};
  const std::uint64_t n = items.size();
  const auto slices = static_cast<std::uint64_t>(n < grain ? 1 : thread_count(options.threads));
  const std::uint64_t slice_items = (n + slices - 1) / slices;
  std::vector<std::vector<std::uint64_t>> found(slices);
  parallel_for(0, slices, 1, static_cast<int>(slices), [&](std::uint64_t s, std::uint64_t) {
    candidates<T, Less> best(items, k, less);
    const std::uint64_t end = std::min(n, (s + 1) * slice_items);
    for (std::uint64_t i = s * slice_items; i < end;) {
      if (options.monitor != nullptr) options.monitor->check();
      const std::uint64_t first = i;
      for (const std::uint64_t stop = std::min(end, first + grain); i < stop; ++i) best.take(i);
      if (options.monitor != nullptr) options.monitor->add(i - first);
    }
    best.prune();
    found[s] = std::move(best.positions());
  });
  candidates<T, Less> best(items, k, less);
  for (const auto& positions : found)
    for (const std::uint64_t position : positions) best.take(position);
  best.prune();
  std::vector<std::uint64_t> order = std::move(best.positions());
  std::sort(order.begin(), order.end()); // so that the stable sort leaves equal items in order of position
  Less own_less = less;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return own_less(items[a], items[b]); });
  return order;
}

} // namespace weft::sort_detail
