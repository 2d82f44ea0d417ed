#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::sort_detail {

template struct number_sorts<std::uint64_t, ascending>;

} // namespace weft::sort_detail
