// Exchanges sorted items between ranks, so that each rank gets its part of the sorted items of all.
//
// 1. Each rank has sorted its items.
// 2. The order of all items is cut into the parts of the ranks, and each part into groups (cuts.hpp).
// 3. Group by group, each rank sends every rank its items of the group, and merges the sorted runs that it
//    receives, in the order of the ranks. While it merges a group, the next one travels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
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
};

// The items of one group that a rank has received, in the order of the sending ranks.
template <class T> struct received_group {
  unwritten_vector<T> items;
  std::vector<std::uint64_t> bytes; // by sending rank
};

// Throws memory_error if the exchange needs more than `allowed` bytes (0: no limit) beside the own items.
void require_exchange_memory(std::uint64_t part_bytes, std::uint64_t group_bytes, std::uint64_t allowed);

// A part_exchange makes the part of this rank out of the sorted items of all ranks.
template <class T, class Less> class part_exchange {
public:
  // All ranks construct it together. `sorted` must outlive the object. Throws memory_error on all ranks if
  // one of them lacks the memory.
  part_exchange(communicator& ranks, std::span<const T> sorted, const part_plan& plan, Less less,
                const run_options& run)
      : ranks_(ranks), sorted_(sorted), plan_(plan), less_(less), run_(run) {
    multi::run_together(ranks, [&] {
      const std::uint64_t size = plan_.part_sizes[self()];
      require_exchange_memory(size * sizeof(T), 2 * plan_.max_group() * sizeof(T), run_.memory);
      part_.reserve(size);
      part_.resize(size);
      for (received_group<T>& each : groups_) each.items.reserve(plan_.max_group());
    });
    channel_ = ranks.duplicate();
  }

  // Returns the part of this rank.
  unwritten_vector<T> run() {
    cuts_ = find_cuts(ranks_, sorted_, std::span<const cut_target>(plan_.targets()), less_);
    cuts_.push_back(sorted_.size());
    std::exception_ptr fault;
    exchange(0);
    for (std::uint64_t g = 0; g < plan_.num_groups; ++g) {
      {
        std::jthread next;
        if (g + 1 < plan_.num_groups)
          next = std::jthread([this, g, &fault] {
            try {
              exchange(g + 1);
            } catch (...) {
              fault = std::current_exception();
            }
          });
        try {
          merge(g);
        } catch (...) { // ends the exchange, for which the thread waits
          ranks_.fail(multi::describe_failure(std::current_exception(), ranks_.rank()));
          throw;
        }
      }
      if (fault) std::rethrow_exception(fault);
    }
    return std::move(part_);
  }

private:
  [[nodiscard]] std::size_t self() const { return static_cast<std::size_t>(ranks_.rank()); }

  // Returns the own items that belong to a group of a part.
  [[nodiscard]] std::span<const T> piece(std::uint64_t part, std::uint64_t group) const {
    const std::uint64_t number = part * plan_.num_groups + group;
    const std::uint64_t begin = number == 0 ? 0 : cuts_[number - 1];
    return sorted_.subspan(begin, cuts_[number] - begin);
  }

  // Sends and receives a group.
  void exchange(std::uint64_t group) {
    received_group<T>& received = groups_[group % 2];
    const auto num_ranks = static_cast<std::uint64_t>(ranks_.size());
    std::vector<std::span<const std::byte>> pieces;
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t part = 0; part < num_ranks; ++part) {
      pieces.push_back(std::as_bytes(piece(part, group)));
      sizes.push_back(pieces.back().size());
    }
    received.bytes.resize(num_ranks);
    const std::vector<std::uint64_t> each(num_ranks, sizeof(std::uint64_t));
    channel_->all_to_all(std::as_bytes(std::span(sizes)), each,
                         std::as_writable_bytes(std::span(received.bytes)), each);
    std::uint64_t bytes = 0;
    for (const std::uint64_t size : received.bytes) bytes += size;
    received.items.resize(bytes / sizeof(T));
    channel_->all_to_all(pieces, std::as_writable_bytes(std::span(received.items)), received.bytes);
  }

  // Merges the runs of a group into the part.
  void merge(std::uint64_t group) {
    base_detail::check_cancelled(run_);
    received_group<T>& moved = groups_[group % 2];
    std::vector<std::uint64_t> bounds = {0};
    for (const std::uint64_t size : moved.bytes)
      if (size > 0) bounds.push_back(bounds.back() + size / sizeof(T));
    const std::uint64_t count = bounds.back();
    T* const to = part_.data() + merged_;
    merged_ += count;
    if (count == 0) return;
    const int rounds = sort_detail::num_merge_rounds(bounds.size() - 1);
    // Merging ends in the part after an odd number of rounds.
    sort_detail::merge_runs(moved.items.data(), to, std::move(bounds), less_, thread_count(run_.threads),
                            run_.monitor);
    if (rounds % 2 == 0) std::copy(moved.items.begin(), moved.items.end(), to);
    base_detail::add_work(run_, count);
  }

  communicator& ranks_;
  const std::span<const T> sorted_;
  const part_plan& plan_;
  Less less_;
  const run_options& run_;
  std::unique_ptr<communicator> channel_; // for the groups, which travel while others are merged
  unwritten_vector<T> part_;
  received_group<T> groups_[2];
  std::vector<std::uint64_t> cuts_; // the end of each piece among the own items
  std::uint64_t merged_ = 0;        // items of the part that are complete
};

} // namespace weft::multi_detail
