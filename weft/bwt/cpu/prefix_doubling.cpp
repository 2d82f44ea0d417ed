// The plain version:
//     rank(i) = symbol(i)
//     for h = 1, 2, 4, ... until all ranks differ:
//         sort positions by (rank(i), rank(i + h)); rank(i) = index of i's pair among the pairs
//
// Here, the rank of a position is the number of positions with a smaller prefix. So a rank never changes once
// its group has one member, and only positions in larger groups are sorted again. A position, its rank and
// the rank h symbols further on fit into a 128-bit number, 42 bits each. After the end of the text the rank
// is 0, and all others are one higher.
#include <weft/bwt/cpu/text_algorithms.hpp>

#include <span>
#include <weft/base/parallel.hpp>
#include <weft/sort/sort.hpp>

namespace weft::bwt_detail {

namespace {

constexpr int field = 42;
constexpr uint128 field_mask = (uint128{1} << field) - 1;

std::uint64_t position_of(uint128 entry) { return static_cast<std::uint64_t>(entry & field_mask); }

} // namespace

std::vector<std::uint64_t> prefix_doubling(std::uint64_t n,
                                           const std::function<std::uint64_t(std::uint64_t)>& symbol,
                                           const run_options& options) {
  constexpr std::uint64_t grain = std::uint64_t{1} << 16;
  const sort_options sorting{.run = {.device = {device_kind::cpu}, .threads = options.threads}};
  std::vector<uint128> open(n); // (rank, rank h further on, position) of positions in larger groups
  std::vector<std::uint64_t> rank(n), sa(n);
  parallel_for(0, n, grain, options, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) open[i] = uint128{symbol(i)} << field | i;
  });
  for (std::uint64_t h = 1; !open.empty(); h *= 2) {
    base_detail::check_cancelled(options);
    weft::sort(open, ascending(), sorting);
    // Members of a group of the old rank are adjacent. Within a group, runs of equal pairs are the new
    // groups.
    std::uint64_t still_open = 0; // their number; they are moved to the front of `open`
    std::uint64_t group = 0;      // where the group of the old rank begins in `open`
    for (std::uint64_t i = 0, next_check = 0; i < open.size();) {
      if (i >= next_check) {
        base_detail::check_cancelled(options);
        next_check = i + (std::uint64_t{1} << 20);
      }
      std::uint64_t end = i + 1;
      while (end < open.size() && open[end] >> field == open[i] >> field) ++end;
      if (i > 0 && open[i] >> (2 * field) != open[i - 1] >> (2 * field)) group = i;
      const std::uint64_t old_rank = h == 1 ? 0 : static_cast<std::uint64_t>(open[i] >> (2 * field));
      const std::uint64_t new_rank = old_rank + (i - (h == 1 ? 0 : group));
      for (std::uint64_t j = i; j < end; ++j) rank[position_of(open[j])] = new_rank;
      if (end == i + 1)
        sa[new_rank] = position_of(open[i]);
      else
        for (std::uint64_t j = i; j < end; ++j) open[still_open++] = open[j];
      i = end;
    }
    open.resize(still_open);
    parallel_for(0, open.size(), grain, options, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const std::uint64_t at = position_of(open[i]);
        const std::uint64_t next = at + h < n ? rank[at + h] + 1 : 0;
        open[i] = uint128{rank[at]} << (2 * field) | uint128{next} << field | at;
      }
    });
  }
  return sa;
}

} // namespace weft::bwt_detail
