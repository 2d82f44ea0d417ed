// Merges sorted runs in rounds, on all threads. Merge Path (Odeh et al., IPDPSW 2012) cuts each merge into
// slices of equal output.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>
#include <weft/base/monitor.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/core/merge_path.hpp>

namespace weft::sort_detail {

// Merges the runs [bounds[r], bounds[r + 1]) of `from` pair by pair into `to`. Returns the bounds of the
// merged runs.
template <class T, class Less>
std::vector<std::uint64_t> merge_round(const T* from, T* to, const std::vector<std::uint64_t>& bounds,
                                       Less less, int threads) {
  const std::uint64_t n = bounds.back(), slices = static_cast<std::uint64_t>(threads);
  std::vector<std::uint64_t> result;
  for (std::size_t r = 0; r < bounds.size(); r += 2) result.push_back(bounds[r]);
  if (result.back() != n) result.push_back(n);
  const std::uint64_t grain = std::max((n + slices - 1) / slices, std::uint64_t{1});
  parallel_for(0, n, grain, threads, [&](std::uint64_t first, std::uint64_t last) {
    Less own_less = less;
    for (std::size_t r = 0; r + 1 < bounds.size(); r += 2) { // merges the part of each pair in this slice
      const std::uint64_t begin = bounds[r], middle = bounds[r + 1];
      const std::uint64_t end = r + 2 < bounds.size() ? bounds[r + 2] : middle;
      const std::uint64_t from_here = std::max(first, begin), to_here = std::min(last, end);
      if (from_here >= to_here) continue;
      merge_slice(from + begin, middle - begin, from + middle, end - middle, from_here - begin,
                  to_here - begin, to + from_here, own_less);
    }
  });
  return result;
}

// Returns how many rounds of merges leave one of `runs` runs. Each round moves the items to the other array.
inline int num_merge_rounds(std::uint64_t runs) { return static_cast<int>(std::bit_width(runs - 1)); }

// Merges the runs [bounds[r], bounds[r + 1]) of `from` until one is left. The rounds write to `other` and
// `from` in turn. Stops if `monitor`, which may be null, is cancelled.
template <class T, class Less>
void merge_runs(T* from, T* other, std::vector<std::uint64_t> bounds, const Less& less, int threads,
                task_monitor* monitor) {
  for (; bounds.size() > 2; std::swap(from, other)) {
    if (monitor != nullptr) monitor->check();
    bounds = merge_round<T>(from, other, bounds, less, threads);
  }
}

} // namespace weft::sort_detail
