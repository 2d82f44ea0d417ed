// Engine hunt-szymanski: visits the pairs (i, j) with a[i] = b[j] and no other cell of the table. For texts
// of many symbols, such as lines, of which most pairs differ. Hunt & Szymanski, Commun. ACM 20 (1977)
// 350-353; run from the ends backwards, so that what it leaves behind answers the questions of the canonical
// walk.
//
//   columns: of b from its end: column c is b[n - 1 - c]. L(i, c): the LCS of a[i..) and the last c symbols.
//   thresholds of row i: the columns c with L(i, c + 1) = L(i, c) + 1.
//
//   for i = m - 1 .. 0, for each occurrence c of a[i] in b, from the smallest on:
//     t = the smallest threshold that is at least c
//     t = c: nothing changes; else c takes the place of t, or is added if there is no t
//     the occurrences up to t are passed over: t was the only threshold that they could replace
//
// The thresholds of row m are none, and those of row 0 are as many as the LCS is long. They are a set of bits
// with summaries above them (column_set), in which the next threshold is found in a few operations.
// The time is O(m + n) and a few operations a pair, of which there are r.
//
// The canonical walk. In row i with c columns left, deleting a[i] is optimal iff L(i + 1, c) = L(i, c), which
// holds unless one of the replacements of row i took a threshold t >= c (or none at all) for one below c.
// Otherwise a[i] is matched with its next occurrence in b, which is the one with the largest column below c;
// the symbols of b before that one are inserted. Both are the rule of lcs.hpp.
//
// The replacements of the rows are kept for the walk, 8 bytes each, as many as the memory allows: the sweep
// keeps the thresholds at the beginning of every block of rows whose replacements fill it, and the walk
// repeats the sweep over the block that it comes to (but not over the last one, which is still there).
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cpu {

// A set of numbers below a bound, as bits; bit w of each further level says whether word w of the level below
// it has a bit.
class column_set {
public:
  explicit column_set(std::uint64_t bound) : bound_(bound) {
    for (std::uint64_t bits = bound; levels_.empty() || bits > 1; bits = levels_.back().size())
      levels_.emplace_back((bits + 63) / 64);
  }

  // The smallest member that is at least c < bound; the bound if there is none.
  [[nodiscard]] std::uint64_t next(std::uint64_t c) const {
    std::uint64_t at = c;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::uint64_t index = at / 64;
      if (index == levels_[level].size()) return bound_;
      if (const std::uint64_t bits = levels_[level][index] >> (at % 64); bits != 0) {
        at += static_cast<std::uint64_t>(std::countr_zero(bits));
        while (level > 0) {
          --level;
          at = 64 * at + static_cast<std::uint64_t>(std::countr_zero(levels_[level][at]));
        }
        return at;
      }
      at = index + 1;
    }
    return bound_;
  }

  // Puts c in the place of the smallest member above it, if there is one, and returns that member (the bound
  // if there is none); returns c and changes nothing if c is a member.
  std::uint64_t replace_next(std::uint64_t c) {
    std::uint64_t& bits = levels_.front()[c / 64];
    if (const std::uint64_t above = bits >> (c % 64); above != 0) { // both in one word: no summary changes
      const int distance = std::countr_zero(above);
      bits ^= ((std::uint64_t{1} << distance | 1) << (c % 64)) & -std::uint64_t{distance != 0};
      return c + static_cast<std::uint64_t>(distance);
    }
    const std::uint64_t found = next(c);
    if (found < bound_) erase(found);
    insert(c);
    return found;
  }

  void insert(std::uint64_t c) {
    for (auto& level : levels_) {
      const bool known = level[c / 64] != 0;
      level[c / 64] |= std::uint64_t{1} << (c % 64);
      if (known) return;
      c /= 64;
    }
  }

  void erase(std::uint64_t c) {
    for (auto& level : levels_) {
      level[c / 64] &= ~(std::uint64_t{1} << (c % 64));
      if (level[c / 64] != 0) return;
      c /= 64;
    }
  }

  // The bits themselves, for assign().
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return levels_.front(); }
  void assign(const std::vector<std::uint64_t>& words) {
    levels_.front() = words;
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      std::fill(levels_[level].begin(), levels_[level].end(), 0);
      for (std::uint64_t w = 0; w < levels_[level - 1].size(); ++w)
        levels_[level][w / 64] |= std::uint64_t{levels_[level - 1][w] != 0} << (w % 64);
    }
  }

private:
  std::uint64_t bound_;
  std::vector<std::vector<std::uint64_t>> levels_;
};

// The pairs (i, j) with a[i] = b[j], of symbols below sigma; 2^64 - 1 stands for all that is larger.
template <class Symbol>
[[nodiscard]] std::uint64_t matching_pairs(text<Symbol> a, text<Symbol> b, std::uint64_t sigma);

// Compiled for symbols of 8 and 32 bits.
template <class Symbol> class hunt_szymanski {
public:
  // Symbols are below sigma; b has 1 to max_columns of them.
  hunt_szymanski(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, progress& work);

  static constexpr std::uint64_t max_columns = std::numeric_limits<std::uint32_t>::max() - 1;

  // Bytes that a path needs at least, with so many matching pairs: the lists of columns, the counts of rows,
  // and for the replacements and the thresholds of blocks together twice the square root of pairs * n, where
  // both take equally much.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t m, std::uint64_t n, std::uint64_t sigma,
                                            std::uint64_t pairs);
  // Bytes that a value needs.
  [[nodiscard]] static std::uint64_t value_memory(std::uint64_t n, std::uint64_t sigma);

  // The length of the LCS.
  [[nodiscard]] std::uint64_t length();

  // The canonical path. The replacements that are kept at a time take up to log_bytes, or 16 n if that is
  // more. Space for so many runs is reserved.
  [[nodiscard]] edit_script path(std::uint64_t log_bytes, std::uint64_t runs = 0);

private:
  // A column that became a threshold in place of another one, or (replaced = n) beside all others.
  struct replacement {
    std::uint32_t column, replaced;
  };
  // Rows before `end`, down to the next block, and the thresholds of row `end`.
  struct block {
    std::uint64_t end;
    std::vector<std::uint64_t> thresholds;
  };

  [[nodiscard]] std::uint64_t occurrences(Symbol symbol) const {
    return first_[symbol + std::uint64_t{1}] - first_[symbol];
  }
  [[nodiscard]] std::uint64_t all_occurrences() const;
  template <class Use> void sweep_row(std::uint64_t row, const Use& use);
  void log_row(std::uint64_t row);
  std::uint64_t walk_row(std::uint64_t row, std::uint64_t left, edit_script& path);
  void account(std::uint64_t row);

  text<Symbol> a_;
  progress& work_;
  column_set thresholds_;
  std::uint64_t n_;
  std::vector<std::uint32_t> first_;   // of each symbol, and one past the last: where its columns begin
  std::vector<std::uint32_t> columns_; // in which each symbol occurs, ascending
  std::vector<replacement> log_;       // of the rows of a block, the last row first
  std::vector<std::uint32_t> row_counts_;
  std::uint64_t pending_ = 0; // cells that the monitor does not know of yet
};

extern template class hunt_szymanski<std::uint8_t>;
extern template class hunt_szymanski<std::uint32_t>;

} // namespace weft::lcs_cpu
