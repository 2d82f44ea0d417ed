// Cuts sorted arrays of many ranks at given positions of the order of all their items.
//
// The plain version: gather all items on one rank, sort them stably by the order of the ranks, and count how
// many of the first `position` items come from each rank.
//
// The items of all ranks are ordered by (item, rank, index), in which no two are equal, so that equal items
// can be cut anywhere. For each position, every rank knows a bracket [low, high) of its own items that
// contains its cut. In each round, the ranks gather evenly spaced items of their brackets, the pivots. Each
// rank counts its items before each pivot, and the sums over all ranks are the positions of the pivots,
// between which the brackets shrink. With s pivots of each rank in a bracket, the items in it become at least
// (s + 1) / 2 times fewer in a round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/multi/communicator.hpp>

namespace weft::multi_detail {

using multi::communicator;

// A position of the order of all items. A cut at most `tolerance` items before or after it will do.
struct cut_target {
  std::uint64_t position, tolerance;
};

// An item of a bracket of target number `target`, and where it is.
template <class T> struct pivot {
  T item;
  std::uint64_t index, target;
  std::uint32_t rank;
};

// The bracket of one cut on this rank.
struct bracket {
  std::uint64_t low, high; // the cut is in [low, high]
  bool is_found = false;   // whether the cut is known to be `low`
};

// Copies the items of all ranks to every rank, in the order of the ranks.
template <class T> std::vector<T> gather_items(communicator& ranks, const std::vector<T>& own) {
  std::vector<std::uint64_t> sizes = multi::all_gather_number(ranks, own.size());
  std::uint64_t count = 0;
  for (std::uint64_t& size : sizes) {
    count += size;
    size *= sizeof(T);
  }
  std::vector<T> all(count);
  ranks.all_gather(std::as_bytes(std::span(own)), sizes, std::as_writable_bytes(std::span(all)));
  return all;
}

// Returns the number of own items before the pivot in the order by (item, rank, index).
template <class T, class Less>
std::uint64_t items_before(std::span<const T> sorted, const pivot<T>& at, const bracket& in,
                           std::uint32_t own_rank, Less& less) {
  if (at.rank == own_rank) return at.index;
  const T* const first = sorted.data() + in.low;
  const T* const last = sorted.data() + in.high;
  const T* const found = own_rank < at.rank ? std::upper_bound(first, last, at.item, less)
                                            : std::lower_bound(first, last, at.item, less);
  return static_cast<std::uint64_t>(found - sorted.data());
}

// A cut_search holds the brackets of all targets.
template <class T, class Less> class cut_search {
public:
  cut_search(communicator& ranks, std::span<const T> sorted, std::span<const cut_target> targets, Less less)
      : ranks_(ranks), sorted_(sorted), targets_(targets), less_(less),
        brackets_(targets.size(), bracket{0, sorted.size()}) {}

  // Returns the cut of each target.
  std::vector<std::uint64_t> run() {
    find_ends();
    while (narrow()) {
    }
    std::vector<std::uint64_t> cuts;
    for (const bracket& each : brackets_) cuts.push_back(each.low);
    return cuts;
  }

private:
  // Finds the cuts at the ends of all items, which no pivot may be near.
  void find_ends() {
    const std::uint64_t count = multi::reduce_number(ranks_, sorted_.size(), multi::reduction::sum);
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      if (targets_[t].position <= targets_[t].tolerance) brackets_[t] = {0, 0, true};
      if (targets_[t].position + targets_[t].tolerance >= count)
        brackets_[t] = {sorted_.size(), sorted_.size(), true};
    }
  }

  // Returns how many pivots a rank takes from a bracket, so that all pivots of a round fit in some megabytes.
  [[nodiscard]] std::uint64_t pivots_per_bracket(std::uint64_t num_open) const {
    constexpr std::uint64_t max_pivots = std::uint64_t{1} << 17; // of all ranks, in a round
    return std::clamp<std::uint64_t>(max_pivots / (num_open * static_cast<std::uint64_t>(ranks_.size())), 1,
                                     255);
  }

  std::vector<pivot<T>> own_pivots(std::uint64_t per_bracket) const {
    std::vector<pivot<T>> own;
    for (std::size_t t = 0; t < brackets_.size(); ++t) {
      const bracket& in = brackets_[t];
      if (in.is_found) continue;
      const std::uint64_t size = in.high - in.low, count = std::min(size, per_bracket);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t index =
            in.low + (size / (count + 1)) * (i + 1) + (size % (count + 1)) * (i + 1) / (count + 1);
        own.push_back({sorted_[index], index, t, static_cast<std::uint32_t>(ranks_.rank())});
      }
    }
    return own;
  }

  // Narrows all brackets whose cut is not known yet. Returns whether there were any.
  bool narrow() {
    std::uint64_t num_open = 0;
    for (const bracket& each : brackets_) num_open += each.is_found ? 0 : 1;
    if (num_open == 0) return false;
    const std::vector<pivot<T>> pivots = gather_items(ranks_, own_pivots(pivots_per_bracket(num_open)));
    std::vector<std::uint64_t> before;
    for (const pivot<T>& each : pivots)
      before.push_back(items_before(sorted_, each, brackets_[each.target],
                                    static_cast<std::uint32_t>(ranks_.rank()), less_));
    std::vector<std::uint64_t> positions = before; // of the pivots among the items of all ranks
    ranks_.all_reduce(positions, multi::reduction::sum);
    for (std::size_t i = 0; i < pivots.size(); ++i) apply(pivots[i], positions[i], before[i]);
    return true;
  }

  // Moves an end of a bracket to a pivot.
  void apply(const pivot<T>& at, std::uint64_t position, std::uint64_t before) {
    bracket& in = brackets_[at.target];
    if (in.is_found) return;
    const cut_target& target = targets_[at.target];
    if (position + target.tolerance >= target.position && position <= target.position + target.tolerance) {
      in = {before, before, true};
    } else if (position > target.position) {
      in.high = std::min(in.high, before);
    } else { // the pivot itself is before the cut
      const bool is_own = at.rank == static_cast<std::uint32_t>(ranks_.rank());
      in.low = std::max(in.low, before + (is_own ? 1 : 0));
      if (position + 1 == target.position) in = {in.low, in.low, true};
    }
  }

  communicator& ranks_;
  const std::span<const T> sorted_;
  const std::span<const cut_target> targets_;
  Less less_;
  std::vector<bracket> brackets_;
};

// Returns, for each target, how many of the own items belong before the cut. `sorted` is in the order of
// `less`. Targets are at most the number of items of all ranks. All ranks call it together, with the same
// targets. O(targets x pivots x log n) time in O(log n) rounds, usually three to five.
template <class T, class Less>
std::vector<std::uint64_t> find_cuts(communicator& ranks, std::span<const T> sorted,
                                     std::span<const cut_target> targets, Less less) {
  return cut_search<T, Less>(ranks, sorted, targets, less).run();
}

} // namespace weft::multi_detail
