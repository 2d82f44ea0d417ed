// The methods of `weft-bench sort` that sort keys with values, and records, in the memory of the first GPU.
// The header also compiles without a CUDA toolkit; each method then reports that it is unavailable.
#pragma once

#include <bench/gpu.hpp>
#include <bench/sort/cases.hpp>
#include <vector>

namespace weft::bench {

// Returns methods that sort pairs or records, unstably and stably, and CUB's radix sort (of pairs) and merge
// sort as yardsticks. `keys` are those of the input. The GPU checks each answer completely: the keys are in
// order, each key of the input occurs once, with its value, and equal keys keep their order if the sort is
// stable.
[[nodiscard]] std::vector<method> pairs_in_gpu_memory(item_kind items, const item_source& keys);

} // namespace weft::bench
