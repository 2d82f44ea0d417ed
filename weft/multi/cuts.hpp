// Cuts sorted arrays of many ranks at given positions of the order of all their items.
//
// The plain version: gather all items on one rank, sort them stably by the order of the ranks, and count how
// many of the first `position` items come from each rank.
//
// The items of all ranks are ordered by (item, rank, index), in which no two are equal, so that equal items
// can be cut anywhere. For each position, every rank knows a bracket: two cuts between which the wanted cut
// is. In each round, the ranks gather evenly spaced items of the brackets, the pivots. Each rank counts its
// items before each pivot, and the sums over all ranks are the positions of the pivots, between which the
// brackets shrink.
//
// Invariant: two targets have either the same bracket or brackets without a common item. Targets of the same
// bracket share its pivots. In the first round, there is one bracket.
//
// The pivots of a rank are a distance of 1 / s of its bracket apart, and those of different ranks are shifted
// against each other. If the ranks have alike items, the p s pivots of all are evenly spaced, and a round
// leaves a fraction of about 1 / (p s) of a bracket. For any items, each rank has at most one of its own gaps
// between two adjacent pivots, so a round leaves at most a fraction 1 / s, and one item for each rank. With a
// single pivot of each rank, which would allow the whole bracket, all ranks take the middle of theirs in
// every second round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::multi_detail {

using multi::communicator;

// A position of the order of all items. A cut at most `tolerance` items before or after it will do.
struct cut_target {
  std::uint64_t position, tolerance;
};

// A cut: the number of items before it, of all ranks and of this rank.
struct known_cut {
  std::uint64_t position, own;
};

// Two cuts. The wanted cut is between them, or one of them.
struct bracket {
  known_cut low, high;

  [[nodiscard]] bool is_found() const { return low.position == high.position; }
  [[nodiscard]] bool operator==(const bracket& other) const {
    return low.position == other.low.position && high.position == other.high.position;
  }
};

// An item of a bracket, and where it is.
template <class T> struct pivot {
  T item;
  std::uint64_t index; // in the array of its rank
  std::uint32_t rank;
  std::uint32_t bracket; // index of the bracket in this round
};

// The number of pivots of a rank in a round, if no other is given.
inline constexpr std::uint64_t max_pivots = 1024;

// What is wrong if the numbers of items do not add up.
inline constexpr const char* contradictory_order = "sort: the comparator is no strict weak order";

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

// Sorted items in host memory, as a cut_search reads them.
template <class T, class Less> class sorted_span {
public:
  using item = T;
  sorted_span(std::span<const T> items, Less less) : items_(items), less_(less) {}

  [[nodiscard]] std::uint64_t size() const { return items_.size(); }
  // Sets pivot::item to the item at pivot::index of each pivot.
  void read_items(std::span<pivot<T>> pivots) const {
    for (pivot<T>& each : pivots) each.item = items_[each.index];
  }
  // Returns the number of own items before each pivot in the order by (item, rank, index), which is in its
  // bracket.
  [[nodiscard]] std::vector<std::uint64_t>
  count_before(std::span<const pivot<T>> pivots, std::span<const bracket> brackets, std::uint32_t own_rank) {
    std::vector<std::uint64_t> before;
    for (const pivot<T>& each : pivots) before.push_back(before_one(each, brackets[each.bracket], own_rank));
    return before;
  }

private:
  [[nodiscard]] std::uint64_t before_one(const pivot<T>& at, const bracket& in, std::uint32_t own_rank) {
    if (at.rank == own_rank) return at.index;
    const T* const first = items_.data() + in.low.own;
    const T* const last = items_.data() + in.high.own;
    const T* const found = own_rank < at.rank ? std::upper_bound(first, last, at.item, less_)
                                              : std::lower_bound(first, last, at.item, less_);
    return static_cast<std::uint64_t>(found - items_.data());
  }

  std::span<const T> items_;
  Less less_;
};

// Returns the bracket that the known cuts of a bracket leave for a target. `known` ascends and includes both
// ends of the bracket.
inline bracket narrowed(const cut_target& target, const std::vector<known_cut>& known) {
  const std::uint64_t min_position = target.position - std::min(target.position, target.tolerance);
  const auto at =
      std::lower_bound(known.begin(), known.end(), min_position,
                       [](const known_cut& cut, std::uint64_t position) { return cut.position < position; });
  if (at->position <= target.position + target.tolerance) return {*at, *at};
  return {*(at - 1), *at};
}

// Sorts cuts by their positions. Then the numbers of own items ascend, too. If the comparator contradicts
// itself, they are made to ascend, so that no bracket ends before it begins.
inline void put_in_order(std::vector<known_cut>& cuts) {
  std::sort(cuts.begin(), cuts.end(),
            [](const known_cut& a, const known_cut& b) { return a.position < b.position; });
  for (std::size_t i = 1; i < cuts.size(); ++i) cuts[i].own = std::max(cuts[i].own, cuts[i - 1].own);
}

// A cut_search holds the brackets of all targets. Sorted is a sorted_span, or has its members.
template <class Sorted> class cut_search {
  using T = typename Sorted::item;

public:
  // A rank gives at most `pivots` pivots in a round, or one for each bracket if there are more brackets. A
  // round narrows at most `max_open` brackets.
  cut_search(communicator& ranks, Sorted sorted, std::span<const cut_target> targets, const run_options& run,
             std::uint64_t pivots = max_pivots,
             std::uint64_t max_open = std::numeric_limits<std::uint64_t>::max())
      : ranks_(ranks), sorted_(std::move(sorted)), targets_(targets), run_(run), max_pivots_(pivots),
        max_open_(max_open) {
    const std::uint64_t count = multi::reduce_number(ranks, sorted_.size(), multi::reduction::sum);
    brackets_.assign(targets.size(), {{0, 0}, {count, sorted_.size()}});
  }

  // Returns the cut of each target.
  std::vector<std::uint64_t> run() {
    for (collect_open(); !open_.empty(); collect_open()) narrow();
    std::vector<std::uint64_t> cuts;
    for (const bracket& each : brackets_) cuts.push_back(each.low.own);
    return cuts;
  }

private:
  // Collects the different brackets of the targets that are not found yet, the first max_open_ of them.
  void collect_open() {
    open_.clear();
    for (const bracket& each : brackets_) {
      if (each.is_found() || (!open_.empty() && open_.back() == each)) continue;
      if (open_.size() == max_open_) break;
      open_.push_back(each);
    }
  }

  // Returns how many pivots each rank takes from a bracket: fewer if the brackets have few items.
  [[nodiscard]] std::uint64_t pivots_per_bracket() const {
    std::uint64_t num_items = 0;
    for (const bracket& each : open_) num_items += each.high.position - each.low.position;
    const std::uint64_t per_rank = num_items / static_cast<std::uint64_t>(ranks_.size());
    const std::uint64_t pivots = std::min(std::max<std::uint64_t>(per_rank / 16, 64), max_pivots_);
    return std::max<std::uint64_t>(pivots / open_.size(), 1);
  }

  [[nodiscard]] std::vector<pivot<T>> own_pivots() {
    const std::uint64_t max_count = pivots_per_bracket();
    const auto rank = static_cast<std::uint64_t>(ranks_.rank()),
               num_ranks = static_cast<std::uint64_t>(ranks_.size());
    std::vector<pivot<T>> own;
    for (std::size_t b = 0; b < open_.size(); ++b) {
      const std::uint64_t begin = open_[b].low.own, size = open_[b].high.own - begin;
      const std::uint64_t count = std::min(size, max_count), parts = 2 * count * num_ranks;
      const std::uint64_t shift = count == 1 && round_ % 2 == 0 ? num_ranks : 2 * rank + 1;
      for (std::uint64_t i = 0; i < count; ++i) { // size / parts * part, without overflow
        const std::uint64_t part = 2 * num_ranks * i + shift;
        const std::uint64_t index = begin + size / parts * part + size % parts * part / parts;
        own.push_back({T{}, index, static_cast<std::uint32_t>(ranks_.rank()), static_cast<std::uint32_t>(b)});
      }
    }
    sorted_.read_items(own);
    return own;
  }

  // Returns the cuts that are known in each open bracket after a round of pivots.
  [[nodiscard]] std::vector<std::vector<known_cut>> find_known_cuts() {
    const auto own_rank = static_cast<std::uint32_t>(ranks_.rank());
    const std::vector<pivot<T>> pivots = gather_items(ranks_, own_pivots());
    const std::vector<std::uint64_t> before = sorted_.count_before(pivots, open_, own_rank);
    std::vector<std::uint64_t> positions = before; // of the pivots among the items of all ranks
    ranks_.all_reduce(positions, multi::reduction::sum);
    std::vector<std::vector<known_cut>> known;
    for (const bracket& each : open_) known.push_back({each.low, each.high});
    for (std::size_t i = 0; i < pivots.size(); ++i) { // a cut in front of the pivot, and one behind it
      std::vector<known_cut>& cuts = known[pivots[i].bracket];
      cuts.push_back({positions[i], before[i]});
      cuts.push_back({positions[i] + 1, before[i] + (pivots[i].rank == own_rank ? 1 : 0)});
    }
    for (std::vector<known_cut>& cuts : known) put_in_order(cuts);
    return known;
  }

  // Narrows the open brackets by a round of pivots. Throws std::invalid_argument, on all ranks, if a bracket
  // stays as it is, which cannot happen if `less` is a strict weak order.
  void narrow() {
    base_detail::check_cancelled(run_);
    const std::vector<std::vector<known_cut>> known = find_known_cuts();
    ++round_;
    std::size_t b = 0; // index of the open bracket
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      if (brackets_[t].is_found()) continue;
      if (!(brackets_[t] == open_[b]) && ++b == open_.size()) break;
      brackets_[t] = narrowed(targets_[t], known[b]);
      if (brackets_[t] == open_[b]) throw std::invalid_argument(contradictory_order);
    }
  }

  communicator& ranks_;
  Sorted sorted_;
  const std::span<const cut_target> targets_;
  const run_options& run_;
  const std::uint64_t max_pivots_, max_open_;
  std::vector<bracket> brackets_; // of each target
  std::vector<bracket> open_;     // the different ones in which a cut is still to be found
  std::uint64_t round_ = 0;
};

// Returns, for each target, how many of the own items belong before the cut. `sorted` is in the order of
// `less`. Targets ascend, and are at most the number of items of all ranks. All ranks call it together, with
// the same targets. With n items on each of p ranks: three to four rounds if n is below 2^32, and O(log n)
// for any input. In each, a rank searches its items for at most max(max_pivots, targets) pivots of each rank.
// Throws cancelled_error, and std::invalid_argument if `less` contradicts itself.
template <class T, class Less>
std::vector<std::uint64_t> find_cuts(communicator& ranks, std::span<const T> sorted,
                                     std::span<const cut_target> targets, Less less, const run_options& run) {
  return cut_search(ranks, sorted_span<T, Less>(sorted, less), targets, run).run();
}

} // namespace weft::multi_detail
