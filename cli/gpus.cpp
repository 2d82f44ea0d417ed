#include <cli/gpus.hpp>

#include <cli/ranks.hpp>
#include <exception>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <vector>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/multi/job.hpp>

namespace weft::cli {

namespace {

// Returns the CUDA indexes of the GPUs that --gpus names.
std::vector<int> gpus_of(const arguments& given) {
  const std::string text = given.value("gpus");
  const std::uint64_t count = text == "all" ? 0 : parse_count(text, "--gpus");
  if (text != "all" && count == 0)
    throw error(errc::invalid_input, "--gpus must be a number from 1 on, or all");
  if (given.has("device") && !given.from_environment.contains("device"))
    throw error(errc::invalid_input, "--gpus and --device cannot be used together");
  const gpu_report& found = known_gpus();
  if (found.devices.empty())
    throw unavailable_error(fmt::format("no GPU can be used: {}", found.unavailable));
  if (count > found.devices.size())
    throw unavailable_error(
        fmt::format("--gpus is {}, but the number of usable GPUs is {}", count, found.devices.size()));
  std::vector<int> indexes;
  for (const gpu_info& each : found.devices) indexes.push_back(each.index);
  if (count > 0) indexes.resize(count);
  return indexes;
}

} // namespace

gpu_start::gpu_start(const device_choice& device) {
  if (device.kind != device_kind::gpu) return;
  is_running_ = true;
  try {
    thread_ = std::jthread([this, index = device.index] {
      try {
        require_device({device_kind::gpu, index});
      } catch (const std::exception&) { // the next call of require_device() tries again
        failure_ = std::current_exception();
      }
      is_running_ = false;
    });
  } catch (const std::system_error&) {
    is_running_ = false;
  }
}

int run_on_gpus(const arguments& given, int (*call)(const arguments&)) {
  if (!given.has("gpus")) {
    // Tests run a command on several ranks without GPUs.
    const auto count = static_cast<int>(test_setting("WEFT_THREAD_RANKS", 1));
    return count > 1 ? run_in_threads(count, [&] { return call(given); }) : call(given);
  }
  const std::vector<int> gpus = gpus_of(given);
  const auto call_on_own = [&] {
    arguments own = given;
    const int gpu = gpus[static_cast<std::size_t>(ranks_before_on_host()) % gpus.size()];
    own.given["device"] = {fmt::format("gpu:{}", gpu)};
    return call(own);
  };
  return multi::launched_ranks() > 1 ? call_on_own()
                                     : run_in_threads(static_cast<int>(gpus.size()), call_on_own);
}

} // namespace weft::cli
