#include <weft/sort/cuda/number_keys.cuh>

namespace weft::sort_cuda {

template cudaError_t sort_keys<std::uint64_t>(void*, std::size_t&, void*, bool, std::uint32_t*, std::uint64_t,
                                              const number_type&, cudaStream_t) noexcept;

} // namespace weft::sort_cuda
