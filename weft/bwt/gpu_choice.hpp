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

} // namespace weft::detail
