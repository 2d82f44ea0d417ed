// Hirschberg's divide and conquer (CACM 18, 1975; Listing 2 of Kawanami & Fujimoto), for any metric and any
// method of finding a split.
//
//   path(a, b):
//     a empty: insert b.   b empty: delete a.   a of one symbol: see single_row.
//     mid = |a| / 2;  k = the smallest column with D(a[0..mid), b[0..k)) + D(a[mid..), b[k..)) minimal
//     path(a[0..mid), b[0..k)), then path(a[mid..), b[k..))
//
// The result is the canonical path, the leftmost optimal path. Let c(i) be the column in which a path first
// touches row i. Optimal paths cross only in common points, where their tails can be exchanged. So one of
// them, the leftmost path, has the smallest c(i) in every row. It never goes right and then down, because
// going down first costs the same and has a smaller c. So c determines the path: c(i+1) = c(i) is a
// deletion, and c(i+1) > c(i) is c(i+1) - c(i) - 1 insertions and a diagonal step.
// - Split. The points (mid, k) on optimal paths are those where the sum of both parts is minimal; the
//   smallest such k is c(mid) of the leftmost path. Joining optimal paths of the two parts gives an optimal
//   path of the whole. The leftmost path of the whole, cut at (mid, k), is such a pair, so it is the pair
//   of the leftmost paths of the parts.
// - If a or b is empty, there is only one path.
// - One row with symbol x. If x occurs in b, n - 1 insertions and a match are optimal, and c(1) is smallest
//   for the first occurrence. If x does not occur, the path deletes x and inserts all of b (c(1) = 0). With
//   substitutions, that costs one more than substituting, for which c(1) = 1 is smallest.
#pragma once

#include <algorithm>
#include <weft/base/parallel.hpp>
#include <weft/lcs/entry/call.hpp>
#include <weft/lcs/entry/path_memory.hpp>

namespace weft::lcs_detail {

// With fewer cells than this, a second thread does not pay off.
inline constexpr std::uint64_t min_cells_per_thread = std::uint64_t{1} << 20;

// Appends the canonical path of one symbol and a non-empty `b`.
template <class Engine, class Symbol>
void single_row(const Engine& engine, Symbol symbol, text<Symbol> b, edit_script& path) {
  const bool edit = engine.edit();
  const auto found = std::find_if(b.begin(), b.end(), [&](Symbol c) { return engine.equal(symbol, c); });
  const auto first = static_cast<std::uint64_t>(found - b.begin());
  if (first < b.size()) {
    append(path, edit_op::insert, first);
    append(path, edit_op::match, 1);
    append(path, edit_op::insert, b.size() - first - 1);
  } else {
    append(path, edit ? edit_op::substitute : edit_op::remove, 1);
    append(path, edit_op::insert, b.size() - (edit ? 1 : 0));
  }
}

// The column where the canonical path touches the middle row of a table, and the distance of the two texts.
struct meeting {
  std::size_t column;
  std::uint64_t distance;
};

// How hirschberg() divides the work.
struct division {
  int threads = 1;
  // If true, two threads compute two parts of a path, and the second part is copied to the first. If false,
  // threads only search for the meeting together.
  bool parts = true;
};

// An `expect` of hirschberg() that does nothing.
struct expect_nothing {
  void operator()(std::uint64_t, const division&) const {}
};

// Appends the canonical path of a and b. An Engine has three functions: split(a, b, threads) returns the
// meeting at row a.size() / 2, equal(x, y) says whether two symbols match, and edit() says whether
// the metric has substitutions. expect(distance, how) is called once before runs are written, if there may
// be more than three runs.
template <class Engine, class Symbol, class Expect>
void hirschberg(Engine& engine, text<Symbol> a, text<Symbol> b, division how, edit_script& path,
                const Expect& expect) {
  if (a.empty() || b.empty()) return append_unmatched(path, a.size(), b.size());
  if (a.size() == 1) return single_row(engine, a[0], b, path);
  const std::size_t mid = a.size() / 2;
  const meeting met = engine.split(a, b, how.threads);
  const std::size_t k = met.column;
  expect(met.distance, how);
  constexpr expect_nothing expected; // a type of its own here would be a different type in each recursion
  if (how.threads < 2 || cells(a.size(), b.size()) < min_cells_per_thread) how = {};
  if (how.threads < 2 || !how.parts) {
    hirschberg(engine, a.first(mid), b.first(k), how, path, expected);
    hirschberg(engine, a.subspan(mid), b.subspan(k), how, path, expected);
    return;
  }
  edit_script tail;
  run_team(2, [&](int member) {
    if (member == 0) hirschberg(engine, a.first(mid), b.first(k), {(how.threads + 1) / 2}, path, expected);
    if (member == 1) hirschberg(engine, a.subspan(mid), b.subspan(k), {how.threads / 2}, tail, expected);
  });
  append(path, tail);
}

template <class Engine, class Symbol>
void hirschberg(Engine& engine, text<Symbol> a, text<Symbol> b, int threads, edit_script& path) {
  hirschberg(engine, a, b, {threads}, path, expect_nothing());
}

// Returns the canonical path of a and b. Throws memory_error, which names `subject`, before runs are written
// if the runs and `held` bytes exceed `requested` bytes (0: no limit).
template <class Engine, class Symbol>
[[nodiscard]] edit_script hirschberg_path(std::string_view subject, Engine& engine, text<Symbol> a,
                                          text<Symbol> b, int threads, std::uint64_t held,
                                          std::uint64_t requested) {
  edit_script path;
  hirschberg(engine, a, b, {threads}, path, [&](std::uint64_t distance, division& how) {
    if (requested == 0) return;
    const std::uint64_t runs = max_runs(a.size(), b.size(), distance, engine.edit());
    require_memory_of_runs(subject, runs, held, requested);
    // With two parts, half of the runs exist twice, and some runs while the vector grows.
    how.parts = 2 * runs * sizeof(edit_run) <= requested - held;
    path.runs.reserve(runs + 1);
  });
  return path;
}

} // namespace weft::lcs_detail
