#include <weft/base/engine_table.hpp>

#include <fmt/ranges.h>
#include <weft/base/error.hpp>

namespace weft::base_detail {

void refuse_engine(std::string_view capability, std::string_view name,
                   const std::vector<std::string_view>& known) {
  throw error(errc::invalid_input,
              fmt::format("{} has no engine '{}': use auto, {}", capability, name, fmt::join(known, ", ")));
}

void refuse_device(std::string_view capability, std::string_view name, bool on_gpu,
                   const std::vector<std::string_view>& gpu_engines) {
  const std::string runs =
      on_gpu ? "a GPU, but the device is cpu: choose another device or another engine"
             : fmt::format("the CPU, but the device is a GPU: choose another device, or an engine for "
                           "the GPU ({})",
                           fmt::join(gpu_engines, ", "));
  throw error(errc::invalid_input, fmt::format("{} engine '{}' runs only on {}", capability, name, runs));
}

device_choice resolve_engine_device(bool on_gpu, const device_choice& requested) {
  device_choice device = requested;
  if (on_gpu && device.kind == device_kind::automatic) device = {device_kind::gpu, first_gpu()};
  require_device(device);
  return device;
}

int first_gpu() { return known_gpus().devices.empty() ? 0 : known_gpus().devices.front().index; }

} // namespace weft::base_detail
