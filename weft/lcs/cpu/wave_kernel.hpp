// The inner loop of engine affine-wavefront (affine_wavefront.hpp): computes one level on consecutive
// diagonals from earlier levels, all diagonals at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::lcs_detail {

// The levels that one level is computed from. Every pointer points to the entry of the first diagonal, and
// entries of the neighbouring diagonals can be read, too. With gap_open = 0, the closing gaps are those that
// are being computed.
template <class Index> struct wave_step {
  std::size_t count;                               // the number of diagonals, at least 1
  Index first_diagonal;                            // the first of them
  const Index *open, *deleting, *inserting;        // gap_extend levels before: M, D and I
  const Index* mismatched;                         // mismatch levels before: M
  const Index *closed_deleting, *closed_inserting; // gap_open levels before: D and I
  Index *to_m, *to_d, *to_i; // the level to compute; to_m is not yet extended by matches
};

void compute_wave(const wave_step<std::int32_t>& step);
void compute_wave(const wave_step<std::int64_t>& step);

} // namespace weft::lcs_detail
