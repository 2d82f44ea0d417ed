// Chooses the GPU for a function of bwt. Compiles also without a CUDA toolkit.
#pragma once

#include <cstdint>
#include <weft/base/device.hpp>
#include <weft/bwt/bwt_options.hpp>

namespace weft::detail {

// Returns the GPU for a text of `symbols` symbols, or -1 for the CPU. Device auto takes the first GPU, from
// `min_symbols` symbols on. Throws unavailable_error if the requested GPU does not exist.
[[nodiscard]] int gpu_for(const device_choice& device, std::uint64_t symbols, std::uint64_t min_symbols);
[[nodiscard]] inline int gpu_for(const bwt_options& options, std::uint64_t symbols,
                                 std::uint64_t min_symbols) {
  return gpu_for(options.device, symbols, min_symbols);
}

// Throws memory_error if text and result take `bytes` >= `allowed` bytes, so that nothing of the allowed
// memory of a GPU is left (allowed = 0: no limit).
void check_device_memory(std::uint64_t allowed, std::uint64_t bytes);

} // namespace weft::detail
