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

// A sort of 2^28 numbers of 64 bits for each GPU: the medians of five runs, in seconds, and of their steps.
struct gpu_steps {
  std::size_t num_gpus;
  std::string how; // in which groups numbers travel, and where the sorted numbers are
  double local_sort, cut_search, exchange, total;
  bool is_right;
};
// Returns the sorts on 1, 2, 4, ... GPUs. There must be two.
[[nodiscard]] std::vector<gpu_steps> run_large_gpu_sorts();

// Returns why several GPUs cannot sort here; nothing if they can.
[[nodiscard]] std::string why_no_gpu_sorts();

} // namespace weft::bench
