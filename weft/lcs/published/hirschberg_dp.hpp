// Engine hirschberg-dp computes the table cell by cell, two rows at a time (Listing 1 of Kawanami &
// Fujimoto).
//
//   D[i][0] = i, D[0][j] = j
//   D[i][j] = D[i-1][j-1]                                        if a[i-1] = b[j-1]
//           = 1 + min(D[i-1][j], D[i][j-1] [, D[i-1][j-1]])      otherwise; the third with substitutions
//
// One row is enough, because the old D[i-1][j-1] is kept in a variable. O(m n) time, 16 (n + 1) bytes for
// each thread.
#pragma once

#include <vector>
#include <weft/lcs/cpu/hirschberg.hpp>

namespace weft::lcs_detail {

// The Engine of hirschberg() that fills tables cell by cell.
template <class Symbol> class hirschberg_dp_rows {
public:
  hirschberg_dp_rows(bool edit, cell_counter& work) : edit_(edit), work_(work) {}

  [[nodiscard]] bool edit() const { return edit_; }
  [[nodiscard]] static bool equal(Symbol x, Symbol y) { return x == y; }
  [[nodiscard]] static std::uint64_t memory(std::uint64_t n) { return 16 * (n + 1); }

  [[nodiscard]] std::uint64_t distance(text<Symbol> a, text<Symbol> b) {
    return last_row<false>(a, b).back();
  }

  [[nodiscard]] meeting split(text<Symbol> a, text<Symbol> b, int threads) {
    const std::size_t mid = a.size() / 2, n = b.size();
    std::vector<std::uint64_t> above, below; // below[j]: against the last j symbols of b
    const bool in_parallel = threads > 1 && cells(a.size(), n) >= min_cells_per_thread;
    run_team(in_parallel ? 2 : 1, [&](int member) {
      if (member == 0) above = last_row<false>(a.first(mid), b);
      if (member == 1 || !in_parallel) below = last_row<true>(a.subspan(mid), b);
    });
    std::size_t best = 0;
    for (std::size_t k = 1; k <= n; ++k)
      if (above[k] + below[n - k] < above[best] + below[n - best]) best = k;
    return {best, above[best] + below[n - best]};
  }

private:
  template <bool Backward> [[nodiscard]] std::vector<std::uint64_t> last_row(text<Symbol> a, text<Symbol> b) {
    return edit_ ? last_row<Backward, true>(a, b) : last_row<Backward, false>(a, b);
  }

  // Returns D[m][0..n] of a and b; if Backward, both are read backwards.
  template <bool Backward, bool Edit>
  [[nodiscard]] std::vector<std::uint64_t> last_row(text<Symbol> a, text<Symbol> b) {
    const std::size_t m = a.size(), n = b.size();
    std::vector<std::uint64_t> row(n + 1);
    for (std::size_t j = 0; j <= n; ++j) row[j] = j;
    std::uint64_t pending = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const Symbol symbol = a[Backward ? m - 1 - i : i];
      std::uint64_t diagonal = i, left = i + 1;
      row[0] = left;
      for (std::size_t j = 0; j < n; ++j) {
        const std::uint64_t up = row[j + 1];
        std::uint64_t other = std::min(up, left);
        if constexpr (Edit) other = std::min(other, diagonal);
        left = symbol == b[Backward ? n - 1 - j : j] ? diagonal : other + 1;
        row[j + 1] = left;
        diagonal = up;
      }
      if (pending += n; pending >= min_cells_per_thread || i + 1 == m) {
        work_.add(pending);
        pending = 0;
      }
    }
    return row;
  }

  bool edit_;
  cell_counter& work_;
};

} // namespace weft::lcs_detail
