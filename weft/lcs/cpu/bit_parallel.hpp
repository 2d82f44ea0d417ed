// Engine bit-parallel: 64 columns of a row in one word (Crochemore et al. 2001, Listing 3 of Kawanami &
// Fujimoto; for Levenshtein Myers 1999 and Hyyro 2003).
//
//   V = all ones, n bits;  for each symbol x of a:  V = (V + (V & M[x])) | (V & ~M[x])
//
// Listing 3 puts the bits along one text and walks along the other. The final vector holds the differences
// of adjacent cells in the last line of the table along the bits. Here the bits lie along b, so that line
// is the last row, which Hirschberg's split of a needs.
//
// Unlike Listing 3, this engine cuts the n bits into strips of strip_words words. A strip goes through all
// of a before the next strip begins, with its part of V in registers; the carries over its right edge are
// kept in one byte for each row. So only the match masks of one strip are kept: 256 masks for bytes, and
// the masks of the symbols that occur for numbers. O(m n / 64) time, m + n / 2 bytes for each thread.
//
// Bytes may be wildcards, which equal every byte: a wildcard in b has its bit in every match mask, and the
// mask of a wildcard in a has all bits. Nothing else changes, because no step relies on equality being
// transitive.
#pragma once

#include <array>
#include <bit>
#include <vector>
#include <weft/lcs/core/bit_vector.hpp>
#include <weft/lcs/cpu/hirschberg.hpp>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// The match masks of columns that fill up to Words words.
template <class Symbol, int Words> class match_masks;

// For bytes: a table of 256 masks.
template <int Words> class match_masks<std::uint8_t, Words> {
public:
  // `wildcards` is null if there are none.
  template <class Column>
  match_masks(std::size_t columns, Column column, const byte_set* wildcards) : masks_(256) {
    for (std::size_t j = 0; j < columns; ++j) masks_[column(j)][j / word_bits] |= word{1} << (j % word_bits);
    if (wildcards != nullptr) add_wildcards(*wildcards);
  }
  [[nodiscard]] const std::array<word, Words>& operator[](std::uint8_t symbol) const {
    return masks_[symbol];
  }

private:
  void add_wildcards(const byte_set& wildcards) {
    std::array<word, Words> wild{}, all{};
    for (std::size_t symbol = 0; symbol < 256; ++symbol)
      for (std::size_t w = 0; w < Words; ++w) {
        all[w] |= masks_[symbol][w];
        if (wildcards.contains(static_cast<std::uint8_t>(symbol))) wild[w] |= masks_[symbol][w];
      }
    for (std::size_t symbol = 0; symbol < 256; ++symbol)
      for (std::size_t w = 0; w < Words; ++w)
        masks_[symbol][w] |= wildcards.contains(static_cast<std::uint8_t>(symbol)) ? all[w] : wild[w];
  }

  std::vector<std::array<word, Words>> masks_;
};

// For numbers: a hash table with open addressing. Slot 0 of the masks is for symbols that do not occur.
template <int Words> class match_masks<std::uint32_t, Words> {
public:
  template <class Column>
  match_masks(std::size_t columns, Column column, const byte_set* /*for bytes only*/)
      : shift_(32 - std::bit_width(columns | 1)), table_(std::size_t{1} << (32 - shift_)), masks_(1) {
    for (std::size_t j = 0; j < columns; ++j) {
      entry& found = table_[find(column(j))];
      if (found.slot == 0) {
        found = {column(j), static_cast<std::uint32_t>(masks_.size())};
        masks_.emplace_back();
      }
      masks_[found.slot][j / word_bits] |= word{1} << (j % word_bits);
    }
  }
  [[nodiscard]] const std::array<word, Words>& operator[](std::uint32_t symbol) const {
    return masks_[table_[find(symbol)].slot];
  }

private:
  struct entry {
    std::uint32_t symbol = 0, slot = 0;
  };
  // Returns the index of the entry of `symbol`, or of the free entry for it. The table has more entries
  // than columns.
  [[nodiscard]] std::size_t find(std::uint32_t symbol) const {
    std::size_t at = (symbol * 2654435769U) >> shift_;
    while (table_[at].slot != 0 && table_[at].symbol != symbol) at = (at + 1) & (table_.size() - 1);
    return at;
  }
  int shift_;
  std::vector<entry> table_;
  std::vector<std::array<word, Words>> masks_;
};

// The Engine of hirschberg() that fills tables by bit vectors.
template <class Symbol> class bit_parallel_rows {
public:
  // `wildcards` is null if there are none; it is for bytes only.
  bit_parallel_rows(bool edit, cell_counter& work, const byte_set* wildcards = nullptr)
      : edit_(edit), work_(work), wildcards_(wildcards) {}

  [[nodiscard]] bool edit() const { return edit_; }
  [[nodiscard]] bool equal(Symbol x, Symbol y) const {
    if constexpr (sizeof(Symbol) == 1)
      if (wildcards_ != nullptr && (wildcards_->contains(x) || wildcards_->contains(y))) return true;
    return x == y;
  }
  [[nodiscard]] static std::uint64_t memory(std::uint64_t m, std::uint64_t n) { return m + n / 2 + 65536; }

  // Returns the distance. Several threads compute a large table from both ends at once.
  [[nodiscard]] std::uint64_t distance(text<Symbol> a, text<Symbol> b, int threads) {
    if (threads > 1 && cells(a.size(), b.size()) >= 8 * min_cells_per_thread)
      return split(a, b, threads).distance;
    std::uint64_t sum = a.size();
    const differences row = last_row<false>(a, b);
    for (std::size_t w = 0; w < row.plus.size(); ++w)
      sum += static_cast<std::uint64_t>(std::popcount(row.plus[w])) -
             static_cast<std::uint64_t>(std::popcount(row.minus[w]));
    return sum;
  }

  // Returns the smallest column in which an optimal path touches row m / 2, and the distance.
  [[nodiscard]] meeting split(text<Symbol> a, text<Symbol> b, int threads) {
    const std::size_t mid = a.size() / 2, n = b.size();
    differences above, below;
    const bool in_parallel = threads > 1 && cells(a.size(), n) >= 8 * min_cells_per_thread;
    run_team(in_parallel ? 2 : 1, [&](int member) {
      if (member == 0) above = last_row<false>(a.first(mid), b);
      if (member == 1 || !in_parallel) below = last_row<true>(a.subspan(mid), b);
    });
    // At column 0 there are mid deletions above, and all of b against the rest of a below.
    auto sum = static_cast<std::int64_t>(a.size());
    for (std::size_t w = 0; w < below.plus.size(); ++w)
      sum += std::popcount(below.plus[w]) - std::popcount(below.minus[w]);
    std::int64_t min_sum = sum;
    std::size_t best = 0;
    for (std::size_t k = 0; k < n; ++k) {
      sum += above.at(k) - below.at(n - 1 - k);
      if (sum < min_sum) {
        min_sum = sum;
        best = k + 1;
      }
    }
    return {best, static_cast<std::uint64_t>(min_sum)};
  }

private:
  // Bit j says whether row[j + 1] - row[j] is +1 or -1. Bits past the last column are zero.
  struct differences {
    std::vector<word> plus, minus;
    [[nodiscard]] int at(std::size_t j) const {
      const std::size_t w = j / word_bits, shift = j % word_bits;
      return static_cast<int>(plus[w] >> shift & 1) - static_cast<int>(minus[w] >> shift & 1);
    }
  };

  // Returns the last row of the table of a and b; if Backward, both are read backwards.
  template <bool Backward> [[nodiscard]] differences last_row(text<Symbol> a, text<Symbol> b) {
    const std::size_t words = (b.size() + word_bits - 1) / word_bits;
    differences row{std::vector<word>(words), std::vector<word>(words)};
    if (words > strip_words) {
      // The left edge of the table grows by one with each row: a plus carry of 1 for edit, no carry for
      // lcs.
      std::vector<std::uint8_t> carries(a.size(), edit_ ? 1 : 0);
      for (std::size_t first = 0; first < words; first += strip_words)
        sweep_strip<Backward, strip_words>(a, b, first, carries.data(), row);
    } else if (words > 2) {
      sweep_strip<Backward, strip_words>(a, b, 0, nullptr, row);
    } else if (words > 1) {
      sweep_strip<Backward, 2>(a, b, 0, nullptr, row);
    } else if (words == 1) {
      sweep_strip<Backward, 1>(a, b, 0, nullptr, row);
    }
    if (const std::size_t used = b.size() % word_bits; used != 0) {
      row.plus.back() &= (word{1} << used) - 1;
      row.minus.back() &= (word{1} << used) - 1;
    }
    return row;
  }

  // Computes the words first .. first + Words - 1 of the last row. `carries` has one byte for each row,
  // which is read and replaced; it is null if there is only one strip.
  template <bool Backward, int Words>
  void sweep_strip(text<Symbol> a, text<Symbol> b, std::size_t first, std::uint8_t* carries,
                   differences& row) {
    const std::size_t begin = first * word_bits;
    const std::size_t columns = std::min<std::size_t>(Words * word_bits, b.size() - begin);
    const match_masks<Symbol, Words> masks(
        columns, [&](std::size_t j) { return b[Backward ? b.size() - 1 - begin - j : begin + j]; },
        wildcards_);
    std::array<word, Words> plus, minus{};
    plus.fill(~word{0});
    constexpr std::size_t rows_at_once = std::size_t{1} << 16;
    for (std::size_t i = 0; i < a.size(); i += rows_at_once) {
      const std::size_t rows = std::min(rows_at_once, a.size() - i);
      const Symbol* symbols = Backward ? a.data() + a.size() - 1 - i : a.data() + i;
      std::uint8_t* const carry = carries == nullptr ? nullptr : carries + i;
      if (edit_)
        edit_rows<Backward, Words>(symbols, rows, masks, carry, plus, minus);
      else
        lcs_rows<Backward, Words>(symbols, rows, masks, carry, plus);
      work_.add(rows * columns);
    }
    const std::size_t used = std::min<std::size_t>(Words, row.plus.size() - first);
    for (std::size_t w = 0; w < used; ++w) {
      row.plus[first + w] = plus[w];
      row.minus[first + w] = edit_ ? minus[w] : ~plus[w];
    }
  }

  // Computes rows of a strip for lcs and indel.
  template <bool Backward, int Words>
  static void lcs_rows(const Symbol* symbols, std::size_t rows, const match_masks<Symbol, Words>& masks,
                       std::uint8_t* carries, std::array<word, Words>& vector) {
    std::array<word, Words> v = vector;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::array<word, Words>& match = masks[Backward ? *(symbols - i) : symbols[i]];
      word carry = carries == nullptr ? 0 : carries[i];
      for (std::size_t w = 0; w < Words; ++w) lcs_detail::lcs_step(v[w], match[w], carry);
      if (carries != nullptr) carries[i] = static_cast<std::uint8_t>(carry);
    }
    vector = v;
  }

  // Computes rows of a strip for edit.
  template <bool Backward, int Words>
  static void edit_rows(const Symbol* symbols, std::size_t rows, const match_masks<Symbol, Words>& masks,
                        std::uint8_t* carries, std::array<word, Words>& plus,
                        std::array<word, Words>& minus) {
    std::array<word, Words> p = plus, q = minus;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::array<word, Words>& match = masks[Backward ? *(symbols - i) : symbols[i]];
      const word packed = carries == nullptr ? 1 : carries[i];
      edit_carry carry{packed & 1, packed >> 1};
      for (std::size_t w = 0; w < Words; ++w) lcs_detail::edit_step(p[w], q[w], match[w], carry);
      if (carries != nullptr) carries[i] = static_cast<std::uint8_t>(carry.plus | carry.minus << 1);
    }
    plus = p;
    minus = q;
  }

  static constexpr int strip_words = 8;
  bool edit_;
  cell_counter& work_;
  const byte_set* wildcards_;
};

// Return the distance and the canonical path of two texts. Wildcards are compared, too.
template <class Symbol>
[[nodiscard]] std::uint64_t bit_parallel_distance(text<Symbol> a, text<Symbol> b, const lcs_call& call);
template <class Symbol>
[[nodiscard]] edit_script bit_parallel_path(text<Symbol> a, text<Symbol> b, const lcs_call& call);

} // namespace weft::lcs_detail
