// Runs work on a GPU if the GPU has enough memory for it, so that the caller can use the CPU otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <weft/base/error.hpp>
#include <weft/base/monitor.hpp>

namespace weft::base_detail {

// Returns the result of work(). If work() throws memory_error and a GPU is not `required`, takes the progress
// that work() added back from `monitor` (null: none) and returns nothing, so that the caller can do the work
// on the CPU. If a GPU is required, the memory_error is passed on.
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
