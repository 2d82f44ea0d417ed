// Computes suffix arrays and transforms of texts in host memory on a GPU, for the functions of
// suffix_array.hpp and bwt.hpp. Compiles also without a CUDA toolkit.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>

namespace weft::detail {

// The number of symbols from which device auto takes a GPU: to initialize a GPU takes a process a quarter of
// a second, in which a CPU sorts about as many suffixes.
inline constexpr std::uint64_t gpu_symbols = std::uint64_t{1} << 22;

// The same number for LCP arrays, and the name of their engine: sixteen threads of a CPU take that time for
// so many symbols, at 43 ns a symbol and thread.
inline constexpr std::uint64_t gpu_lcp_symbols = std::uint64_t{1} << 26;
inline constexpr const char* lcp_engine = "permuted-lcp";

// Each function returns false or nothing, and has done nothing, if the work is not to run on a GPU: because
// options.device says so, or because it is auto and there is no GPU, there are too few symbols, or the GPU's
// memory is too small. Otherwise it sets options.used. The text must not be empty. `lcp` of
// suffix_array_on_gpu may be null; otherwise it becomes the LCP array, or stays empty if the memory is too
// small for the LCP array alone.
template <class Index>
[[nodiscard]] bool suffix_array_on_gpu(std::string_view text, std::span<Index> sa, std::vector<Index>* lcp,
                                       const bwt_options& options);
template <class Index>
[[nodiscard]] bool lcp_array_on_gpu(std::string_view text, std::span<const Index> sa, std::span<Index> lcp,
                                    const bwt_options& options);
// Symbol is uint16_t or uint32_t. Device auto decides by the number of bytes of the text, because a CPU takes
// longer for such symbols than for bytes.
template <class Index, class Symbol>
[[nodiscard]] bool symbols_sorted_on_gpu(std::span<const Symbol> text, std::span<Index> sa,
                                         const bwt_options& options);
[[nodiscard]] std::optional<bwt_text> bwt_on_gpu(std::string_view text, bwt_form form,
                                                 const bwt_options& options);

} // namespace weft::detail
