// A hash function for 64-bit numbers.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>

namespace weft::base_detail {

// Returns a pseudo-random number for `x`, and a different one for each `x`: splitmix64 (Steele, Lea & Flood,
// OOPSLA 2014).
WEFT_HOST_DEVICE inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

} // namespace weft::base_detail
