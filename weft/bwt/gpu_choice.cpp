#include <weft/bwt/gpu_choice.hpp>

namespace weft::detail {

int gpu_for(const bwt_options& options, std::uint64_t symbols, std::uint64_t enough) {
  require_device(options.device);
  if (options.device.kind == device_kind::gpu) return options.device.index;
  if (options.device.kind == device_kind::cpu || symbols < enough || known_gpus().devices.empty()) return -1;
  return known_gpus().devices.front().index;
}

} // namespace weft::detail
