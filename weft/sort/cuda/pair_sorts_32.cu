#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::sort_detail {

template struct pair_sorts<std::uint32_t, std::uint32_t, ascending>;
template struct pair_sorts<std::uint32_t, std::uint64_t, ascending>;

} // namespace weft::sort_detail
