#include <weft/bwt/entry/gpu_choice.hpp>

#include <fmt/format.h>
#include <weft/base/memory.hpp>

namespace weft::detail {

int gpu_for(const device_choice& device, std::uint64_t symbols, std::uint64_t min_symbols) {
  require_device(device);
  if (device.kind == device_kind::gpu) return device.index;
  if (device.kind == device_kind::cpu || symbols < min_symbols || known_gpus().devices.empty()) return -1;
  return known_gpus().devices.front().index;
}

void check_device_memory(std::uint64_t allowed, std::uint64_t bytes) {
  if (allowed != 0 && bytes >= allowed)
    throw memory_error(fmt::format("text and result are {} of the GPU's memory, and all may be {}",
                                   format_size(bytes), format_size(allowed)));
}

} // namespace weft::detail
