// What functions on device memory have in common.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace weft::bwt_cuda {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("weft::gpu: ") + what);
}

inline constexpr std::uint64_t small_text = std::uint64_t{1} << 31;

// Calls body with a null pointer of the narrowest type for positions in so many symbols.
template <class Body> void with_index(std::uint64_t n, const Body& body) {
  if (n < small_text)
    body(static_cast<std::uint32_t*>(nullptr));
  else
    body(static_cast<std::uint64_t*>(nullptr));
}

} // namespace weft::bwt_cuda
