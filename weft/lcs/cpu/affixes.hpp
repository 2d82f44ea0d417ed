// What can be taken off two texts before any engine sees them, and how the canonical path is put together
// again. c(i) is the column in which a path first touches row i, R(i, j) the distance of a[i..) and b[j..);
// that the leftmost path is the one with the smallest c(i) in all rows, and is determined by c: see
// hirschberg.hpp.
//
// Suffix. a = a'x, b = b'x, m' = |a'|, n' = |b'|, s = |x|; R(0, 0) = D(a', b') (an optimal path can end with
// the s matches of x). The canonical path is that of a' and b' up to row m' at column k = c(m'), followed by
// the leftmost embedding of x in b[k..): each symbol of x matched to its next occurrence.
//   Proof. The core's path followed by s matches is optimal, so W, the canonical path of the whole, has c(i)
//   no larger than the core's in rows i <= m'; let k = c(m') of W, k <= n'. The rest of W costs at least the
//   |b[k..)| - s = n' - k insertions, and its beginning, with n' - k insertions after it, is a path of a' and
//   b'. So D(a', b') <= cost of the beginning + (n' - k) <= cost of W = D(a', b'). Both are equalities: the
//   beginning is part of an optimal core path, hence not left of the canonical one: equal. And the rest is n'
//   - k insertions and no other edit, so all of x is matched; the leftmost such way is the greedy one.
//
// Prefix. a = x a', b = x b', |x| = p, q <= p. If at the corner (q, q) deleting is not optimal, the canonical
// path starts with q matches.
//   Proof. Going down from (i, i) to R(i+1, i) is optimal iff R(i+1, i) = R(i, i) - 1. Suppose it is not at
//   (i, i), 0 < i <= q, so R(i+1, i) >= d := R(i, i), but it is at (i-1, i-1), where R(i-1, i-1) = d as the
//   symbols are equal: R(i, i-1) = d - 1. An optimal path from (i, i-1) first deletes t >= 0 symbols. If it
//   then inserts b[i-1], it costs t + 1 + R(i+t, i) >= d + 1 for t = 0, and for t > 0 at least t + 1 +
//   (R(i+1, i) - (t - 1)) > d. If it then goes along the diagonal, it costs at least t + R(i+t+1, i) >= t +
//   (R(i+1, i) - t) >= d. Neither is d - 1. So nor is deleting optimal at (i-1, i-1), and so on to (0, 0);
//   there and on the way matches are.
// It is not known beforehand whether (q, q) is such a corner: q leaves some of the prefix in the core, and if
// the core's canonical path begins with a deletion, more is left, in the end all.
//
// Unshared symbols (lcs only; with substitutions they matter). A symbol that the other text does not have is
// never matched, so paths of the whole and of the texts without such symbols have the same matches, and as c
// is monotone in the columns of the matches, so do the canonical paths. Matches determine a canonical path:
// between two of them all deletions come first (it never goes right and then down).
#pragma once

#include <algorithm>
#include <vector>
#include <weft/lcs/cpu/common_run.hpp>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cpu {

template <class Symbol> std::uint64_t common_prefix(text<Symbol> a, text<Symbol> b) {
  return common_prefix(a.data(), b.data(), std::min(a.size(), b.size()));
}
template <class Symbol> std::uint64_t common_suffix(text<Symbol> a, text<Symbol> b) {
  return common_suffix(a.data() + a.size(), b.data() + b.size(), std::min(a.size(), b.size()));
}

// Appends the canonical path of a and b where one is a subsequence of the other: of the shorter all is
// matched and the longer one's other symbols are the only edits. a in b: c is smallest if each symbol of a is
// matched to the first occurrence that is left in b. b in a: if each symbol of b is matched to the last one
// that is left in a.
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

// Puts matches in front of a path, in the place where it is.
inline void prepend_matches(edit_script& path, std::uint64_t matches) {
  if (matches == 0) return;
  path.matches += matches;
  if (!path.runs.empty() && path.runs.front().op == edit_op::match)
    path.runs.front().length += matches;
  else
    path.runs.insert(path.runs.begin(), {edit_op::match, matches});
}

// core: the canonical path of the texts without their common suffix, which is the end of b of length
// `suffix`.
template <class Symbol> void append_suffix(edit_script& core, text<Symbol> b, std::uint64_t suffix) {
  std::uint64_t slack = 0;
  if (!core.runs.empty() && core.runs.back().op == edit_op::insert) {
    slack = core.runs.back().length;
    core.insertions -= slack;
    core.runs.pop_back();
  }
  embed(b.last(suffix), b.last(suffix + slack), core);
}

// Which symbols, all less than `sigma`, occur in both texts; empty if none occurs in one text only.
template <class Symbol>
std::vector<std::uint8_t> shared_symbols(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
  std::vector<std::uint8_t> in_a(sigma), in_b(sigma);
  for (const Symbol symbol : a) in_a[symbol] = 1;
  for (const Symbol symbol : b) in_b[symbol] = 1;
  if (in_a == in_b) return {};
  for (std::size_t symbol = 0; symbol < sigma; ++symbol) in_a[symbol] &= in_b[symbol];
  return in_a;
}

template <class Symbol>
std::vector<Symbol> keep_shared(text<Symbol> symbols, const std::vector<std::uint8_t>& shared) {
  std::vector<Symbol> kept;
  kept.reserve(symbols.size());
  for (const Symbol symbol : symbols)
    if (shared[symbol]) kept.push_back(symbol);
  return kept;
}

// The canonical path of a and b from that of keep_shared(a) and keep_shared(b). Space for so many runs is
// reserved.
template <class Symbol>
edit_script restore_unshared(const edit_script& core, text<Symbol> a, text<Symbol> b,
                             const std::vector<std::uint8_t>& shared, std::uint64_t runs = 0) {
  edit_script path;
  path.runs.reserve(runs);
  std::uint64_t i = 0, j = 0, deleted_to = 0, inserted_to = 0; // up to where a and b are on the path
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

} // namespace weft::lcs_cpu
