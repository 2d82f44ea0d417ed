// Moves items to the positions that a permutation gives them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/base/parallel.hpp>

namespace weft::sort_detail {

// Sets items[i] to the old items[order[i]], for a permutation `order`. Trivially copyable items go through a
// copy, on all threads. Other items are moved cycle by cycle, each once, with one more move for each cycle;
// this takes one bit of extra memory for each item.
template <class T> void permute(std::span<T> items, std::span<const std::uint64_t> order, int threads) {
  const std::uint64_t n = items.size();
  if constexpr (std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>) {
    const auto copy = std::make_unique_for_overwrite<T[]>(n);
    constexpr std::uint64_t grain = std::uint64_t{1} << 18;
    parallel_for(0, n, grain, threads, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) copy[i] = items[order[i]];
    });
    parallel_copy(copy.get(), n, items.data(), threads);
  } else {
    std::vector<bool> done(n);
    for (std::uint64_t start = 0; start < n; ++start) {
      if (done[start] || order[start] == start) continue;
      T first = std::move(items[start]);
      std::uint64_t at = start;
      for (; order[at] != start; at = order[at]) {
        items[at] = std::move(items[order[at]]);
        done[at] = true;
      }
      items[at] = std::move(first);
      done[at] = true;
    }
  }
}

} // namespace weft::sort_detail
