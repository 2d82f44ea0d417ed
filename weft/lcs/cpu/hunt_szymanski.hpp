// Engine hunt-szymanski visits the pairs (i, j) with a[i] = b[j] and no other cell of the table. It suits
// texts of many different symbols, such as lines, most pairs of which differ. Hunt & Szymanski, Commun. ACM
// 20 (1977) 350-353. The engine runs backwards from the ends of the texts, because the canonical walk,
// which goes forwards, then needs exactly the values that the sweep leaves behind.
//
//   Columns count the symbols of b from its end: column c is b[n - 1 - c].
//   L(i, c) is the LCS of a[i..) and the last c symbols of b.
//   The thresholds of row i are the columns c with L(i, c + 1) = L(i, c) + 1.
//
//   for i = m - 1 .. 0, for each occurrence c of a[i] in b, from the smallest on:
//     t = the smallest threshold that is at least c
//     if t = c, nothing changes; otherwise c replaces t, or is added if there is no t
//     skip the occurrences up to t, because t was the only threshold that they could replace
//
// Row m has no thresholds, and row 0 has as many as the LCS is long. The thresholds are a set of bits with
// summaries above them (column_set), in which the next threshold is found in a few operations. The time is
// O(m + n) and a few operations for each of the r pairs.
//
// The canonical walk. In row i with c columns left, deleting a[i] is optimal iff L(i + 1, c) = L(i, c).
// This holds unless one of the replacements of row i replaced a threshold t >= c (or no threshold) by one
// below c. If deleting is not optimal, a[i] is matched with its next occurrence in b, which is the one with
// the largest column below c, and the symbols of b before that occurrence are inserted. Both are the rule
// of lcs.hpp.
//
// The replacements of the rows are logged for the walk, with 8 bytes each, as many as memory allows. The
// rows whose replacements fill that memory are a block. The sweep keeps the thresholds at the beginning of
// every block, and the walk repeats the sweep of each block that it comes to, except for the block that was
// swept last, whose log still exists.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

// A set of numbers below a bound, as bits. On each further level, bit w says whether word w of the level
// below has a bit.
class column_set {
public:
  explicit column_set(std::uint64_t bound) : bound_(bound) {
    for (std::uint64_t bits = bound; levels_.empty() || bits > 1; bits = levels_.back().size())
      levels_.emplace_back((bits + 63) / 64);
  }

  // Returns the smallest member that is at least c < bound, or the bound if there is none.
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

  // Replaces the smallest member above c by c, and returns that member. If there is none, inserts c and
  // returns the bound. If c is a member, changes nothing and returns c.
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

  // The bits themselves, which assign() takes.
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

// Returns the number of pairs (i, j) with a[i] = b[j], of symbols below sigma; 2^64 - 1 stands for all
// larger numbers.
template <class Symbol>
[[nodiscard]] std::uint64_t matching_pairs(text<Symbol> a, text<Symbol> b, std::uint64_t sigma);

// Computes the LCS of two texts from their matching pairs. Compiled for symbols of 8 and 32 bits.
template <class Symbol> class hunt_szymanski {
public:
  // Symbols are below sigma; b has 1 to max_columns symbols.
  hunt_szymanski(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, cell_counter& work);

  static constexpr std::uint64_t max_columns = std::numeric_limits<std::uint32_t>::max() - 1;

  // Returns the number of bytes that a path with `pairs` matching pairs needs at least. These are the lists
  // of columns, the counts of rows, and 2 sqrt(pairs * n) bytes for replacements and block thresholds
  // together, which is where both take the same memory.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t m, std::uint64_t n, std::uint64_t sigma,
                                            std::uint64_t pairs);
  // Returns the number of bytes that a value needs.
  [[nodiscard]] static std::uint64_t value_memory(std::uint64_t n, std::uint64_t sigma);

  // Returns the length of the LCS.
  [[nodiscard]] std::uint64_t length();

  // Returns the canonical path. The log of replacements takes up to log_bytes, or 16 n bytes if that is
  // more. Reserves memory for `runs` runs.
  [[nodiscard]] edit_script path(std::uint64_t log_bytes, std::uint64_t runs = 0);

private:
  // A column that became a threshold and replaced another threshold, or (replaced = n) replaced none.
  struct replacement {
    std::uint32_t column, replaced;
  };
  // A block of rows: the rows before `end`, down to the next block, and the thresholds of row `end`.
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
  void report_progress(std::uint64_t row);

  text<Symbol> a_;
  cell_counter& work_;
  column_set thresholds_;
  std::uint64_t n_;
  std::vector<std::uint32_t> first_;   // the begin of each symbol's list in columns_, and the end of the last
  std::vector<std::uint32_t> columns_; // the columns in which each symbol occurs, ascending
  std::vector<replacement> log_;       // of the rows of a block; the last row comes first
  std::vector<std::uint32_t> row_counts_;
  std::uint64_t pending_ = 0; // cells that the monitor does not know yet
};

extern template class hunt_szymanski<std::uint8_t>;
extern template class hunt_szymanski<std::uint32_t>;

// Return the distance and the canonical path of two texts of symbols below sigma, without substitutions. The
// log of a path takes as much of the memory as is left, up to 1 GiB.
template <class Symbol>
[[nodiscard]] std::uint64_t hunt_szymanski_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                                    const lcs_call& call);
template <class Symbol>
[[nodiscard]] edit_script hunt_szymanski_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                              const lcs_call& call);

} // namespace weft::lcs_detail
