// Sorts on several GPUs, for `weft-bench scale`. Without a CUDA toolkit there is none.
#pragma once

#include <bench/scale/measure.hpp>
#include <string>
#include <vector>

namespace weft::bench {

// The sorts of 2^28 numbers of 64 bits on 1, 2, 4, ... GPUs of this machine; and why there is none, or what
// was measured for the predictions.
struct gpu_jobs {
  std::vector<measured_job> sorts; // sorts[i] on 2^i GPUs
  std::string about;
};
[[nodiscard]] gpu_jobs run_gpu_sorts();

} // namespace weft::bench
