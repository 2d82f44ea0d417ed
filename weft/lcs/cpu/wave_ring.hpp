// The levels of engine affine-wavefront (affine_wavefront.hpp) that are in memory, the last ones of a search,
// and the inner loop that computes a level from them, many diagonals at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft::lcs_detail {

// The levels that one level is computed from. Every pointer points to the entry of the first diagonal, and
// entries of the neighbouring diagonals can be read, too. With gap_open = 0, the closing gaps are those that
// are being computed.
template <class Index> struct wave_step {
  std::size_t count;                               // the number of diagonals, at least 1
  Index first_diagonal;                            // the first of them
  const Index *open, *deleting, *inserting;        // gap_extend levels before: M, D and I
  const Index* mismatched;                         // mismatch levels before: M
  const Index *closed_deleting, *closed_inserting; // gap_open levels before: D and I
  Index *to_m, *to_d, *to_i; // the level to compute; to_m is not yet extended by matches
};

void compute_wave(const wave_step<std::int32_t>& step);
void compute_wave(const wave_step<std::int64_t>& step);

// The three entries of a diagonal at a level.
enum class wave_part : std::uint8_t { closed, deleting, inserting };
inline constexpr std::size_t num_wave_parts = 3;

// A range of diagonals [first, last]; empty if last < first.
template <class Index> struct diagonal_range {
  Index first = std::numeric_limits<Index>::max() / 2, last = std::numeric_limits<Index>::min() / 2;
  [[nodiscard]] bool is_empty() const { return last < first; }
};

// A copy of one level, for a checkpoint.
template <class Index> struct saved_wave {
  diagonal_range<Index> range;
  std::array<std::vector<Index>, num_wave_parts> parts;
};

// A wave_ring holds levels level - slots + 1 .. level, if `level` is the last one that was started. Entries
// outside of the range of their level, and levels that were never started, hold `unreachable`.
template <class Index> class wave_ring {
public:
  static constexpr Index unreachable = std::numeric_limits<Index>::max() / 2;

  // `range`: the diagonals to have memory for at first; more are added when a level needs them.
  wave_ring(std::uint64_t slots, diagonal_range<Index> range)
      : slots_(static_cast<std::int64_t>(slots)), ranges_(slots) {
    base_ = range.first - padding;
    width_ = static_cast<std::size_t>(range.last - range.first + 1 + 2 * padding);
    entries_.assign(slots * num_wave_parts * width_, unreachable);
  }

  // Returns the bytes that `slots` levels of `diagonals` diagonals take.
  [[nodiscard]] static std::uint64_t memory(std::uint64_t slots, std::uint64_t diagonals) {
    return slots * num_wave_parts * (diagonals + 2 * static_cast<std::uint64_t>(padding)) * sizeof(Index);
  }
  [[nodiscard]] std::uint64_t memory() const { return entries_.size() * sizeof(Index); }

  // Returns the diagonals of a level that is in memory; none if the level is negative.
  [[nodiscard]] diagonal_range<Index> range(std::int64_t level) const {
    return level < 0 ? diagonal_range<Index>() : ranges_[slot(level)];
  }

  // Starts a level in place of the oldest one, all of whose entries become unreachable outside of `range`.
  // Those in `range` must be written by the caller.
  void start(std::int64_t level, diagonal_range<Index> range) {
    if (!range.is_empty()) widen(range);
    diagonal_range<Index>& known = ranges_[slot(level)];
    if (!known.is_empty())
      for (std::size_t part = 0; part < num_wave_parts; ++part) {
        Index* const row = entry(level, static_cast<wave_part>(part), base_);
        const auto clear = [&](Index first, Index last) {
          if (first <= last) std::fill(row + (first - base_), row + (last - base_) + 1, unreachable);
        };
        if (range.is_empty()) {
          clear(known.first, known.last);
        } else {
          clear(known.first, std::min<Index>(known.last, range.first - 1));
          clear(std::max<Index>(known.first, range.last + 1), known.last);
        }
      }
    known = range;
  }

  // Returns where the entry of a diagonal is; the diagonals beside those of the level can be read.
  [[nodiscard]] Index* entry(std::int64_t level, wave_part part, Index k) {
    return entries_.data() + offset(level, part) + static_cast<std::size_t>(k - base_);
  }
  [[nodiscard]] const Index* entry(std::int64_t level, wave_part part, Index k) const {
    return entries_.data() + offset(level, part) + static_cast<std::size_t>(k - base_);
  }
  // Returns the entry of any diagonal; `unreachable` if the level does not have it.
  [[nodiscard]] Index get(std::int64_t level, wave_part part, Index k) const {
    const diagonal_range<Index> known = range(level);
    return k < known.first || k > known.last ? unreachable : *entry(level, part, k);
  }

  // Drops the diagonals at both ends of a level whose three entries are all below the points with i + j =
  // max_sum. Returns the number of diagonals that are left.
  std::uint64_t trim(std::int64_t level, Index max_sum) {
    diagonal_range<Index> left = range(level);
    const auto is_below = [&](Index k) {
      const Index i = std::min({*entry(level, wave_part::closed, k), *entry(level, wave_part::deleting, k),
                                *entry(level, wave_part::inserting, k)});
      return i > (max_sum - k) / 2;
    };
    while (!left.is_empty() && is_below(left.first)) ++left.first;
    while (!left.is_empty() && is_below(left.last)) --left.last;
    start(level, left);
    return left.is_empty() ? 0 : static_cast<std::uint64_t>(left.last - left.first + 1);
  }

  // Copies a level out of the ring, and back.
  [[nodiscard]] saved_wave<Index> save(std::int64_t level) const {
    saved_wave<Index> saved{range(level), {}};
    if (!saved.range.is_empty())
      for (std::size_t part = 0; part < num_wave_parts; ++part) {
        const Index* const from = entry(level, static_cast<wave_part>(part), saved.range.first);
        saved.parts[part].assign(from, from + (saved.range.last - saved.range.first) + 1);
      }
    return saved;
  }
  // Restores the diagonals of a saved level that are in `range`.
  void restore(std::int64_t level, const saved_wave<Index>& saved, diagonal_range<Index> range) {
    range = {std::max(range.first, saved.range.first), std::min(range.last, saved.range.last)};
    start(level, range);
    if (!range.is_empty())
      for (std::size_t part = 0; part < num_wave_parts; ++part) {
        const auto from = saved.parts[part].begin() + (range.first - saved.range.first);
        std::copy(from, from + (range.last - range.first) + 1,
                  entry(level, static_cast<wave_part>(part), range.first));
      }
  }

private:
  static constexpr Index padding = 2; // diagonals beside the range that can be read

  [[nodiscard]] std::size_t slot(std::int64_t level) const {
    return static_cast<std::size_t>((level % slots_ + slots_) % slots_);
  }
  [[nodiscard]] std::size_t offset(std::int64_t level, wave_part part) const {
    return (slot(level) * num_wave_parts + static_cast<std::size_t>(part)) * width_;
  }

  // Gives every level memory for the diagonals of `range`, and for about twice as many as before.
  void widen(diagonal_range<Index> range) {
    const Index first = range.first - padding, last = range.last + padding;
    const Index end = base_ + static_cast<Index>(width_) - 1;
    if (first >= base_ && last <= end) return;
    const Index half = static_cast<Index>(width_ / 2);
    const Index new_base = first < base_ ? first - half : base_, new_end = last > end ? last + half : end;
    const auto new_width = static_cast<std::size_t>(new_end - new_base + 1);
    std::vector<Index> moved(ranges_.size() * num_wave_parts * new_width, unreachable);
    for (std::size_t row = 0; row < ranges_.size() * num_wave_parts; ++row)
      std::copy_n(entries_.begin() + static_cast<std::ptrdiff_t>(row * width_), width_,
                  moved.begin() + static_cast<std::ptrdiff_t>(row * new_width) + (base_ - new_base));
    entries_ = std::move(moved);
    base_ = new_base;
    width_ = new_width;
  }

  std::int64_t slots_;
  Index base_;        // the diagonal of the first entry of each row
  std::size_t width_; // of a row
  std::vector<Index> entries_;
  std::vector<diagonal_range<Index>> ranges_;
};

} // namespace weft::lcs_detail
