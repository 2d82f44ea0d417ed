// Removes parts of two texts before an engine sees them, and restores the canonical path of the whole texts
// afterwards. c(i) is the column in which a path first touches row i, and R(i, j) is the distance of a[i..)
// and b[j..). hirschberg.hpp shows that the leftmost path has the smallest c(i) in every row, and that c
// determines this path.
//
// Suffix. Let a = a'x and b = b'x, m' = |a'|, n' = |b'|, s = |x|. Then R(0, 0) = D(a', b'), because an
// optimal path can end with the s matches of x. The texts a' and b' are called the core. The canonical path
// of a and b is that of the core up to row m' at column k = c(m'), followed by the leftmost embedding of x
// in b[k..): each symbol of x is matched to its next occurrence.
// Proof. The core's path followed by s matches is optimal. So in the rows i <= m', W, the canonical path of
//   the whole texts, has c(i) no larger than the core's. Let k = c(m') of W, so k <= n'. The rest of W
//   costs at least the |b[k..)| - s = n' - k insertions. The beginning of W with n' - k insertions after it
//   is a path of a' and b'. So D(a', b') <= cost of the beginning + (n' - k) <= cost of W = D(a', b'), and
//   both are equalities. The beginning is therefore part of an optimal core path, so it is not left of the
//   canonical core path, and both are equal. The rest is n' - k insertions and no other edit, so all of x
//   is matched. The leftmost way to match all of x is the greedy one.
//
// Prefix. Let a = x a' and b = x b', |x| = p, q <= p. If deleting is not optimal at the corner (q, q), the
// canonical path starts with q matches.
// Proof. Going down from (i, i) to (i+1, i) is optimal iff R(i+1, i) = R(i, i) - 1. Suppose that going down
//   is not optimal at (i, i), 0 < i <= q, so R(i+1, i) >= d := R(i, i), but that it is optimal at (i-1,
//   i-1). There R(i-1, i-1) = d, because the symbols are equal, so R(i, i-1) = d - 1. An optimal path from
//   (i, i-1) first deletes t >= 0 symbols. If it then inserts b[i-1], it costs t + 1 + R(i+t, i): at least
//   d + 1 for t = 0, and at least t + 1 + (R(i+1, i) - (t - 1)) > d for t > 0. If it then goes along the
//   diagonal, it costs at least t + R(i+t+1, i) >= t + (R(i+1, i) - t) >= d. None of these is d - 1, a
//   contradiction. So deleting is not optimal at (i-1, i-1) either, and by induction nowhere up to (0, 0).
//   Matches are optimal at all these corners.
// Whether (q, q) is such a corner is not known beforehand. So q leaves some of the prefix in the core; if
// the core's canonical path begins with a deletion, more of the prefix is left in the core, in the end all
// of it.
//
// Unshared symbols (only without substitutions). A symbol that the other text does not contain is never
// matched. So the paths of the whole texts have the same matches as the paths of the texts without such
// symbols. c is monotone in the columns of the matches, so the canonical paths have the same matches, too.
// The matches determine a canonical path: between two matches all deletions come first, because the path
// never goes right and then down.
#pragma once

#include <algorithm>
#include <vector>
#include <weft/lcs/cpu/common_run.hpp>
#include <weft/lcs/entry/call.hpp>

namespace weft::lcs_detail {

template <class Symbol> std::uint64_t common_prefix(text<Symbol> a, text<Symbol> b) {
  return common_prefix(a.data(), b.data(), std::min(a.size(), b.size()));
}
template <class Symbol> std::uint64_t common_suffix(text<Symbol> a, text<Symbol> b) {
  return common_suffix(a.data() + a.size(), b.data() + b.size(), std::min(a.size(), b.size()));
}

// Appends the canonical path of a and b if one of them is a subsequence of the other. All symbols of the
// shorter text are matched, and the other symbols of the longer text are the only edits. If a is a
// subsequence of b, c is smallest if each symbol of a is matched to the first occurrence that is left in b.
// If b is a subsequence of a, each symbol of b is matched to the last occurrence that is left in a.
template <class Symbol> void embed(text<Symbol> a, text<Symbol> b, edit_script& path) {
  if (a.size() <= b.size()) {
    std::size_t i = 0, j = 0;
    while (i < a.size()) {
      const std::uint64_t run = common_prefix(&a[i], &b[j], a.size() - i);
      append(path, edit_op::match, run);
      i += run, j += run;
      if (i == a.size()) break;
      append(path, edit_op::insert, 1);
      ++j;
    }
    append(path, edit_op::insert, b.size() - j);
    return;
  }
  std::size_t i = a.size(), j = b.size();
  edit_script backward;
  while (j > 0) {
    const std::uint64_t run = common_suffix(a.data() + i, b.data() + j, j);
    append(backward, edit_op::match, run);
    i -= run, j -= run;
    if (j == 0) break;
    append(backward, edit_op::remove, 1);
    --i;
  }
  append(backward, edit_op::remove, i);
  std::reverse(backward.runs.begin(), backward.runs.end());
  if (path.runs.empty())
    path = std::move(backward);
  else
    append(path, backward);
}

// Inserts matches at the front of a path, in place.
inline void prepend_matches(edit_script& path, std::uint64_t matches) {
  if (matches == 0) return;
  path.matches += matches;
  if (!path.runs.empty() && path.runs.front().op == edit_op::match)
    path.runs.front().length += matches;
  else
    path.runs.insert(path.runs.begin(), {edit_op::match, matches});
}

// Appends the common suffix to `core`, the canonical path of the texts without it. The suffix is the last
// `suffix` symbols of b.
template <class Symbol> void append_suffix(edit_script& core, text<Symbol> b, std::uint64_t suffix) {
  std::uint64_t slack = 0;
  if (!core.runs.empty() && core.runs.back().op == edit_op::insert) {
    slack = core.runs.back().length;
    core.insertions -= slack;
    core.runs.pop_back();
  }
  embed(b.last(suffix), b.last(suffix + slack), core);
}

// Returns for each symbol below `sigma` whether it occurs in both texts. Returns an empty vector if no
// symbol occurs in one text only.
template <class Symbol>
std::vector<std::uint8_t> shared_symbols(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
  std::vector<std::uint8_t> in_a(sigma), in_b(sigma);
  for (const Symbol symbol : a) in_a[symbol] = 1;
  for (const Symbol symbol : b) in_b[symbol] = 1;
  if (in_a == in_b) return {};
  for (std::size_t symbol = 0; symbol < sigma; ++symbol) in_a[symbol] &= in_b[symbol];
  return in_a;
}

// Returns the symbols that occur in both texts, in their order.
template <class Symbol>
std::vector<Symbol> keep_shared(text<Symbol> symbols, const std::vector<std::uint8_t>& shared) {
  std::vector<Symbol> kept;
  kept.reserve(symbols.size());
  for (const Symbol symbol : symbols)
    if (shared[symbol]) kept.push_back(symbol);
  return kept;
}

// Returns the canonical path of a and b, where `core` is the canonical path of keep_shared(a) and
// keep_shared(b). Reserves memory for `runs` runs.
template <class Symbol>
edit_script restore_unshared(const edit_script& core, text<Symbol> a, text<Symbol> b,
                             const std::vector<std::uint8_t>& shared, std::uint64_t runs = 0) {
  edit_script path;
  path.runs.reserve(runs);
  std::uint64_t i = 0, j = 0, deleted_to = 0, inserted_to = 0; // the path has taken all symbols before these
  for (const edit_run& run : core.runs)
    for (std::uint64_t t = 0; t < run.length; ++t) {
      if (run.op != edit_op::insert)
        while (!shared[a[i]]) ++i;
      if (run.op != edit_op::remove)
        while (!shared[b[j]]) ++j;
      if (run.op == edit_op::match) {
        append(path, edit_op::remove, i - deleted_to);
        append(path, edit_op::insert, j - inserted_to);
        append(path, edit_op::match, 1);
        deleted_to = i + 1, inserted_to = j + 1;
      }
      i += run.op != edit_op::insert, j += run.op != edit_op::remove;
    }
  append(path, edit_op::remove, a.size() - deleted_to);
  append(path, edit_op::insert, b.size() - inserted_to);
  return path;
}

} // namespace weft::lcs_detail
