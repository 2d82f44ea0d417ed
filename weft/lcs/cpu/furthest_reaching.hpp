// Engine furthest-reaching: time O((m + n) d) at worst, about d^2 steps on like texts, where d is the
// distance. Ukkonen, Inf. Control 64 (1985) 100-118; Myers, Algorithmica 1 (1986) 251-266. Run from the ends
// backwards, so that what it leaves behind answers the questions of the canonical walk.
//
// R(i, j): the distance of a[i..) and b[j..). Diagonal k: the points with j - i = k. Neighbours' R differ by
// at most one, and R(i, j) = R(i+1, j+1) if a[i] = b[j], else it is that or more. So on a diagonal R does not
// grow towards the end, and one number tells where R <= d:
//     S(d, k) = the smallest i with R(i, i + k) <= d.
//
//   S(0, n - m) = m, then along the diagonal to the top left while symbols are equal
//   S(d, k) = min(S(d-1, k-1) - 1,  S(d-1, k+1) [, S(d-1, k) - 1]),  not above the table, then along the
//   diagonal
//             up: delete a[i]       left: insert b[j]  substitute
//   until S(d, 0) = 0.
//
// On k = n - m - d .. n - m + d; for lcs R and k have one parity, so every other k. Raising a value that left
// the table to its border is right, as neighbours' R differ by at most one. Diagonals that miss the table
// hold `nowhere`.
//
// The canonical walk from (i, j), R(i, j) = d: deleting is optimal iff R(i+1, j) <= d - 1, that is
// S(d-1, k-1) <= i + 1. Otherwise a match is optimal; otherwise substituting is iff S(d-1, k) <= i + 1;
// otherwise inserting. Along a run of matches d stays, so deleting becomes optimal first at i = S(d-1, k-1) -
// 1, and the run is cut there. All the tests are the rule of lcs.hpp itself, so the path is canonical.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>
#include <weft/lcs/cpu/common.hpp>
#include <weft/lcs/cpu/common_run.hpp>

namespace weft::lcs_cpu {

// Index: signed, holds 2 (m + n).
template <class Symbol, class Index, bool Substitute> class furthest_reaching {
public:
  furthest_reaching(text<Symbol> a, text<Symbol> b, progress& work)
      : a_(a), b_(b), m_(static_cast<Index>(a.size())), n_(static_cast<Index>(b.size())), work_(work) {}

  // The distance. keep: all frontiers, for path(). go_on(d, steps, reached), asked before each d, may end the
  // search: steps diagonals have been visited, and (m + n) - reached is the least i + j of a point visited.
  template <class GoOn> [[nodiscard]] std::optional<std::uint64_t> search(bool keep, const GoOn& go_on) {
    std::vector<Index> last = frontier(0), next;
    last[pad] = m_ - run_back(m_, n_);
    reached_ = 2 * static_cast<std::uint64_t>(m_ - last[pad]);
    std::uint64_t steps = 1;
    Index d = 0;
    while (!arrived(last, d)) {
      ++d;
      if (!go_on(static_cast<std::uint64_t>(d), steps, reached_)) return std::nullopt;
      next = frontier(d);
      steps += advance(last, next, d);
      work_.check();
      std::swap(last, next);
      if (keep) kept_.push_back(std::move(next));
    }
    return static_cast<std::uint64_t>(d);
  }

  // After search(true, ...) found the distance.
  [[nodiscard]] edit_script path() const {
    edit_script path;
    Index i = 0, j = 0;
    auto d = static_cast<Index>(kept_.size());
    while (i < m_ && j < n_) {
      const Index k = j - i, down = d == 0 ? nowhere : reach(d - 1, k - 1);
      if (down <= i + 1) {
        append(path, edit_op::remove, 1);
        ++i, --d;
        continue;
      }
      const Index most = std::min({m_ - i, n_ - j, down - 1 - i});
      const auto run = static_cast<Index>(common_prefix(&a_[at(i)], &b_[at(j)], at(most)));
      append(path, edit_op::match, at(run));
      i += run, j += run;
      if (run == most) continue;
      const bool replace = Substitute && reach(d - 1, k) <= i + 1;
      append(path, replace ? edit_op::substitute : edit_op::insert, 1);
      i += replace ? 1 : 0;
      ++j, --d;
    }
    append(path, edit_op::remove, at(m_ - i));
    append(path, edit_op::insert, at(n_ - j));
    return path;
  }

  // Bytes of the frontiers 0 .. d.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t d) {
    return cells(Substitute ? d + 5 : d / 2 + 4, d * sizeof(Index)) + 64 * d;
  }

private:
  static constexpr Index nowhere = std::numeric_limits<Index>::max() / 2;
  static constexpr int pad = Substitute ? 2 : 1; // entries that hold `nowhere` at either end of a frontier
  static constexpr Index stride = Substitute ? 1 : 2;

  static constexpr std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  // Entry pad + t is for diagonal n - m - d + stride t.
  static std::vector<Index> frontier(Index d) {
    return std::vector<Index>(at(2 * d / stride + 1) + 2 * pad, nowhere);
  }

  [[nodiscard]] Index run_back(Index i, Index j) const {
    return static_cast<Index>(common_suffix(a_.data() + i, b_.data() + j, at(std::min(i, j))));
  }

  [[nodiscard]] bool arrived(const std::vector<Index>& last, Index d) const {
    const Index away = n_ - m_ < 0 ? m_ - n_ : n_ - m_;
    if (away > d || (d - away) % stride != 0) return false;
    return last[at((m_ - n_ + d) / stride + pad)] == 0;
  }

  // S(d, .) from S(d - 1, .); the number of diagonals.
  std::uint64_t advance(const std::vector<Index>& last, std::vector<Index>& next, Index d) {
    const Index first = n_ - m_ - d;
    Index begin = 0, end = 2 * d / stride + 1; // of those t whose diagonal crosses the table
    if (first < -m_) begin = (-m_ - first + stride - 1) / stride;
    if (first + stride * (end - 1) > n_) end = (n_ - first) / stride + 1;
    Index least = m_ + n_;
    for (Index t = begin; t < end; ++t) {
      const Index k = first + stride * t;
      const Index* const old = last.data() + pad + t; // S(d-1, k+1)
      Index i = std::min<Index>(old[0], old[-pad] - 1);
      if constexpr (Substitute) i = std::min<Index>(i, old[-1] - 1);
      i = std::max<Index>({i, 0, -k});
      i -= run_back(i, i + k);
      next[at(t + pad)] = i;
      least = std::min<Index>(least, 2 * i + k);
    }
    reached_ = static_cast<std::uint64_t>(m_ + n_ - least);
    return static_cast<std::uint64_t>(end - begin);
  }

  [[nodiscard]] Index reach(Index d, Index k) const {
    const Index from = k - (n_ - m_ - d);
    if (d < 0 || from < 0 || from > 2 * d) return nowhere;
    return kept_[at(d)][at(from / stride + pad)];
  }

  text<Symbol> a_, b_;
  Index m_, n_;
  progress& work_;
  std::uint64_t reached_ = 0;
  std::vector<std::vector<Index>> kept_; // frontiers 0 .. distance - 1
};

} // namespace weft::lcs_cpu
