// The engines by name, and where options let them run.
#pragma once

#include <vector>
#include <weft/lcs/lcs.hpp>

namespace weft::lcs_detail {

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

struct engine_choice {
  engine id;
  device_choice device; // gpu: one that is there; automatic: not known yet
};

// Throws error(invalid_input) for an unknown engine and one that does not run on options.device,
// unavailable_error for a GPU that is not there.
[[nodiscard]] engine_choice choose_engine(const lcs_options& options);

[[nodiscard]] std::vector<engine_info> list_engines();

} // namespace weft::lcs_detail
