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
#include <span>
#include <stdexcept>
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

  // Returns the plan for parts of these sizes, whose items have `item_bytes` bytes.
  static part_plan of(std::vector<std::uint64_t> part_sizes, std::uint64_t item_bytes);
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

// Copies items, on several threads.
template <class T> void copy_items(const T* from, std::uint64_t count, T* to, int threads) {
  constexpr std::uint64_t grain = (std::uint64_t{1} << 20) / sizeof(T) + 1;
  parallel_for(0, count, grain, threads, [&](std::uint64_t first, std::uint64_t last) {
    std::copy(from + first, from + last, to + first);
  });
}

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
      cuts_ = find_cuts(ranks_, items_, std::span<const cut_target>(plan_.targets()), less_, run_);
      cuts_.push_back(items_.size());
      exchange_counts();
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

  // Returns the own items that belong to a group of a part.
  [[nodiscard]] std::span<const T> piece(std::uint64_t part, std::uint64_t group) const {
    const std::uint64_t number = part * plan_.num_groups + group;
    const std::uint64_t begin = number == 0 ? 0 : cuts_[number - 1];
    return items_.subspan(begin, cuts_[number] - begin);
  }

  // Finds out how many items of each group come from each rank.
  void exchange_counts() {
    std::vector<std::uint64_t> sent;
    for (std::uint64_t part = 0; part < num_ranks(); ++part)
      for (std::uint64_t g = 0; g < plan_.num_groups; ++g) sent.push_back(piece(part, g).size());
    counts_.resize(sent.size());
    const std::vector<std::uint64_t> bytes(num_ranks(), plan_.num_groups * sizeof(std::uint64_t));
    ranks_.all_to_all(std::as_bytes(std::span(sent)), bytes, std::as_writable_bytes(std::span(counts_)),
                      bytes);
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) sum += count;
    if (sum != plan_.part_sizes[self()]) throw std::invalid_argument(contradictory_order);
  }

  // Sends and receives a group.
  void exchange(std::uint64_t group) {
    std::vector<std::span<const std::byte>> pieces;
    std::vector<std::uint64_t> bytes;
    std::uint64_t sum = 0;
    for (std::uint64_t rank = 0; rank < num_ranks(); ++rank) {
      pieces.push_back(std::as_bytes(piece(rank, group)));
      const std::uint64_t count = counts_[rank * plan_.num_groups + group];
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
      if (const std::uint64_t count = counts_[rank * plan_.num_groups + group]; count > 0)
        bounds.push_back(bounds.back() + count);
    const std::uint64_t count = bounds.back();
    if (count == 0) return;
    T* const from = groups_[group % 2].data();
    T* const to = reinterpret_cast<T*>(part_.data()) + num_merged_;
    const int rounds = sort_detail::num_merge_rounds(bounds.size() - 1), threads = thread_count(run_.threads);
    sort_detail::merge_runs(from, to, std::move(bounds), less_, threads, run_.monitor);
    if (rounds % 2 == 0) copy_items(from, count, to, threads); // the last round ended where the runs were
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
  unwritten_vector<T> groups_[2];     // received items, in the order of the ranks
  std::vector<std::uint64_t> cuts_;   // the end of each piece among the own items
  std::vector<std::uint64_t> counts_; // of received items: of each rank, by group
  std::uint64_t num_merged_ = 0;      // items of the part that are complete
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
