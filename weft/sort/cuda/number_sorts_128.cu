#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::sort_detail {

template struct number_sorts<uint128, ascending>;
template struct pair_sorts<uint128, std::uint32_t, ascending>;

} // namespace weft::sort_detail
