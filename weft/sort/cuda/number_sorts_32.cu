#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::sort_detail {

template struct number_sorts<std::uint32_t, ascending>;

} // namespace weft::sort_detail
