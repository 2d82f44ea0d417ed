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

// Whether Index is wide enough for positions in so many symbols.
template <class Index> void require_index_for(std::uint64_t n) {
  require(sizeof(Index) == 8 || n < small_text, "texts of 2^31 symbols and more need 64-bit indexes");
}

// Calls body with a null pointer of the narrowest type for positions in so many symbols.
template <class Body> void with_index(std::uint64_t n, const Body& body) {
  if (n < small_text)
    body(static_cast<std::uint32_t*>(nullptr));
  else
    body(static_cast<std::uint64_t*>(nullptr));
}

} // namespace weft::bwt_cuda
