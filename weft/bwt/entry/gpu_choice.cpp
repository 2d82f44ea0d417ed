#include <weft/bwt/entry/gpu_choice.hpp>

#include <fmt/format.h>
#include <weft/base/memory.hpp>

namespace weft::detail {

int gpu_for(const device_choice& device, std::uint64_t symbols, std::uint64_t enough) {
  require_device(device);
  if (device.kind == device_kind::gpu) return device.index;
  if (device.kind == device_kind::cpu || symbols < enough || known_gpus().devices.empty()) return -1;
  return known_gpus().devices.front().index;
}

void check_device_memory(std::uint64_t asked, std::uint64_t bytes) {
  if (asked != 0 && bytes >= asked)
    throw memory_error(fmt::format("text and result are {} of the GPU's memory, and all may be {}",
                                   format_size(bytes), format_size(asked)));
}

} // namespace weft::detail
