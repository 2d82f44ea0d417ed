// Which GPU a function of bwt takes; compiles also where there is no CUDA toolkit.
#pragma once

#include <cstdint>
#include <weft/base/device.hpp>
#include <weft/bwt/bwt_options.hpp>

namespace weft::detail {

// The GPU for so many symbols, or -1 for the CPU: device auto takes the first there is from `enough` symbols
// on. Throws unavailable_error for a GPU that is not there.
[[nodiscard]] int gpu_for(const device_choice& device, std::uint64_t symbols, std::uint64_t enough);
[[nodiscard]] inline int gpu_for(const bwt_options& options, std::uint64_t symbols, std::uint64_t enough) {
  return gpu_for(options.device, symbols, enough);
}

// Throws memory_error if text and result, so many bytes, are all that a call may take of a GPU (0: no limit)
// or more.
void check_device_memory(std::uint64_t asked, std::uint64_t bytes);

} // namespace weft::detail
