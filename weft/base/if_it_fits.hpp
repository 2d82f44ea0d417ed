// A GPU where it has the memory, else the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/base/monitor.hpp>

namespace weft::base_detail {

// What work() on a GPU returns; nothing, and no work told of, if memory is too small for it and the GPU is
// not required: then the CPU is to do it. Throws memory_error where it is.
template <class Work>
[[nodiscard]] auto if_it_fits(bool required, task_monitor* monitor, const Work& work)
    -> std::optional<decltype(work())> {
  const std::uint64_t before = monitor != nullptr ? monitor->done() : 0;
  try {
    return work();
  } catch (const memory_error&) {
    if (required) throw;
    if (monitor != nullptr) monitor->take_back(monitor->done() - before);
    return std::nullopt;
  }
}

} // namespace weft::base_detail
