// Checks, dispatch and the device context: used by the functions on device memory, and by the functions that
// copy texts from host memory and call them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <weft/base/cuda/device_call.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/bwt/bwt_options.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft::bwt_detail {

// Returns the name of the engine that sorts for a call. Throws error(invalid_input) if it is unknown.
inline std::string_view engine_of(const bwt_options& options) {
  return bwt_detail::is_ternary_quicksort(options.run.engine) ? "ternary-quicksort" : "suffix-sort";
}

inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("weft::gpu: ") + what);
}

// Calls body(type_tag): a null pointer to the narrowest type for positions in n symbols.
template <class Body> void with_index(std::uint64_t n, const Body& body) {
  if (n < index_32_limit)
    body(static_cast<std::uint32_t*>(nullptr));
  else
    body(static_cast<std::uint64_t*>(nullptr));
}

// The device context of bwt: objects that a host thread keeps for a device between calls (gpu::context_of()
// in weft/base/cuda/device_call.hpp).
struct host_context {
  explicit host_context(int device) : staging(device) {}
  gpu::staged_copy staging;
  gpu::stream work; // destroyed before the memory that it copies from and to
};

} // namespace weft::bwt_detail
