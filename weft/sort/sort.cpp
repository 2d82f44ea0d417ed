#include <weft/sort/sort.hpp>

#include <algorithm>
#include <stdexcept>

namespace weft::sort_detail {

void check_segments(std::uint64_t num_items, std::span<const std::uint64_t> offsets) {
  const bool covers = offsets.empty() ? num_items == 0
                                      : offsets.front() == 0 && offsets.back() == num_items &&
                                            std::is_sorted(offsets.begin(), offsets.end());
  if (!covers) throw std::invalid_argument("segmented_sort: offsets ascend from 0 to the number of items");
}

void for_each_segment(std::span<const std::uint64_t> offsets, int threads,
                      const std::function<void(std::uint64_t, std::uint64_t, int)>& sort) {
  if (offsets.empty()) return;
  const int members = thread_count(threads);
  const std::uint64_t share = offsets.back() / static_cast<std::uint64_t>(members) / 4;
  const auto is_small = [&](std::uint64_t s) { return members == 1 || offsets[s + 1] - offsets[s] <= share; };
  parallel_for(0, offsets.size() - 1, 64, members, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t s = first; s < last; ++s)
      if (is_small(s)) sort(offsets[s], offsets[s + 1], 1);
  });
  for (std::uint64_t s = 0; s + 1 < offsets.size(); ++s)
    if (!is_small(s)) sort(offsets[s], offsets[s + 1], threads);
}

} // namespace weft::sort_detail
