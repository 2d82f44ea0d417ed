// Defines the rows of sort_gpu_bench.cu for keys with values.
#include <bench/sort/gpu_engines.cuh>

namespace weft_bench {

void define_pairs() {
  define_type<std::uint32_t, std::uint32_t>("u32+u32", usual_sizes);
  define_type<std::uint64_t, std::uint32_t>("u64+u32", usual_sizes);
  define_type<std::uint64_t, std::uint64_t>("u64+u64", usual_sizes);
}

} // namespace weft_bench
