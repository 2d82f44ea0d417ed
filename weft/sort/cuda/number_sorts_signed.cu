#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::gpu::detail {

template struct number_sorts<std::int32_t, ascending>;
template struct number_sorts<std::int64_t, ascending>;

} // namespace weft::gpu::detail
