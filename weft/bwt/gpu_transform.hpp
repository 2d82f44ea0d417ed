// Suffix arrays and transforms of texts in host memory on a GPU, as the functions of suffix_array.hpp and
// bwt.hpp use it; compiles also where there is no CUDA toolkit.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// From so many symbols device auto takes a GPU: to take one up costs a process a quarter of a second, in
// which a CPU sorts about so many suffixes.
inline constexpr std::uint64_t gpu_symbols = std::uint64_t{1} << 22;

// Each returns false or nothing, and has done nothing, where it is not to run on a GPU: by the choice; or
// device is auto and there is none, the symbols are too few, or its memory is. n >= 1.
template <class Index>
[[nodiscard]] bool suffix_array_on_gpu(std::string_view text, std::span<Index> sa,
                                       const bwt_options& options);
// Symbol: uint16_t or uint32_t. As their bytes are enough: a CPU takes longer for them than for bytes.
template <class Index, class Symbol>
[[nodiscard]] bool symbols_sorted_on_gpu(std::span<const Symbol> text, std::span<Index> sa,
                                         const bwt_options& options);
[[nodiscard]] std::optional<bwt_text> bwt_on_gpu(std::string_view text, bwt_form form,
                                                 const bwt_options& options);

} // namespace weft::detail
