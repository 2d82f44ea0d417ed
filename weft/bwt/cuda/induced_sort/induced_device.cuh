// Definitions that several kernels of the induced sort share.
#pragma once

#include <cstdint>

namespace weft::bwt_cuda {

inline constexpr std::uint32_t no_suffix = ~std::uint32_t{0};
struct is_suffix {
  __device__ bool operator()(std::uint32_t suffix) const { return suffix != no_suffix; }
};

} // namespace weft::bwt_cuda
