// Host functions that launch the kernels for texts of symbols of 16 and 32 bits. Symbol: uint16_t or
// uint32_t. Index is uint32_t or uint64_t and holds a position in the text. Parameters named d_... point to
// device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/bwt/core/bit_text.hpp>
#include <weft/bwt/core/symbol_codes.hpp>

namespace weft::bwt_detail {

// Sets *d_greatest to the greatest symbol of the text, n >= 1. Two phases, as CUB's functions.
template <class Symbol>
[[nodiscard]] cudaError_t find_greatest(void* d_temp, std::size_t& bytes, const Symbol* d_text,
                                        std::uint64_t n, Symbol* d_greatest, cudaStream_t stream);
// Sets the bits of the symbols that occur in the text (core/symbol_codes.hpp), and no others.
template <class Symbol>
void mark_symbols(const Symbol* d_text, std::uint64_t n, std::uint64_t* d_in_use, cudaStream_t stream);
// Sets d_before[g], for each of `groups` groups, to the number of symbols in use below group g. Two phases.
[[nodiscard]] cudaError_t sum_symbols(void* d_temp, std::size_t& bytes, const std::uint64_t* d_in_use,
                                      std::uint32_t* d_before, std::uint64_t groups, cudaStream_t stream);
// Packs the codes of the text into words_of_text() words.
template <class Symbol>
void pack_symbols(const Symbol* d_text, const symbol_codes& codes, std::uint64_t* d_words,
                  const bit_text& text, cudaStream_t stream);

// Does what write_sentinel_rows does, with the symbols before suffixes taken from the text.
template <class Symbol, class Index>
void write_symbol_rows(const Symbol* d_text, std::uint64_t n, const Index* d_suffixes, std::uint64_t count,
                       std::uint64_t first_row, const unsigned long long* d_row, Symbol* d_bwt,
                       cudaStream_t stream);

} // namespace weft::bwt_detail
