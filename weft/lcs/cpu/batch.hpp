// Eight tables at once: one text as rows against eight as columns, a word of each in the lanes of a vector.
// The step on each lane is that of core/bit_vector.hpp; all lanes read the same row symbol, so the eight
// match masks are one load.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::lcs_cpu {

inline constexpr std::size_t batch_lanes = 8;

// 64-bit lanes of this processor's vectors: what speeds of the vector engines go by.
[[nodiscard]] std::size_t vector_words();

// The columns' match masks: word w of symbol s for lane l at masks[(s * words + w) * batch_lanes + l].
struct batch_columns {
  const std::uint64_t* masks;
  std::size_t words;
};

// vector: words * batch_lanes entries, all ones before; after m rows, zeros are the columns where the lcs
// grows.
void lcs_batch(batch_columns columns, const std::uint8_t* rows, std::size_t m, std::uint64_t* vector);

// plus all ones, minus all zeros before; after m rows, the columns where the distance grows or falls by one.
void edit_batch(batch_columns columns, const std::uint8_t* rows, std::size_t m, std::uint64_t* plus,
                std::uint64_t* minus);

} // namespace weft::lcs_cpu
