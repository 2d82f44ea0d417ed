// The engines by name, and the devices on which options let them run.
#pragma once

#include <vector>
#include <weft/lcs/lcs.hpp>

namespace weft::lcs_detail {

// The engines.
enum class engine {
  automatic,
  hirschberg_dp,
  bit_parallel,
  bit_sliced,
  furthest_reaching,
  hunt_szymanski,
  systolic,
  wavefront
};

[[nodiscard]] constexpr bool runs_on_gpu(engine id) {
  return id == engine::systolic || id == engine::wavefront;
}

// An engine, and the device on which it runs.
struct engine_choice {
  engine id;
  device_choice device; // gpu: a GPU that exists; automatic: not yet known
};

// Returns the engine and the device that the options ask for. Throws error(invalid_input) if the engine is
// unknown or does not run on options.run.device, and unavailable_error if the GPU does not exist.
[[nodiscard]] engine_choice choose_engine(const lcs_options& options);

// Returns the engines, and for each one whether it can run on this machine.
[[nodiscard]] std::vector<engine_info> list_engines();

} // namespace weft::lcs_detail
