#include <weft/sort/cuda/number_sorts.cuh>

namespace weft::gpu::detail {

template struct number_sorts<std::uint64_t, ascending>;

} // namespace weft::gpu::detail
