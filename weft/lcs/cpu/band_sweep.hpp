// Computes a band of rows of a table whose other rows are computed elsewhere, by engine bit-sliced.
//
// The bands of a table lie one below the other. What passes from a band to the next one are the differences
// of adjacent cells of a row, one bit a cell (edit: two), in the form of the words of a boundary: bit c % 64
// of word c / 64 belongs to column c. A band takes them and passes them on in pieces of a few columns, so
// that the bands of a table are computed at the same time, each some columns behind the one above it:
//
//   for each piece of columns:
//     take the differences above the band
//     for each strip of the band: compute the blocks whose differences above are known
//     pass on the differences below the band that are known
//
// A strip is `lanes` columns behind the one above it. Several threads divide the strips of a band into bands
// of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/cpu/hirschberg.hpp>

namespace weft::lcs_detail {

// How a band exchanges differences with its neighbours. A piece has `words` words for each word of a cell
// (bit_sliced_table::cell_words()): first those of the first word of the cells, and then those of the second.
// The last piece of a row may be shorter. take() is called by one thread, pass() by the same or another one.
struct band_links {
  std::uint64_t words;                                      // of a piece, at least 1
  std::function<void(std::span<std::uint64_t>)> take;       // fills the next piece; null: the band is topmost
  std::function<void(std::span<const std::uint64_t>)> pass; // takes over the next piece
};

// Computes the table of a band, which must have a row and a column. Extra memory: O(rows + columns) bits.
void sweep_band(const bit_sliced_table& table, const band_links& links, int threads, cell_counter& work);

// A row of a table as differences: words[k] has (columns + 63) / 64 words.
struct row_differences {
  std::vector<std::uint64_t> words[2];
};

// Returns the smallest column in which the two parts of a table meet, and the distance. `above` is the row
// below the first `above_rows` rows of the table, which has `columns` columns; `below` is the row below the
// `below_rows` rows of the table of the reversed other symbols. O(columns).
[[nodiscard]] meeting meet(bool edit, std::uint64_t columns, std::uint64_t above_rows,
                           const row_differences& above, std::uint64_t below_rows,
                           const row_differences& below);

} // namespace weft::lcs_detail
