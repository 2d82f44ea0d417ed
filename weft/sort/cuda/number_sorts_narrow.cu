#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::sort_detail {

template struct number_sorts<std::uint8_t, ascending>;
template struct number_sorts<std::uint16_t, ascending>;

} // namespace weft::sort_detail
