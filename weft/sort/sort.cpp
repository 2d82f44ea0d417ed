#include <weft/sort/sort.hpp>

#include <weft/base/error.hpp>

namespace weft::detail {

void check_offsets(std::span<const std::uint64_t> offsets, std::uint64_t num_items) {
  if (offsets.empty() && num_items == 0) return;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != num_items ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw std::invalid_argument("segmented_sort: offsets ascend from 0 to the number of items");
}

} // namespace weft::detail
