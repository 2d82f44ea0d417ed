// Numbers of host memory on a GPU (cuda/run_sort.hpp), as the functions of sort.hpp use it; compiles also
// where there is no CUDA toolkit.
//
// Each returns false, and has done nothing, where it is not to run on a GPU: by the choice; or device is auto
// and there is none, the numbers are too few or too narrow, or they do not fit its memory at once. Runs of
// what does not fit are merged on the host, which takes as much memory again as the result.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/entry/engine_choice.hpp>

namespace weft::detail {

// From so many items of 32 bits or more device auto takes a GPU. Fewer a CPU has sorted before they have gone
// to the GPU and back, and the first call of a process has to take up the GPU: a quarter of a second.
inline constexpr std::uint64_t gpu_items = std::uint64_t{1} << 26;

// Stable.
[[nodiscard]] bool sort_on_gpu(const sort_choice& choice, void* items, std::uint64_t num_items,
                               const number_type& type, const sort_options& options);
// The result of argsort.
[[nodiscard]] bool order_on_gpu(const sort_choice& choice, const void* items, std::uint64_t num_items,
                                const number_type& type, std::vector<std::uint64_t>& order,
                                const sort_options& options);
// first[0 .. k-1]: of the sorted items; k <= n.
[[nodiscard]] bool first_on_gpu(const sort_choice& choice, const void* items, std::uint64_t num_items,
                                const number_type& type, void* first, std::uint64_t k,
                                const sort_options& options);

} // namespace weft::detail
