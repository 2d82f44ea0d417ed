#include <weft/sort/sort.hpp>

#include <algorithm>
#include <stdexcept>

namespace weft::detail {

void for_each_segment(std::uint64_t num_items, std::span<const std::uint64_t> offsets,
                      const sort_options& options,
                      const std::function<void(std::uint64_t, std::uint64_t, const sort_options&)>& sort) {
  const bool covers = offsets.empty() ? num_items == 0
                                      : offsets.front() == 0 && offsets.back() == num_items &&
                                            std::is_sorted(offsets.begin(), offsets.end());
  if (!covers) throw std::invalid_argument("segmented_sort: offsets ascend from 0 to the number of items");
  (void)choose_sort_engine(options, "of segments it sorts those in its own memory only (weft/sort/sort.cuh)");
  if (offsets.empty()) return;
  const int threads = thread_count(options.threads);
  const std::uint64_t share = num_items / static_cast<std::uint64_t>(threads) / 4;
  const auto is_small = [&](std::uint64_t s) { return threads == 1 || offsets[s + 1] - offsets[s] <= share; };
  sort_options small_options = options, large_options = options;
  small_options.device = large_options.device = {device_kind::cpu, 0};
  small_options.used = large_options.used = nullptr;
  small_options.threads = 1;
  parallel_for(0, offsets.size() - 1, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t s = first; s < last; ++s)
      if (is_small(s)) sort(offsets[s], offsets[s + 1], small_options);
  });
  for (std::uint64_t s = 0; s + 1 < offsets.size(); ++s)
    if (!is_small(s)) sort(offsets[s], offsets[s + 1], large_options);
}

} // namespace weft::detail
