// Sorts numbers in host memory on a GPU (cuda/run_sort.hpp), for the functions of sort.hpp. This header also
// compiles without a CUDA toolkit.
//
// Each function returns false, and has done nothing, if the work is not to run on a GPU. This is so if the
// choice is a CPU, and, for device auto, if there is no GPU, if the numbers are too few or too narrow, or if
// they do not fit the GPU's memory at once. If a GPU is asked for and the numbers do not fit, they are sorted
// in runs, which are merged on the host; merging takes as much memory again as the result.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/entry/engine_choice.hpp>

namespace weft::detail {

// Device auto uses a GPU for at least this many items, of 32 bits or more. A CPU sorts fewer items before
// they could have gone to the GPU and back, and the first call of a process spends a quarter of a second on
// initializing the GPU.
inline constexpr std::uint64_t min_gpu_items = std::uint64_t{1} << 26;

// Sorts the items. Stable.
[[nodiscard]] bool sort_on_gpu(const sort_choice& choice, void* items, std::uint64_t num_items,
                               const number_type& type, const sort_options& options);
// Sets `order` to the result of argsort.
[[nodiscard]] bool argsort_on_gpu(const sort_choice& choice, const void* items, std::uint64_t num_items,
                                  const number_type& type, std::vector<std::uint64_t>& order,
                                  const sort_options& options);
// Writes the first k of the sorted items to first[0 .. k-1]. k <= num_items.
[[nodiscard]] bool top_k_on_gpu(const sort_choice& choice, const void* items, std::uint64_t num_items,
                                const number_type& type, void* first, std::uint64_t k,
                                const sort_options& options);

} // namespace weft::detail
