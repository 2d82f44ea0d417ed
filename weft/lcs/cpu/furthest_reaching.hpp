// Engine furthest-reaching: O((m + n) d) time in the worst case, about d^2 steps on similar texts, where d
// is the distance. Ukkonen, Inf. Control 64 (1985) 100-118; Myers, Algorithmica 1 (1986) 251-266. The
// engine searches backwards from the ends of the texts, because the canonical walk, which goes forwards,
// then needs exactly the values that the search leaves behind.
//
// R(i, j) is the distance of a[i..) and b[j..). Diagonal k is the set of points with j - i = k. R differs
// by at most one between adjacent points. R(i, j) = R(i+1, j+1) if a[i] = b[j]; otherwise R(i, j) is that
// or more. So along a diagonal R does not grow towards the end, and one number tells where R <= d:
//     S(d, k) = the smallest i with R(i, i + k) <= d.
//
//   S(0, n - m) = m, then along the diagonal to the top left while symbols are equal
//   S(d, k) = min(S(d-1, k-1) - 1,  S(d-1, k+1) [, S(d-1, k) - 1]),  not above the table,
//             up: delete a[i]       left: insert b[j]  substitute    then along the diagonal
//   until S(d, 0) = 0.
//
// The diagonals are k = n - m - d .. n - m + d; for lcs, R and k have the same parity, so only every other
// k. A value that has left the table is raised to the border of the table, which is right because R of
// adjacent points differs by at most one. Diagonals that miss the table hold `unreachable`.
//
// The canonical walk at (i, j) with R(i, j) = d: deleting is optimal iff R(i+1, j) <= d - 1, that is,
// S(d-1, k-1) <= i + 1. Otherwise a match is optimal if the symbols are equal. Otherwise substituting is
// optimal iff S(d-1, k) <= i + 1; otherwise inserting is. Along a run of matches d stays the same, so
// deleting first becomes optimal at i = S(d-1, k-1) - 1, where the run is cut. All these tests are the rule
// of lcs.hpp itself, so the path is canonical.
//
// Only every interval-th S(d, .) is kept. The walk, at distance d1 on diagonal k1, needs S(d, k) only for
// |k - k1| <= d1 - d. These values depend only on each other, so they form a triangle, which is computed
// again from the last S(d, .) that was kept. This adds interval / d of the time, and leaves at most 4 d^2 /
// interval bytes.
// For the distance alone, the search starts at both ends, in turn (Myers). Seen from the point (m, n), with
// both texts reversed, the same recurrence gives the points that are near (0, 0): diagonal k is n - m - k
// there, and row i is m - i. Both parts have only half of the distance to bridge, so they visit half as many
// diagonals in all. They meet when a diagonal has a point that the one reaches with distance d1 and the other
// with d2. Then the distance is d1 + d2: it is no more, because the point is on a path of that length, and no
// less, because at a distance of D some point has distance (D + 1) / 2 to the one end and D / 2 to the other.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>
#include <weft/lcs/cpu/common_run.hpp>
#include <weft/lcs/entry/call.hpp>
#include <weft/lcs/entry/path_memory.hpp>

namespace weft::lcs_detail {

// S(d, .) on consecutive diagonals (of one parity for lcs), with `unreachable` for the two diagonals
// beyond either end.
template <class Index, Index Stride> class diagonal_values {
public:
  static constexpr Index unreachable = std::numeric_limits<Index>::max() / 2;

  void reset(Index first, Index last) {
    first_ = first, last_ = last;
    entries_.assign(static_cast<std::size_t>((last - first) / Stride + 1) + 2 * pad, unreachable);
  }
  [[nodiscard]] Index first() const { return first_; }
  [[nodiscard]] Index last() const { return last_; }
  [[nodiscard]] Index& at(Index k) { return entries_[static_cast<std::size_t>((k - first_) / Stride + pad)]; }
  [[nodiscard]] const Index* at(Index k) const {
    return &entries_[static_cast<std::size_t>((k - first_) / Stride + pad)];
  }
  [[nodiscard]] Index get(Index k) const { return k < first_ || k > last_ ? unreachable : *at(k); }

private:
  static constexpr Index pad = 2 / Stride;
  Index first_ = 0, last_ = 0;
  std::vector<Index> entries_;
};

// Index is a signed type that holds 2 (m + n). Equal compares symbols (common_run.hpp). A Mirrored engine
// searches the reversed texts, so it starts at the point (0, 0); it has no path.
template <class Symbol, class Index, bool Edit, class Equal = equal_symbols, bool Mirrored = false>
class furthest_reaching {
public:
  furthest_reaching(text<Symbol> a, text<Symbol> b, cell_counter& work, Equal equal = {})
      : a_(a), b_(b), m_(static_cast<Index>(a.size())), n_(static_cast<Index>(b.size())), work_(work),
        equal_(equal) {}

  // Returns the distance, or nothing if the search was ended. Keeps what path() needs. should_continue(d,
  // steps, reached) is called before each d, and may end the search. `steps` is the number of diagonals that
  // have been visited; (m + n) - `reached` is the smallest i + j of a visited point.
  template <class ShouldContinue>
  [[nodiscard]] std::optional<std::uint64_t> search(const ShouldContinue& should_continue) {
    wave last = first_wave(), next;
    while (!reaches_origin(last.values)) {
      if (!should_continue(index(last.distance), last.steps, last.reached)) return std::nullopt;
      advance(last, next);
      estimate(next.reached);
      if (last.distance % interval == 0) kept_.push_back(last.values);
      std::swap(last, next);
    }
    distance_ = last.distance;
    return index(distance_);
  }

  // Does the same from both ends, and keeps nothing for path().
  template <class ShouldContinue>
  [[nodiscard]] std::optional<std::uint64_t> search_from_both_ends(const ShouldContinue& should_continue) {
    const furthest_reaching<Symbol, Index, Edit, Equal, true> mirrored(a_, b_, work_, equal_);
    wave from_end = first_wave(), next_from_end;
    auto from_begin = mirrored.first_wave(), next_from_begin = from_begin;
    while (!have_met(from_end, from_begin)) {
      const std::uint64_t distance = index(from_end.distance + from_begin.distance),
                          steps = from_end.steps + from_begin.steps,
                          reached = from_end.reached + from_begin.reached;
      if (!should_continue(distance, steps, reached)) return std::nullopt;
      estimate(std::min<std::uint64_t>(reached, a_.size() + b_.size()));
      if (from_end.distance == from_begin.distance) {
        advance(from_end, next_from_end);
        std::swap(from_end, next_from_end);
      } else {
        mirrored.advance(from_begin, next_from_begin);
        std::swap(from_begin, next_from_begin);
      }
    }
    return index(from_end.distance + from_begin.distance);
  }

  // Returns the path, after search() has found the distance.
  [[nodiscard]] edit_script path() const {
    edit_script path;
    path.runs.reserve(max_runs(a_.size(), b_.size(), index(distance_), Edit) + 1);
    std::vector<frontier> block; // S(d, .) for d from block_begin on
    Index i = 0, j = 0, d = distance_, block_begin = d;
    while (i < m_ && j < n_) {
      const Index k = j - i;
      if (d > 0 && d - 1 < block_begin) block_begin = rebuild(block, d, k);
      const frontier* const previous = d > 0 ? &block[index(d - 1 - block_begin)] : nullptr;
      const Index down = previous != nullptr ? previous->get(k - 1) : unreachable;
      if (down <= i + 1) {
        append(path, edit_op::remove, 1);
        ++i, --d;
        continue;
      }
      const Index max_run = std::min({m_ - i, n_ - j, down - 1 - i});
      const auto run = static_cast<Index>(equal_.prefix(&a_[index(i)], &b_[index(j)], index(max_run)));
      append(path, edit_op::match, index(run));
      i += run, j += run;
      if (run == max_run) continue;
      const bool replace = Edit && previous->get(k) <= i + 1;
      append(path, replace ? edit_op::substitute : edit_op::insert, 1);
      i += replace ? 1 : 0;
      ++j, --d;
    }
    append(path, edit_op::remove, index(m_ - i));
    append(path, edit_op::insert, index(n_ - j));
    return path;
  }

  // Returns the number of bytes that a search with distance d, and its path, keep.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t d) {
    const std::uint64_t width = 2 * d / stride + 8;
    return sizeof(Index) *
           (cells(d / interval / 2 + 3, width) + cells(std::min<std::uint64_t>(d, interval), 2 * interval));
  }

private:
  template <class, class, bool, class, bool> friend class furthest_reaching;
  static constexpr Index stride = Edit ? 1 : 2;
  static constexpr Index unreachable = diagonal_values<Index, stride>::unreachable;
  static constexpr Index interval = 256;

  static constexpr std::size_t index(Index i) { return static_cast<std::size_t>(i); }

  using frontier = diagonal_values<Index, stride>;

  // S(distance, .), the number of diagonals visited so far, and m + n minus the smallest i + j of a point.
  struct wave {
    frontier values;
    Index distance = 0;
    std::uint64_t steps = 0, reached = 0;
  };

  [[nodiscard]] wave first_wave() const {
    wave first;
    first.values.reset(n_ - m_, n_ - m_);
    const Index run = match_backward(m_, n_);
    first.values.at(n_ - m_) = m_ - run;
    first.steps = 1;
    first.reached = 2 * index(run);
    return first;
  }
  // Sets `next` to the wave after `last`.
  void advance(const wave& last, wave& next) const {
    next.distance = last.distance + 1;
    next.values.reset(n_ - m_ - next.distance, n_ - m_ + next.distance);
    next.steps = last.steps + index(2 * next.distance / stride + 1);
    next.reached = advance(last.values, next.values);
  }

  // Steps grow with the square of the distance, and the distance about linearly with `reached`.
  void estimate(std::uint64_t reached) const {
    const double part = static_cast<double>(reached) / static_cast<double>(a_.size() + b_.size());
    work_.estimate(part * part);
  }

  // Returns whether some diagonal has a point that both waves have reached.
  template <class Wave> [[nodiscard]] bool have_met(const wave& from_end, const Wave& from_begin) const {
    if (from_end.reached + from_begin.reached < a_.size() + b_.size()) return false;
    // Diagonal k of the one is diagonal n - m - k of the other, and at indels they have the same parity or
    // none in common.
    const Index shift = n_ - m_;
    const Index first = std::max(from_end.values.first(), shift - from_begin.values.last());
    const Index last = std::min(from_end.values.last(), shift - from_begin.values.first());
    if ((first - from_end.values.first()) % stride != 0 ||
        (shift - first - from_begin.values.first()) % stride != 0)
      return false;
    for (Index k = first; k <= last; k += stride)
      if (from_end.values.get(k) <= m_ - from_begin.values.get(shift - k)) return true;
    return false;
  }

  // Returns the length of the run of equal symbols that ends before a[i] and b[j], in the texts or, if
  // Mirrored, in the reversed texts.
  [[nodiscard]] Index match_backward(Index i, Index j) const {
    const std::uint64_t limit = index(std::min(i, j));
    if constexpr (Mirrored)
      return static_cast<Index>(equal_.prefix(a_.data() + (m_ - i), b_.data() + (n_ - j), limit));
    else
      return static_cast<Index>(equal_.suffix(a_.data() + i, b_.data() + j, limit));
  }

  // Whether the search has come to the point (0, 0).
  [[nodiscard]] static bool reaches_origin(const frontier& last) {
    return last.first() <= 0 && last.last() >= 0 && last.first() % stride == 0 && last.get(0) == 0;
  }

  // Computes S(d, .) on the diagonals of `next` from S(d - 1, .). Returns m + n minus the smallest i + j.
  // The function is flattened because calling common_suffix() for each diagonal costs a tenth of the
  // instructions.
  [[gnu::flatten]] std::uint64_t advance(const frontier& old, frontier& next) const {
    // The range of diagonals that cross the table.
    const Index begin =
        next.first() + std::max<Index>(0, (-m_ - next.first() + stride - 1) / stride) * stride;
    const Index end = std::min(next.last(), n_);
    Index min_sum = m_ + n_;
    if (begin > end) return 0;
    const Index* right = old.at(begin + 1);
    Index* entry = &next.at(begin);
    for (Index k = begin; k <= end; k += stride, ++right, ++entry) {
      Index i = std::min<Index>(*right, right[-2 / stride] - 1);
      if constexpr (Edit) i = std::min<Index>(i, right[-1] - 1);
      i = std::max<Index>(i, k < 0 ? -k : 0);
      i -= match_backward(i, i + k);
      *entry = i;
      min_sum = std::min<Index>(min_sum, 2 * i + k);
    }
    return static_cast<std::uint64_t>(m_ + n_ - min_sum);
  }

  // Computes the frontiers that the walk needs at distance d on diagonal k, from the last frontier kept
  // before d. Returns the distance of that frontier.
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
  cell_counter& work_;
  Equal equal_;
  Index distance_ = 0;
  std::vector<frontier> kept_; // S(0, .), S(interval, .), ...
};

// The functions below run the engine on two texts, for a limited time if the caller has a faster way for
// texts that differ much.

inline constexpr std::uint64_t unlimited_steps = ~std::uint64_t{0};

// Returns whether a search should go on after `steps` steps, when a part `done` (0 to 1) of the texts is
// behind it. Every search gets the first 32nd of the steps, because the texts may differ in one position
// only. It gets the other steps only if it is expected to need less than half of max_steps in all at the
// present pace. (Steps grow with the square of the part that is done.)
[[nodiscard]] inline bool is_worth_continuing(std::uint64_t steps, double done, std::uint64_t max_steps) {
  return steps < max_steps / 32 ||
         static_cast<double>(steps) < 0.5 * done * done * static_cast<double>(max_steps);
}

// Returns whether 32-bit indices suffice for the search. With wildcards they must.
template <class Symbol> [[nodiscard]] bool is_narrow(text<Symbol> a, text<Symbol> b) {
  return a.size() + b.size() < std::uint64_t{1} << 29;
}

// Return the distance or the canonical path. Return nothing if the search is not expected to end within
// max_steps, or, with a limit of steps, if the memory of a path does not suffice. Without a limit they throw
// memory_error in that case. A step visits a diagonal at one distance. Symbols are bytes or 32-bit numbers.
template <class Symbol>
[[nodiscard]] std::optional<std::uint64_t>
furthest_reaching_distance(text<Symbol> a, text<Symbol> b, const lcs_call& call,
                           std::uint64_t max_steps = unlimited_steps);
template <class Symbol>
[[nodiscard]] std::optional<edit_script> furthest_reaching_path(text<Symbol> a, text<Symbol> b,
                                                                const lcs_call& call,
                                                                std::uint64_t max_steps = unlimited_steps);

} // namespace weft::lcs_detail
