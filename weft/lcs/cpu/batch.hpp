// Computes eight tables at once: one text as rows against eight texts as columns, with a word of each text
// in the lanes of a vector. Each lane does the step of core/bit_vector.hpp. All lanes read the same row
// symbol, so one load fetches the match masks of all eight texts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::lcs_detail {

inline constexpr std::size_t batch_lanes = 8;

// Returns the number of 64-bit lanes in this processor's vectors. The estimated speeds of the vector
// engines depend on it.
[[nodiscard]] std::size_t vector_words();

// The match masks of the columns: word w of symbol s for lane l is masks[(s * words + w) * batch_lanes +
// l].
struct batch_columns {
  const std::uint64_t* masks;
  std::size_t words;
};

// Computes m rows of LCS tables. `vector` has words * batch_lanes entries, which must be all ones at the
// start. Afterwards zeros mark the columns at which the LCS grows.
void lcs_batch(batch_columns columns, const std::uint8_t* rows, std::size_t m, std::uint64_t* vector);

// Computes m rows of edit distance tables. `plus` must be all ones and `minus` all zeros at the start.
// Afterwards they mark the columns at which the distance grows or falls by one.
void edit_batch(batch_columns columns, const std::uint8_t* rows, std::size_t m, std::uint64_t* plus,
                std::uint64_t* minus);

} // namespace weft::lcs_detail
