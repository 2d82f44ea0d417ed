// Hirschberg's divide and conquer (CACM 18, 1975; Listing 2 of Kawanami & Fujimoto), for any metric and any
// way of finding a split.
//
//   path(a, b):
//     a empty: insert b.   b empty: delete a.   a of one symbol: see single_row.
//     mid = |a| / 2;  k = the smallest column with D(a[0..mid), b[0..k)) + D(a[mid..), b[k..)) minimal
//     path(a[0..mid), b[0..k)), then path(a[mid..), b[k..))
//
// It yields the canonical path, the leftmost optimal one. Write c(i) for the column in which a path first
// touches row i. Optimal paths cross only in common points, where their tails can be exchanged, so one of
// them, the leftmost, has the smallest c(i) in every row. It never goes right and then down: down first costs
// the same and has a smaller c. So c determines it: c(i+1) = c(i) is a deletion, c(i+1) > c(i) is c(i+1) -
// c(i) - 1 insertions and a diagonal.
// - Split. The points (mid, k) on optimal paths are those where the sum of both parts is minimal; the
//   smallest such k is c(mid) of the leftmost path. Optimal paths of the two parts joined are optimal paths
//   of the whole, and the leftmost path of the whole, cut at (mid, k), is one such pair: so it is the pair of
//   leftmost paths of the parts.
// - a or b empty: there is one path.
// - One row, symbol x. x occurs in b: n - 1 insertions and a match is optimal, and c(1) is smallest for the
//   first occurrence. It does not: delete, then insert all of b (c(1) = 0); with substitutions that costs one
//   more than to substitute, for which c(1) = 1 is smallest.
#pragma once

#include <algorithm>
#include <weft/base/parallel.hpp>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cpu {

// Below this many cells a second thread does not pay.
inline constexpr std::uint64_t cells_worth_a_thread = std::uint64_t{1} << 20;

// Appends the canonical path of one symbol and a `b` that is not empty.
template <class Engine, class Symbol>
void single_row(const Engine& engine, Symbol symbol, text<Symbol> b, edit_script& path) {
  const bool substitute = engine.substitute();
  const auto found = std::find_if(b.begin(), b.end(), [&](Symbol c) { return engine.equal(symbol, c); });
  const auto first = static_cast<std::uint64_t>(found - b.begin());
  if (first < b.size()) {
    append(path, edit_op::insert, first);
    append(path, edit_op::match, 1);
    append(path, edit_op::insert, b.size() - first - 1);
  } else {
    append(path, substitute ? edit_op::substitute : edit_op::remove, 1);
    append(path, edit_op::insert, b.size() - (substitute ? 1 : 0));
  }
}

// Appends the canonical path of a and b. Engine: split(a, b, threads) returns k for mid = a.size() / 2,
// equal(x, y) tells whether two symbols match, substitute() whether the metric has substitutions.
template <class Engine, class Symbol>
void hirschberg(Engine& engine, text<Symbol> a, text<Symbol> b, int threads, edit_script& path) {
  if (a.empty() || b.empty()) return append_unmatched(path, a.size(), b.size());
  if (a.size() == 1) return single_row(engine, a[0], b, path);
  const std::size_t mid = a.size() / 2;
  const std::size_t k = engine.split(a, b, threads);
  if (threads < 2 || cells(a.size(), b.size()) < cells_worth_a_thread) {
    hirschberg(engine, a.first(mid), b.first(k), 1, path);
    hirschberg(engine, a.subspan(mid), b.subspan(k), 1, path);
    return;
  }
  edit_script tail;
  run_team(2, [&](int member) {
    if (member == 0) hirschberg(engine, a.first(mid), b.first(k), (threads + 1) / 2, path);
    if (member == 1) hirschberg(engine, a.subspan(mid), b.subspan(k), threads / 2, tail);
  });
  append(path, tail);
}

} // namespace weft::lcs_cpu
