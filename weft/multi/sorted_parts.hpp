// Exchanges sorted items between ranks, so that each rank gets its part of the sorted items of all.
//
// 1. Each rank has sorted its items.
// 2. The order of all items is cut into the parts of the ranks, and each part into groups (cuts.hpp).
// 3. Each rank tells every other rank how many items of each group it will send.
// 4. Group by group, each rank sends every rank its items of the group, and merges the sorted runs that it
//    receives, in the order of the ranks. While it merges a group, the next one travels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/run.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/multi/cuts.hpp>
#include <weft/sort/core/merge_runs.hpp>

namespace weft::multi {

// How many items each rank has after a sort: as many as before (keep), or equal numbers, which differ by one
// at most (natural).
enum class sizes { keep, natural };

} // namespace weft::multi

namespace weft::multi_detail {

// How the sorted items of all ranks are divided: the part of each rank and its groups. The same on all ranks.
struct part_plan {
  std::vector<std::uint64_t> part_sizes;
  std::uint64_t num_groups; // of each part

  // The smallest group of the largest part, in bytes, if there are several, and no other is given.
  static constexpr std::uint64_t min_group_bytes = std::uint64_t{1} << 18;

  // Returns the plan for parts of these sizes, whose items have `item_bytes` bytes: up to 16 groups.
  static part_plan of(std::vector<std::uint64_t> part_sizes, std::uint64_t item_bytes,
                      std::uint64_t min_bytes = min_group_bytes);
  // Returns the positions between the groups of all parts; those between parts are exact.
  [[nodiscard]] std::vector<cut_target> targets() const;
  // Returns about how many items a group of the largest part has at the most.
  [[nodiscard]] std::uint64_t max_group() const;
  // Returns how many groups a rank holds while it exchanges them: one that is merged, one that travels.
  [[nodiscard]] std::uint64_t num_held_groups() const { return std::min<std::uint64_t>(num_groups, 2); }
};

// Returns the numbers of items of the ranks after a sort. All ranks call it together.
[[nodiscard]] std::vector<std::uint64_t> part_sizes(communicator& ranks, std::uint64_t own_size,
                                                    multi::sizes wanted);

// Returns the plan of a sort of items of `item_bytes` bytes. All ranks call it together. Throws memory_error
// on all ranks if one of them may not take what the exchange needs beside the items: its part, the groups it
// holds, and `copied_bytes` for each of its items. run.memory is what it may take (0: no limit).
[[nodiscard]] part_plan plan_parts(communicator& ranks, std::uint64_t own_size, multi::sizes wanted,
                                   std::uint64_t item_bytes, std::uint64_t copied_bytes,
                                   const run_options& run);

// The own items [begin, end).
struct item_range {
  std::uint64_t begin, end;
  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};

// A group_table knows which of its items a rank sends with each group, and how many it receives.
class group_table {
public:
  // `cuts` are the cuts of plan.targets() among the `num_items` sorted items of this rank. All ranks
  // construct it together. Throws std::invalid_argument if the cuts do not fit the plan.
  group_table(communicator& ranks, const part_plan& plan, std::vector<std::uint64_t> cuts,
              std::uint64_t num_items);

  [[nodiscard]] std::uint64_t num_ranks() const { return ends_.size() / num_groups_; }
  [[nodiscard]] std::uint64_t num_groups() const { return num_groups_; }
  // Returns the own items that belong to a group of the part of a rank.
  [[nodiscard]] item_range sent(std::uint64_t to, std::uint64_t group) const {
    const std::uint64_t number = to * num_groups_ + group;
    return {number == 0 ? 0 : ends_[number - 1], ends_[number]};
  }
  // Returns how many items of a group of the own part come from a rank.
  [[nodiscard]] std::uint64_t received(std::uint64_t from, std::uint64_t group) const {
    return counts_[from * num_groups_ + group];
  }

private:
  std::uint64_t num_groups_;
  std::vector<std::uint64_t> ends_;   // of each piece among the own items: of each part, by group
  std::vector<std::uint64_t> counts_; // of received items: of each rank, by group
};

// A part_exchange makes the part of this rank out of the sorted items of all ranks. Storage is a vector, of T
// or of char, for the part.
template <class T, class Less, class Storage> class part_exchange {
public:
  // All ranks construct it together; then the items need not be sorted yet. `items` and `plan` must outlive
  // the object. Throws memory_error on all ranks if one of them lacks the memory.
  part_exchange(communicator& ranks, std::span<const T> items, const part_plan& plan, Less less,
                const run_options& run)
      : ranks_(ranks), items_(items), plan_(plan), less_(less), run_(run) {
    multi::run_together(ranks, [&] {
      allocate(part_, plan_.part_sizes[self()] * sizeof(T) / sizeof(typename Storage::value_type));
      for (std::uint64_t g = 0; g < plan_.num_held_groups(); ++g) allocate(groups_[g], plan_.max_group());
    });
    channel_ = ranks.duplicate();
  }

  // Returns the part of this rank. The items must be sorted. If it throws, the exchange fails on all ranks.
  Storage run() {
    try {
      table_.emplace(ranks_, plan_,
                     find_cuts(ranks_, items_, std::span<const cut_target>(plan_.targets()), less_, run_),
                     items_.size());
      exchange(0);
      for (std::uint64_t g = 0; g < plan_.num_groups; ++g) merge_while_next_travels(g);
    } catch (...) {
      fail();
      throw;
    }
    return std::move(part_);
  }

private:
  [[nodiscard]] std::size_t self() const { return static_cast<std::size_t>(ranks_.rank()); }
  [[nodiscard]] std::uint64_t num_ranks() const { return static_cast<std::uint64_t>(ranks_.size()); }
  // Ends the exchange on all ranks with the exception that is being handled.
  void fail() const noexcept {
    ranks_.fail(multi::describe_failure(std::current_exception(), ranks_.rank()));
  }

  // Sends and receives a group.
  void exchange(std::uint64_t group) {
    std::vector<std::span<const std::byte>> pieces;
    std::vector<std::uint64_t> bytes;
    std::uint64_t sum = 0;
    for (std::uint64_t rank = 0; rank < num_ranks(); ++rank) {
      const item_range sent = table_->sent(rank, group);
      pieces.push_back(std::as_bytes(items_.subspan(sent.begin, sent.size())));
      const std::uint64_t count = table_->received(rank, group);
      bytes.push_back(count * sizeof(T));
      sum += count;
    }
    unwritten_vector<T>& received = groups_[group % 2];
    received.resize(sum);
    channel_->all_to_all(pieces, std::as_writable_bytes(std::span(received)), bytes);
  }

  // Merges a group into the part while the next group, if there is one, travels.
  void merge_while_next_travels(std::uint64_t group) {
    std::exception_ptr fault;
    {
      std::jthread next;
      if (group + 1 < plan_.num_groups)
        next = std::jthread([this, group, &fault] {
          try {
            exchange(group + 1);
          } catch (...) {
            fail(); // other ranks may wait for this one
            fault = std::current_exception();
          }
        });
      try {
        merge(group);
      } catch (...) {
        fail(); // ends the exchange, for which the thread waits
        throw;
      }
    }
    if (fault) std::rethrow_exception(fault);
  }

  // Merges the runs of a group into the part.
  void merge(std::uint64_t group) {
    base_detail::check_cancelled(run_);
    std::vector<std::uint64_t> bounds = {0};
    for (std::uint64_t rank = 0; rank < num_ranks(); ++rank)
      if (const std::uint64_t count = table_->received(rank, group); count > 0)
        bounds.push_back(bounds.back() + count);
    const std::uint64_t count = bounds.back();
    if (count == 0) return;
    T* const from = groups_[group % 2].data();
    T* const to = reinterpret_cast<T*>(part_.data()) + num_merged_;
    const int rounds = sort_detail::num_merge_rounds(bounds.size() - 1), threads = thread_count(run_.threads);
    sort_detail::merge_runs(from, to, std::move(bounds), less_, threads, run_.monitor);
    if (rounds % 2 == 0) parallel_copy(from, count, to, threads); // the last round ended where the runs were
    num_merged_ += count;
    base_detail::add_work(run_, count);
  }

  communicator& ranks_;
  const std::span<const T> items_;
  const part_plan& plan_;
  Less less_;
  const run_options& run_;
  std::unique_ptr<communicator> channel_; // for the groups, which travel while others are merged
  Storage part_;
  unwritten_vector<T> groups_[2]; // received items, in the order of the ranks
  std::optional<group_table> table_;
  std::uint64_t num_merged_ = 0; // items of the part that are complete
};

// Sorts the own items by sort_own(), and returns the part of this rank. All ranks call it together, with the
// same plan. Throws memory_error, on all ranks, before it moves any items. If another exception is thrown on
// a rank, the exchange fails on all ranks.
template <class Storage, class T, class Less, class SortOwn>
Storage sorted_part(communicator& ranks, std::span<T> items, const part_plan& plan, const Less& less,
                    const SortOwn& sort_own, const run_options& run) {
  part_exchange<T, Less, Storage> exchange(ranks, items, plan, less, run);
  try {
    sort_own(items);
  } catch (...) {
    ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
    throw;
  }
  return exchange.run();
}

} // namespace weft::multi_detail
