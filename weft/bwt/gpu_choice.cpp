#include <weft/bwt/gpu_choice.hpp>

namespace weft::detail {

int gpu_for(const device_choice& device, std::uint64_t symbols, std::uint64_t enough) {
  require_device(device);
  if (device.kind == device_kind::gpu) return device.index;
  if (device.kind == device_kind::cpu || symbols < enough || known_gpus().devices.empty()) return -1;
  return known_gpus().devices.front().index;
}

} // namespace weft::detail
