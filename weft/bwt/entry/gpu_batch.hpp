// Runs on a GPU the functions of bwt_batch.hpp, suffix_array.hpp and collection_bwt.hpp for batches and
// collections in host memory. Compiles also without a CUDA toolkit. gpu_transform.hpp says what an empty
// result means, and when device auto takes a GPU. text.size() >= 1; offsets ascend from 0 to text.size().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt_batch.hpp>
#include <weft/bwt/collection_bwt.hpp>

namespace weft::detail {

[[nodiscard]] std::optional<bwt_batch_text> bwt_batch_on_gpu(std::string_view text,
                                                             std::span<const std::uint64_t> offsets,
                                                             bwt_form form, const bwt_options& options);
template <class Index>
[[nodiscard]] std::optional<std::vector<Index>>
suffix_array_batch_on_gpu(std::string_view text, std::span<const std::uint64_t> offsets,
                          const bwt_options& options);
template <class Index>
[[nodiscard]] std::optional<std::vector<Index>>
collection_suffix_array_on_gpu(std::string_view text, std::span<const std::uint64_t> offsets,
                               const bwt_options& options);
[[nodiscard]] std::optional<collection_bwt_text> collection_bwt_on_gpu(std::string_view text,
                                                                       std::span<const std::uint64_t> offsets,
                                                                       const bwt_options& options);

} // namespace weft::detail
