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
//   S(d, k) = min(S(d-1, k-1) - 1,  S(d-1, k+1) [, S(d-1, k) - 1]),  not above the table,
//             up: delete a[i]       left: insert b[j]  substitute    then along the diagonal
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
//
// Only every interval-th S(d, .) is kept. The walk, at distance d1 on diagonal k1, needs S(d, k) on |k - k1|
// <= d1 - d alone, and these follow from each other: a triangle, computed again from the last S(d, .) kept.
// That adds interval / d of the time, and leaves 4 d^2 / interval bytes at most.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>
#include <weft/lcs/cpu/common_run.hpp>
#include <weft/lcs/entry/engine_basics.hpp>

namespace weft::lcs_cpu {

// Index: signed, holds 2 (m + n). Equal: how symbols compare (common_run.hpp).
template <class Symbol, class Index, bool Substitute, class Equal = equal_symbols> class furthest_reaching {
public:
  furthest_reaching(text<Symbol> a, text<Symbol> b, progress& work, Equal equal = {})
      : a_(a), b_(b), m_(static_cast<Index>(a.size())), n_(static_cast<Index>(b.size())), work_(work),
        equal_(equal) {}

  // The distance. keep: what path() needs. go_on(d, steps, reached), asked before each d, may end the search:
  // steps diagonals have been visited, and (m + n) - reached is the least i + j of a point visited.
  template <class GoOn> [[nodiscard]] std::optional<std::uint64_t> search(bool keep, const GoOn& go_on) {
    frontier last, next;
    last.reset(n_ - m_, n_ - m_);
    last.at(n_ - m_) = m_ - run_back(m_, n_);
    std::uint64_t steps = 1, reached = 2 * static_cast<std::uint64_t>(m_ - last.at(n_ - m_));
    Index d = 0;
    for (; !arrived(last); ++d) {
      if (!go_on(static_cast<std::uint64_t>(d), steps, reached)) return std::nullopt;
      next.reset(n_ - m_ - d - 1, n_ - m_ + d + 1);
      steps += index(2 * (d + 1) / stride + 1);
      reached = advance(last, next);
      // Steps grow with the square of the distance, and the distance about as far as the search has come.
      const double part = static_cast<double>(reached) / static_cast<double>(a_.size() + b_.size());
      work_.estimate(part * part);
      if (keep && d % interval == 0) kept_.push_back(last);
      std::swap(last, next);
    }
    distance_ = d;
    return index(d);
  }

  // After search(true, ...) found the distance.
  [[nodiscard]] edit_script path() const {
    edit_script path;
    path.runs.reserve(max_runs(a_.size(), b_.size(), index(distance_), Substitute) + 1);
    std::vector<frontier> block; // S(d, .) from d = block_begin on
    Index i = 0, j = 0, d = distance_, block_begin = d;
    while (i < m_ && j < n_) {
      const Index k = j - i;
      if (d > 0 && d - 1 < block_begin) block_begin = rebuild(block, d, k);
      const frontier* const nearer = d > 0 ? &block[index(d - 1 - block_begin)] : nullptr;
      const Index down = nearer != nullptr ? nearer->get(k - 1) : nowhere;
      if (down <= i + 1) {
        append(path, edit_op::remove, 1);
        ++i, --d;
        continue;
      }
      const Index most = std::min({m_ - i, n_ - j, down - 1 - i});
      const auto run = static_cast<Index>(equal_.prefix(&a_[index(i)], &b_[index(j)], index(most)));
      append(path, edit_op::match, index(run));
      i += run, j += run;
      if (run == most) continue;
      const bool replace = Substitute && nearer->get(k) <= i + 1;
      append(path, replace ? edit_op::substitute : edit_op::insert, 1);
      i += replace ? 1 : 0;
      ++j, --d;
    }
    append(path, edit_op::remove, index(m_ - i));
    append(path, edit_op::insert, index(n_ - j));
    return path;
  }

  // Bytes that a search with distance d keeps, and its path.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t d) {
    const std::uint64_t width = 2 * d / stride + 8;
    return sizeof(Index) *
           (cells(d / interval / 2 + 3, width) + cells(std::min<std::uint64_t>(d, interval), 2 * interval));
  }

private:
  static constexpr Index nowhere = std::numeric_limits<Index>::max() / 2;
  static constexpr Index stride = Substitute ? 1 : 2;
  static constexpr Index interval = 256;

  static constexpr std::size_t index(Index i) { return static_cast<std::size_t>(i); }

  // S(d, .) on some diagonals of one parity, with `nowhere` on the two next to them at either side.
  class frontier {
  public:
    void reset(Index first, Index last) {
      first_ = first, last_ = last;
      entries_.assign(index((last - first) / stride + 1) + 2 * pad, nowhere);
    }
    [[nodiscard]] Index first() const { return first_; }
    [[nodiscard]] Index last() const { return last_; }
    [[nodiscard]] Index& at(Index k) { return entries_[index((k - first_) / stride + pad)]; }
    [[nodiscard]] const Index* at(Index k) const { return &entries_[index((k - first_) / stride + pad)]; }
    [[nodiscard]] Index get(Index k) const { return k < first_ || k > last_ ? nowhere : *at(k); }

  private:
    static constexpr Index pad = 2 / stride;
    Index first_ = 0, last_ = 0;
    std::vector<Index> entries_;
  };

  [[nodiscard]] Index run_back(Index i, Index j) const {
    return static_cast<Index>(equal_.suffix(a_.data() + i, b_.data() + j, index(std::min(i, j))));
  }

  [[nodiscard]] static bool arrived(const frontier& last) {
    return last.first() <= 0 && last.last() >= 0 && last.first() % stride == 0 && last.get(0) == 0;
  }

  // S(d, .) on the diagonals of next, from S(d - 1, .) on these and their neighbours. Returns m + n - least i
  // + j. Flat, because a call of common_suffix() for each diagonal is a tenth of the instructions.
  [[gnu::flatten]] std::uint64_t advance(const frontier& old, frontier& next) const {
    // Diagonals that cross the table.
    const Index begin =
        next.first() + std::max<Index>(0, (-m_ - next.first() + stride - 1) / stride) * stride;
    const Index end = std::min(next.last(), n_);
    Index least = m_ + n_;
    if (begin > end) return 0;
    const Index* right = old.at(begin + 1);
    Index* entry = &next.at(begin);
    for (Index k = begin; k <= end; k += stride, ++right, ++entry) {
      Index i = std::min<Index>(*right, right[-2 / stride] - 1);
      if constexpr (Substitute) i = std::min<Index>(i, right[-1] - 1);
      i = std::max<Index>(i, k < 0 ? -k : 0);
      i -= run_back(i, i + k);
      *entry = i;
      least = std::min<Index>(least, 2 * i + k);
    }
    return static_cast<std::uint64_t>(m_ + n_ - least);
  }

  // What the walk at distance d on diagonal k needs, from the last frontier kept before d; returns its
  // distance.
  [[nodiscard]] Index rebuild(std::vector<frontier>& block, Index d, Index k) const {
    const Index begin = (d - 1) / interval * interval;
    block.resize(index(d - begin));
    block[0] = kept_[index(begin / interval)];
    for (Index e = begin + 1; e < d; ++e) {
      frontier& next = block[index(e - begin)];
      next.reset(std::max(n_ - m_ - e, k - (d - e)), std::min(n_ - m_ + e, k + (d - e)));
      (void)advance(block[index(e - begin - 1)], next);
    }
    return begin;
  }

  text<Symbol> a_, b_;
  Index m_, n_;
  progress& work_;
  Equal equal_;
  Index distance_ = 0;
  std::vector<frontier> kept_; // S(0, .), S(interval, .), ...
};

} // namespace weft::lcs_cpu
