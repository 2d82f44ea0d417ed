// Plans the computation of all pairs of a batch on a GPU (systolic_batch.cpp): which pairs are computed
// together, and how many of them by one launch. Only the lengths of the sequences are needed, which therefore
// are in host memory, even if the sequences themselves are in device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>
#include <weft/lcs/cuda/batch_kernels.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::lcs_detail {

// The sequences in order of their length, and how their pairs are computed.
struct batch_plan {
  std::vector<std::uint32_t> order;  // by length
  std::vector<std::int64_t> lengths; // in that order
  std::vector<int> cuts; // p is paired in the batch with q < cuts[p], and in separate tables with the others
  std::vector<std::int64_t> begins; // where the values of p begin
  int first = 0, last = 0;          // the rows p of the share, which are paired; see keep_share()
  std::uint64_t cells = 0;          // of the tables of these rows
  std::int64_t max_columns = 0;     // of a pair whose rows need more than one band
  [[nodiscard]] int count() const { return static_cast<int>(order.size()); }
};

// A range of rows that one launch computes.
struct batch_piece {
  int first, last; // the rows
  batch_shape shape;
  std::uint64_t cells;
};

[[nodiscard]] inline std::size_t to_size(std::int64_t count) { return static_cast<std::size_t>(count); }

// Plans the pairs of a share of the sequences between the offsets, of which there are at least two. Throws
// error(invalid_input) if there are more than 2^30 sequences.
[[nodiscard]] batch_plan plan_batch(std::span<const std::uint64_t> offsets,
                                    const lcs_options::pair_share& share = {});

// Sets which rows of a plan of all pairs belong to a share, and leaves out the pairs of the others. The
// shares have about as many cells each.
void keep_share(batch_plan& plan, const lcs_options::pair_share& share);

// Returns the shape of engine systolic that wastes the fewest rows, with as few bands as possible.
[[nodiscard]] batch_shape shape_for(std::int64_t rows, bool edit);

// Cuts the rows into pieces of at most `capacity` values and max_cells cells, unless a single row has more,
// with rows of one shape. shape_of(rows) is the shape of a sequence of this length.
[[nodiscard]] std::vector<batch_piece>
cut_into_pieces(const batch_plan& plan, std::int64_t capacity, double max_cells,
                const std::function<batch_shape(std::int64_t)>& shape_of);

} // namespace weft::lcs_detail
