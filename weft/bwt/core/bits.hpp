// Bit operations on 64-bit words, for the host and for a device.
#pragma once

#include <bit>
#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::bwt_core {

// Return the index of the lowest and of the highest set bit. The word must not be 0.
WEFT_HOST_DEVICE constexpr int lowest_one(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return std::countr_zero(word);
#endif
}
WEFT_HOST_DEVICE constexpr int highest_one(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return 63 - __clzll(static_cast<long long>(word));
#else
  return 63 - std::countl_zero(word);
#endif
}

// Returns the number of set bits. The function is always inlined so that a caller compiled for a processor
// with a population count instruction uses that instruction.
[[gnu::always_inline]] WEFT_HOST_DEVICE constexpr std::uint32_t count_ones(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popcll(static_cast<long long>(word)));
#else
  return static_cast<std::uint32_t>(std::popcount(word));
#endif
}

} // namespace weft::bwt_core
