#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::sort_detail {

template struct number_sorts<float, ascending>;
template struct number_sorts<double, ascending>;

} // namespace weft::sort_detail
