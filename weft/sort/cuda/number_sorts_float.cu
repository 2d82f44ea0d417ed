#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::gpu::detail {

template struct number_sorts<float, ascending>;
template struct number_sorts<double, ascending>;

} // namespace weft::gpu::detail
