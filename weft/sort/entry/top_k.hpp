// The first k items of the order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/sort/entry/argsort.hpp>

namespace weft::detail {

// The plain version: argsort, and take the first k.
//
// Each thread reads a slice and keeps the positions of up to 2 k candidates. Once there are that many, the k
// best stay, and only items before the last of them are taken up from then on: for items in random order soon
// nearly none. Ties go to the smaller position, so that the result is that of a stable sort.
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

template <class T, class Less>
std::vector<T> first_of_order(std::span<const T> items, std::uint64_t k, const Less& less,
                              const sort_options& options) {
  const std::uint64_t n = items.size();
  const bool sort_all = k >= n / 8; // so many that it costs no more
  const sort_choice choice = choose_sort_engine(options, stable_order<T, Less> ? nullptr : numbers_only);
  if constexpr (stable_order<T, Less>)
    if (sort_all || choice.device.kind == device_kind::gpu) {
      std::vector<T> first(std::min(k, n));
      if (first.empty() ||
          first_on_gpu(choice, items.data(), n, known_type<T, Less>, first.data(), first.size(), options))
        return first;
    }
  std::vector<std::uint64_t> order;
  if (sort_all) {
    sort_options here = options;
    here.device = {device_kind::cpu, 0};
    order = order_of<T>(items, less, here);
  } else if (k > 0) {
    const auto slices =
        static_cast<std::uint64_t>(n < (std::uint64_t{1} << 16) ? 1 : thread_count(options.threads));
    const std::uint64_t slice_items = (n + slices - 1) / slices;
    std::vector<std::vector<std::uint64_t>> found(slices);
    parallel_for(0, slices, 1, static_cast<int>(slices), [&](std::uint64_t s, std::uint64_t) {
      candidates<T, Less> best(items, k, less);
      for (std::uint64_t i = s * slice_items; i < std::min(n, (s + 1) * slice_items); ++i) best.take(i);
      best.prune();
      found[s] = std::move(best.positions());
    });
    candidates<T, Less> best(items, k, less);
    for (const auto& positions : found)
      for (const std::uint64_t position : positions) best.take(position);
    best.prune();
    order = std::move(best.positions());
    std::sort(order.begin(), order.end()); // so that a stable sort leaves ties by position
    Less own = less;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint64_t a, std::uint64_t b) { return own(items[a], items[b]); });
  }
  std::vector<T> result;
  result.reserve(std::min(k, n));
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(k, order.size()); ++i)
    result.push_back(items[order[i]]);
  return result;
}

} // namespace weft::detail
