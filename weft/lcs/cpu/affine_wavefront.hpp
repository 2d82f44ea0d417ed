// Engine affine-wavefront: O(m + n + s^2) steps on similar texts, where s is the penalty. Marco-Sola et al.,
// Bioinformatics 37 (2021) 456-463. Like furthest-reaching, the engine searches backwards from the ends of
// the texts, because the canonical walk, which goes forwards, needs exactly the values that such a search
// leaves behind.
//
// Let x, o and e be the penalties mismatch, gap_open and gap_extend, divided by their greatest common
// divisor; a level is a penalty in this unit. R(i, j) is the least penalty of a[i..) and b[j..), and R_D(i,
// j) and R_I(i, j) are the same after a deletion and after an insertion, which the next step can extend.
// Diagonal k is the set of points with j - i = k. None of the three grows towards the end of a diagonal: a
// path of a[i..) and b[j..) without the first symbols of both costs no more. So one number tells where each
// is small enough:
//     M(s, k) = the smallest i with R(i, i + k) <= s
//     D(s, k) = the smallest i with e + R_D(i + 1, i + k) <= s       a deletion, not counting its gap_open
//     I(s, k) = the smallest i with e + R_I(i, i + k + 1) <= s       an insertion, not counting its gap_open
//
//   M(0, n - m) = m, then along the diagonal to the top left while symbols are equal
//   D(s, k) = min(M(s-e, k-1), D(s-e, k-1)) - 1     close the gap after this deletion, or extend it
//   I(s, k) = min(M(s-e, k+1), I(s-e, k+1))
//   M(s, k) = min(M(s-x, k) - 1, D(s-o, k), I(s-o, k)), then along the diagonal while symbols are equal
//   until M(s, 0) = 0.                              Values above the table are raised to its border.
//
// An entry may be missing (`unreachable`) or too large where no path costs exactly s. That changes no answer
// below, because each asks for a value that an optimal path would have.
//
// The canonical walk at (i, j), on diagonal k, with R(i, j) = r: deleting is optimal iff D(r-o, k) <= i.
// Otherwise a match is optimal if the symbols are equal. Otherwise substituting is optimal iff
// M(r-x, k) <= i + 1; otherwise inserting is. Along a run of matches r stays the same, so deleting first
// becomes optimal at i = D(r-o, k), where the run is cut. After a deletion, with R_D(i, j) = r, another one
// is optimal iff D(r, k) <= i, else R(i, j) = r. After an insertion, with R_I(i, j) = r, another one is the
// only optimal step unless M(r, k) <= i, and then R(i, j) = r.
//
// Bound. Once a search has become long, it looks for some path, in a narrow band, whose penalty u bounds s. A
// point on diagonal k whose rest costs more than u - o - e |k| is then on no optimal path, and the search
// leaves it out. If u is about s, that halves the search.
//
// Memory. The search keeps a number of checkpoints that does not depend on s, each with the last max(x, o, e)
// levels. The walk needs at level r on diagonal k only entries (s, k1) with |k - k1| <= (r - s) / e. Those
// between two checkpoints form a triangle, which is computed again with checkpoints of its own, until the
// triangle has few levels and is kept as a whole. So memory is O(s), and the triangles take a small part of
// the time. (The engine of Marco-Sola et al., Bioinformatics 39 (2023) btad074, has O(s) memory by
// searching from both ends; the point where both searches meet need not be on the canonical path.)
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/lcs/cpu/common_run.hpp>
#include <weft/lcs/cpu/wave_ring.hpp>
#include <weft/lcs/entry/affine_costs.hpp>

namespace weft::lcs_detail {

// The penalties as levels; `unit` is their greatest common divisor.
struct wave_costs {
  std::int64_t unit, mismatch, open, extend;
  explicit wave_costs(const affine_penalties& penalties)
      : unit(std::gcd(std::gcd(penalties.gap_open, penalties.gap_extend), penalties.mismatch)),
        mismatch(penalties.mismatch / unit), open(penalties.gap_open / unit),
        extend(penalties.gap_extend / unit) {}
  // Returns how many levels a level depends on.
  [[nodiscard]] std::int64_t window() const { return std::max({mismatch, open, extend}); }
};

// The longest window of the engine: with more levels, checkpoints take too much memory.
inline constexpr std::int64_t max_wave_window = 1024;

// What decides the cost of a search, but not its result; tests choose small numbers.
struct wave_tuning {
  std::int64_t leaf = 256;           // levels of a triangle that is kept as a whole
  std::int64_t bound_level = 1024;   // the level at which a search looks for a bound first
  std::uint64_t min_bound_steps = 0; // that may be taken to find it; an eighth of the steps so far always may
};

// Index is a signed type that holds 2 (m + n). Equal compares symbols (common_run.hpp).
template <class Symbol, class Index, class Equal = equal_symbols> class affine_wavefront {
public:
  affine_wavefront(text<Symbol> a, text<Symbol> b, const affine_penalties& penalties, cell_counter& work,
                   Equal equal = {}, const wave_tuning& tuning = {})
      : a_(a), b_(b), m_(static_cast<Index>(a.size())), n_(static_cast<Index>(b.size())), costs_(penalties),
        work_(work), equal_(equal), tuning_(tuning), interval_(tuning.leaf),
        next_bound_search_(tuning.bound_level) {}

  // Returns the penalty, or nothing if the search was ended. `keep` says whether to keep what path() needs.
  // should_continue(penalty, memory, steps, reached) is called before each level, and may end the search.
  // `memory` is the number of bytes that the search and the path need at least; `steps` and `reached` are
  // those of furthest_reaching.
  template <class ShouldContinue>
  [[nodiscard]] std::optional<std::uint64_t> search(bool keep, const ShouldContinue& should_continue) {
    ring levels = first_level();
    std::uint64_t steps = 1;
    std::uint64_t reached = 2 * static_cast<std::uint64_t>(m_ - levels.get(0, wave_part::closed, n_ - m_));
    std::optional<std::int64_t> bound; // for the penalty
    std::int64_t level = 0;
    for (; levels.get(level, wave_part::closed, 0) != 0; ++level) {
      // The ring is copied to one of twice the size when it becomes too small.
      const std::uint64_t memory = 3 * levels.memory() + (keep ? path_memory(level, levels.range(level)) : 0);
      if (!should_continue(static_cast<std::uint64_t>(level * costs_.unit), memory, steps, reached))
        return std::nullopt;
      if (keep && level % interval_ == 0) add_checkpoint(levels, level);
      if (!bound && level == next_bound_search_) {
        bound = find_bound(std::max(tuning_.min_bound_steps, steps / 8));
        next_bound_search_ *= 2;
      }
      reached = std::max(reached, advance(levels, level + 1, limits_within(bound, level + 1)));
      const diagonal_range<Index> range = levels.range(level + 1);
      if (!range.is_empty()) steps += static_cast<std::uint64_t>(range.last - range.first + 1);
      const double part = static_cast<double>(reached) / static_cast<double>(a_.size() + b_.size());
      work_.estimate(part * part);
    }
    if (keep && frames_.empty()) add_checkpoint(levels, level);
    level_ = level;
    return static_cast<std::uint64_t>(level * costs_.unit);
  }

  // Appends the path, after search(true, ...) has found the penalty.
  void append_path(edit_script& path) {
    Index i = 0, j = 0;
    std::int64_t r = level_;
    wave_part state = wave_part::closed; // of the step before
    while (i < m_ && j < n_) {
      const Index k = j - i;
      const ring& levels = levels_at(r, k);
      if (state == wave_part::deleting && levels.get(r, wave_part::deleting, k) <= i) {
        append(path, edit_op::remove, 1);
        ++i, r -= costs_.extend;
        continue;
      }
      if (state == wave_part::inserting && levels.get(r, wave_part::closed, k) > i) {
        append(path, edit_op::insert, 1);
        ++j, r -= costs_.extend;
        continue;
      }
      state = wave_part::closed;
      const Index down = levels.get(r - costs_.open, wave_part::deleting, k);
      if (down <= i) {
        append(path, edit_op::remove, 1);
        ++i, r -= costs_.open + costs_.extend, state = wave_part::deleting;
        continue;
      }
      const Index max_run = std::min({m_ - i, n_ - j, down - i});
      const auto run = static_cast<Index>(equal_.prefix(&a_[index(i)], &b_[index(j)], index(max_run)));
      append(path, edit_op::match, index(run));
      i += run, j += run;
      if (run == max_run) continue;
      if (levels.get(r - costs_.mismatch, wave_part::closed, k) <= i + 1) {
        append(path, edit_op::substitute, 1);
        ++i, ++j, r -= costs_.mismatch;
      } else {
        append(path, edit_op::insert, 1);
        ++j, r -= costs_.open + costs_.extend, state = wave_part::inserting;
      }
    }
    append(path, edit_op::remove, index(m_ - i));
    append(path, edit_op::insert, index(n_ - j));
  }

private:
  using ring = wave_ring<Index>;
  static constexpr std::size_t max_checkpoints = 32; // of a search or a triangle

  static constexpr std::size_t index(Index i) { return static_cast<std::size_t>(i); }

  // The levels that follow from a level and those in its window before it.
  struct checkpoint {
    std::int64_t level;
    std::vector<saved_wave<Index>> window; // the last one is `level`
  };

  // Returns how many levels must be in memory to compute `more` levels after the first window.
  [[nodiscard]] std::uint64_t slots(std::int64_t more) const {
    return static_cast<std::uint64_t>(costs_.window() + 1 + more);
  }

  // Returns the bytes for the checkpoints and triangles of a path, if `range` is that of the level.
  [[nodiscard]] std::uint64_t path_memory(std::int64_t level, diagonal_range<Index> range) const {
    if (range.is_empty()) return 0;
    const auto width = static_cast<std::uint64_t>(range.last - range.first + 1);
    const std::int64_t leaf_levels = std::min(tuning_.leaf, level);
    const auto leaf_width = static_cast<std::uint64_t>(2 * (leaf_levels / costs_.extend) + 4);
    const std::uint64_t checkpoints =
        std::min<std::uint64_t>(max_checkpoints, static_cast<std::uint64_t>(level / interval_) + 1);
    // The triangles of all depths have fewer checkpoints and diagonals than the search itself.
    return ring::memory(slots(leaf_levels), std::min(width, leaf_width)) +
           ring::memory(checkpoints * static_cast<std::uint64_t>(costs_.window()), width) * 5 / 4;
  }

  // Returns a ring that contains level 0.
  [[nodiscard]] ring first_level() const {
    const Index start = n_ - m_, width = std::min<Index>(256, std::max(m_, n_));
    ring levels(slots(0), {start - width, start + width});
    levels.start(0, {start, start});
    *levels.entry(0, wave_part::closed, start) = m_ - match_backward(m_, n_);
    return levels;
  }

  // Returns the level of some path, which need not be optimal, or nothing if it is not found within about
  // max_steps. Searches as search() does, but drops diagonals that are far behind the best one.
  [[nodiscard]] std::optional<std::int64_t> find_bound(std::uint64_t max_steps) const {
    constexpr Index max_distance = 4096; // in symbols of both texts
    ring levels = first_level();
    Index min_sum = m_ + n_;
    std::uint64_t steps = 0;
    for (std::int64_t level = 0; steps <= max_steps; ++level) {
      if (levels.get(level, wave_part::closed, 0) == 0) return level;
      const auto reached = static_cast<Index>(advance(levels, level + 1, {-m_, n_}));
      min_sum = std::min<Index>(min_sum, m_ + n_ - reached);
      steps += 1 + levels.trim(level + 1, min_sum + max_distance);
    }
    return std::nullopt;
  }

  // Returns the diagonals of a level that a path can have whose penalty is at most `bound`. From the
  // beginning of the texts a gap of |k| symbols leads to diagonal k.
  [[nodiscard]] diagonal_range<Index> limits_within(std::optional<std::int64_t> bound,
                                                    std::int64_t level) const {
    if (!bound) return {-m_, n_};
    const std::int64_t symbols = (*bound - level - costs_.open) / costs_.extend;
    const auto reach =
        static_cast<Index>(std::clamp<std::int64_t>(symbols, 0, std::int64_t{m_} + std::int64_t{n_}));
    return {std::max<Index>(-m_, -reach), std::min<Index>(n_, reach)};
  }

  // Adds a checkpoint of the search. If there are too many, every other one is dropped.
  void add_checkpoint(const ring& levels, std::int64_t level) {
    if (frames_.empty()) frames_.emplace_back();
    std::vector<checkpoint>& kept = frames_.front();
    kept.push_back(saved(levels, level));
    if (kept.size() < max_checkpoints) return;
    for (std::size_t i = 1; 2 * i < kept.size(); ++i) kept[i] = std::move(kept[2 * i]);
    kept.resize((kept.size() + 1) / 2);
    interval_ *= 2;
  }
  [[nodiscard]] checkpoint saved(const ring& levels, std::int64_t level) const {
    checkpoint result{level, {}};
    for (std::int64_t s = level - costs_.window() + 1; s <= level; ++s)
      result.window.push_back(levels.save(s));
    return result;
  }

  // Returns levels that contain the entries which a walk at level r on diagonal k asks for.
  [[nodiscard]] const ring& levels_at(std::int64_t r, Index k) {
    if (triangle_ && std::max<std::int64_t>(0, r - costs_.window()) >= triangle_first_) return *triangle_;
    const std::int64_t before = std::max<std::int64_t>(r - 1, 0);
    while (frames_.back().front().level > before) frames_.pop_back();
    for (;;) {
      while (frames_.back().back().level > before) frames_.back().pop_back();
      const checkpoint& from = frames_.back().back();
      const std::int64_t height = r - from.level;
      const bool is_leaf = height <= tuning_.leaf;
      triangle_.emplace(slots(is_leaf ? height : 0), limits(from.level, r, k));
      triangle_first_ = std::max<std::int64_t>(0, from.level - costs_.window() + 1);
      std::vector<checkpoint> inner;
      const std::int64_t step =
          std::max(tuning_.leaf, height / static_cast<std::int64_t>(max_checkpoints / 2) + 1);
      for (std::size_t i = 0; i < from.window.size(); ++i) {
        const std::int64_t s = from.level - costs_.window() + 1 + static_cast<std::int64_t>(i);
        if (s >= 0) triangle_->restore(s, from.window[i], limits(s, r, k));
      }
      for (std::int64_t s = from.level; s < r; ++s) {
        if (!is_leaf && (s - from.level) % step == 0) inner.push_back(saved(*triangle_, s));
        (void)advance(*triangle_, s + 1, limits(s + 1, r, k));
      }
      work_.check();
      if (is_leaf) return *triangle_;
      frames_.push_back(std::move(inner));
    }
  }

  // Returns the diagonals of level s that a walk at level r on diagonal k can ask for.
  [[nodiscard]] diagonal_range<Index> limits(std::int64_t s, std::int64_t r, Index k) const {
    const auto reach = static_cast<Index>(
        std::min<std::int64_t>(std::max<std::int64_t>(r - s, 0) / costs_.extend + 1, std::int64_t{m_} + n_));
    return {std::max<Index>(-m_, k - reach), std::min<Index>(n_, k + reach)};
  }

  // Returns the length of the run of equal symbols that ends before a[i] and b[j].
  [[nodiscard]] Index match_backward(Index i, Index j) const {
    return static_cast<Index>(equal_.suffix(a_.data() + i, b_.data() + j, index(std::min(i, j))));
  }

  // Computes a level from those before it, on diagonals within `limits`. Returns m + n minus the smallest i +
  // j that it reaches. Flattened for the same reason as furthest_reaching::advance().
  std::uint64_t advance(ring& levels, std::int64_t level, diagonal_range<Index> limits) const {
    const std::int64_t mismatched = level - costs_.mismatch, opened = level - costs_.open,
                       extended = level - costs_.extend;
    diagonal_range<Index> range = levels.range(extended);
    if (!range.is_empty()) --range.first, ++range.last;
    for (const std::int64_t s : {mismatched, opened}) {
      if (s == level) continue; // gap_open is 0, and the gaps are those of this level
      const diagonal_range<Index> other = levels.range(s);
      range = {std::min(range.first, other.first), std::max(range.last, other.last)};
    }
    range = {std::max(range.first, limits.first), std::min(range.last, limits.last)};
    levels.start(level, range);
    if (range.is_empty()) return 0;
    const auto at = [&](std::int64_t s, wave_part part) { return levels.entry(s, part, range.first); };
    const auto count = static_cast<std::size_t>(range.last - range.first + 1);
    Index* const to = at(level, wave_part::closed);
    compute_wave({count, range.first, at(extended, wave_part::closed), at(extended, wave_part::deleting),
                  at(extended, wave_part::inserting), at(mismatched, wave_part::closed),
                  at(opened, wave_part::deleting), at(opened, wave_part::inserting), to,
                  at(level, wave_part::deleting), at(level, wave_part::inserting)});
    extend(to, count, range.first);
    Index min_sum = m_ + n_;
    for (std::size_t t = 0; t < count; ++t) {
      const Index sum = 2 * std::min(to[t], m_) + range.first + static_cast<Index>(t);
      min_sum = to[t] > m_ ? min_sum : std::min(min_sum, sum);
    }
    return static_cast<std::uint64_t>(m_ + n_ - min_sum);
  }

  // Moves the reachable ones of `count` entries from diagonal `first` on along runs of equal symbols.
  // Compares eight bytes of an entry without a branch, because runs of random texts have unpredictable
  // lengths, and goes on only if all of them are equal.
  [[gnu::flatten]] void extend(Index* entries, std::size_t count, Index first) const {
    constexpr Index step = sizeof(std::uint64_t) / sizeof(Symbol);
    const Symbol *const a = a_.data(), *const b = b_.data();
    for (std::size_t t = 0; t < count; ++t) {
      const Index i = entries[t], j = i + first + static_cast<Index>(t);
      if (i > m_) continue; // unreachable
      if (!std::is_same_v<Equal, equal_symbols> || std::min(i, j) < step) {
        entries[t] = i - match_backward(i, j);
        continue;
      }
      const std::uint64_t different = load_difference(a + i - step, b + j - step);
      entries[t] = different == 0
                       ? i - match_backward(i, j)
                       : i - static_cast<Index>(equal_high_bits(different)) / Index{8 * sizeof(Symbol)};
    }
  }

  text<Symbol> a_, b_;
  Index m_, n_;
  wave_costs costs_;
  cell_counter& work_;
  Equal equal_;
  std::int64_t level_ = 0; // the penalty of the texts
  wave_tuning tuning_;
  std::int64_t interval_;                       // between checkpoints of the search
  std::vector<std::vector<checkpoint>> frames_; // of the search, and of triangles within triangles
  std::int64_t next_bound_search_;              // the level at which search() calls find_bound()
  std::optional<ring> triangle_;                // the levels that the walk reads
  std::int64_t triangle_first_ = 0;             // the first level in it
};

// The functions below run the engine on two texts, for a limited time if the caller has a faster way for
// texts that differ much.

// Returns whether the engine takes these penalties.
[[nodiscard]] inline bool is_short_window(const affine_penalties& penalties) {
  return wave_costs(penalties).window() <= max_wave_window;
}

// Return the penalty or the canonical path. Return nothing if the search is not expected to end within
// max_steps, or, with a limit of steps, if memory does not suffice. Without a limit they throw memory_error
// in that case. A step visits a diagonal at one level. Symbols are bytes or 32-bit numbers.
template <class Symbol>
[[nodiscard]] std::optional<std::uint64_t>
affine_wavefront_penalty(text<Symbol> a, text<Symbol> b, const lcs_call& call, std::uint64_t max_steps);
template <class Symbol>
[[nodiscard]] std::optional<edit_script> affine_wavefront_path(text<Symbol> a, text<Symbol> b,
                                                               const lcs_call& call, std::uint64_t max_steps);

} // namespace weft::lcs_detail
