// Suffix arrays and transforms of texts in host memory on a GPU, as the functions of suffix_array.hpp and
// bwt.hpp use it; compiles also where there is no CUDA toolkit.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// From so many symbols device auto takes a GPU: to take one up costs a process a quarter of a second, in
// which a CPU sorts about so many suffixes.
inline constexpr std::uint64_t gpu_symbols = std::uint64_t{1} << 22;

// The same for LCP arrays, whose engine has this name: sixteen threads of a CPU take that time for so many
// symbols, at 43 ns a symbol and thread.
inline constexpr std::uint64_t gpu_lcp_symbols = std::uint64_t{1} << 26;
inline constexpr const char* lcp_engine = "permuted-lcp";

// Each returns false or nothing, and has done nothing, where it is not to run on a GPU: by the choice; or
// device is auto and there is none, the symbols are too few, or its memory is. n >= 1. Else they set
// options.used. lcp of suffix_array_on_gpu: null, or becomes the LCP array, or stays empty where memory is
// too little for that alone.
template <class Index>
[[nodiscard]] bool suffix_array_on_gpu(std::string_view text, std::span<Index> sa, std::vector<Index>* lcp,
                                       const bwt_options& options);
template <class Index>
[[nodiscard]] bool lcp_array_on_gpu(std::string_view text, std::span<const Index> sa, std::span<Index> lcp,
                                    const bwt_options& options);
// Symbol: uint16_t or uint32_t. As their bytes are enough: a CPU takes longer for them than for bytes.
template <class Index, class Symbol>
[[nodiscard]] bool symbols_sorted_on_gpu(std::span<const Symbol> text, std::span<Index> sa,
                                         const bwt_options& options);
[[nodiscard]] std::optional<bwt_text> bwt_on_gpu(std::string_view text, bwt_form form,
                                                 const bwt_options& options);

} // namespace weft::detail
