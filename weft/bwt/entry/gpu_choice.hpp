// Which GPU a function of bwt takes, and when the CPU does its work after all; compiles also where there is
// no CUDA toolkit.
#pragma once

#include <cstdint>
#include <optional>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt_options.hpp>

namespace weft::detail {

// The GPU for so many symbols, or -1 for the CPU: device auto takes the first there is from `enough` symbols
// on. Throws unavailable_error for a GPU that is not there.
[[nodiscard]] int gpu_for(const device_choice& device, std::uint64_t symbols, std::uint64_t enough);
[[nodiscard]] inline int gpu_for(const bwt_options& options, std::uint64_t symbols, std::uint64_t enough) {
  return gpu_for(options.device, symbols, enough);
}

// What work() on a GPU returns; nothing, and no work told of, if memory is too small for it and the device is
// auto: then the CPU is to do it. Throws memory_error where a GPU is asked for.
template <class Work>
[[nodiscard]] auto or_for_the_cpu(const device_choice& device, task_monitor* monitor, const Work& work)
    -> std::optional<decltype(work())> {
  const std::uint64_t before = monitor != nullptr ? monitor->done() : 0;
  try {
    return work();
  } catch (const memory_error&) {
    if (device.kind == device_kind::gpu) throw;
    if (monitor != nullptr) monitor->take_back(monitor->done() - before);
    return std::nullopt;
  }
}

// Throws memory_error if text and result, so many bytes, are all that a call may take of a GPU (0: no limit)
// or more.
void check_device_memory(std::uint64_t asked, std::uint64_t bytes);

} // namespace weft::detail
