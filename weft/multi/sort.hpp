// Sorts the items of all ranks of a job.
//
//   #include <weft/multi/thread_ranks.hpp>
//   std::vector<std::vector<int>> parts = {{5, 1, 4}, {2, 3}};
//   weft::multi::run_ranks(2, [&](weft::multi::communicator& ranks) {
//     weft::multi::sort(ranks, std::span(parts[static_cast<std::size_t>(ranks.rank())]));
//   });
//   parts[0];                                       // == {1, 2, 3}
//   parts[1];                                       // == {4, 5}
//
// Results. After a sort, the items of rank 0, then those of rank 1, and so on, are in the order in which
// weft/sort/sort.hpp sorts the items of all ranks, one rank after another: the same bytes for any number of
// ranks, if equal items cannot be told apart, or if the sort is stable. Equal items of a stable sort are in
// the order of (rank, index). All ranks call a function together. Ranks may have any number of items, also
// none.
//
// Cost. Each rank sorts its items with weft::sort or weft::stable_sort and the options; every item travels to
// its rank once; and each rank merges what it receives, log2(ranks) rounds, while more travels. With n items,
// the larger of before and after: O(n log n) time on each rank, and 1.2 n items of extra memory beyond what
// the local sort takes, if n items take 4 MiB or more; up to 3 n items below that. Between the ranks travel,
// beside the items, the pivots of a few rounds, at most a few megabytes each, and 8 bytes for each group of
// items and pair of ranks.
//
// Options. run.memory limits the extra memory of the exchange; 0: no limit. run.monitor counts each item of
// this rank twice: when it is sorted, and when it is merged. run.info tells the engine of the local sort.
//
// Errors. If a rank lacks memory for the exchange, all ranks throw the same memory_error, which names it, and
// the items of all ranks are in an unspecified order. If another exception is thrown on a rank, for example
// by the comparator, the exchange fails on all ranks (communicator::fail()).
//
// Source: regular sampling as in Shi & Schaeffer, Parallel Sorting by Regular Sampling (1992), repeated until
// the parts are exact, as in Solomonik & Kale, Highly Scalable Parallel Sorting (IPDPS 2010).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/multi/communicator.hpp>
#include <weft/multi/sorted_parts.hpp>
#include <weft/sort/sort.hpp>

namespace weft::multi {

// How many items each rank has after a sort: as many as before (keep), or equal numbers, which differ by one
// at most (natural).
enum class sizes { keep, natural };

// An item that can travel between ranks as bytes.
template <class T>
concept movable_as_bytes = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;

} // namespace weft::multi

namespace weft::multi_detail {

// Returns the numbers of items of the ranks after a sort.
[[nodiscard]] std::vector<std::uint64_t> part_sizes(communicator& ranks, std::uint64_t own_size,
                                                    multi::sizes wanted);

// Sorts the own items by sort_own(), and returns the part of this rank.
template <class T, class Less, class SortOwn>
unwritten_vector<T> sorted_part(communicator& ranks, std::span<T> items, multi::sizes wanted,
                                const Less& less, const SortOwn& sort_own, const run_options& run) {
  const part_plan plan = part_plan::of(part_sizes(ranks, items.size(), wanted), sizeof(T));
  try {
    sort_own(items);
  } catch (...) {
    ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
    throw;
  }
  part_exchange<T, Less> exchange(ranks, items, plan, less, run);
  try {
    return exchange.run();
  } catch (...) {
    ranks.fail(multi::describe_failure(std::current_exception(), ranks.rank()));
    throw;
  }
}

// An item together with its position among the items of all ranks, or with a value.
template <class Key, class Value> struct keyed {
  Key key;
  Value value;
};
template <class Less> struct keyed_less {
  Less less;
  template <class Keyed> bool operator()(const Keyed& a, const Keyed& b) { return less(a.key, b.key); }
};

// Sorts numbers of a type that is known at run time, as sort() and stable_sort() do, and returns the part of
// this rank as bytes.
[[nodiscard]] unwritten_vector<char> sorted_numbers(communicator& ranks, void* items, std::uint64_t num_items,
                                                    const number_type& type, multi::sizes wanted,
                                                    const run_options& run);
// Returns the part of this rank of the stable order of the numbers: positions among those of all ranks.
[[nodiscard]] std::vector<std::uint64_t> order_of_numbers(communicator& ranks, const void* items,
                                                          std::uint64_t num_items, const number_type& type,
                                                          multi::sizes wanted, const run_options& run);

} // namespace weft::multi_detail

namespace weft::multi {

// Sorts the items of all ranks; each rank keeps its number of items. The order of equal items is unspecified.
template <movable_as_bytes T, comparator_of<T> Less = ascending>
void sort(communicator& ranks, std::span<T> items, Less less = {}, const sort_options& options = {}) {
  const auto sort_own = [&](std::span<T> own) { weft::sort(own, less, options); };
  const auto part = multi_detail::sorted_part(ranks, items, sizes::keep, less, sort_own, options.run);
  std::copy(part.begin(), part.end(), items.begin());
}

// Does the same, and equal items keep their order.
template <movable_as_bytes T, comparator_of<T> Less = ascending>
void stable_sort(communicator& ranks, std::span<T> items, Less less = {}, const sort_options& options = {}) {
  const auto sort_own = [&](std::span<T> own) { weft::stable_sort(own, less, options); };
  const auto part = multi_detail::sorted_part(ranks, items, sizes::keep, less, sort_own, options.run);
  std::copy(part.begin(), part.end(), items.begin());
}

// Sorts the items of all ranks stably, and replaces the vector by the part of this rank, whose size is
// `wanted`.
template <movable_as_bytes T, class Allocator, comparator_of<T> Less = ascending>
void stable_sort(communicator& ranks, std::vector<T, Allocator>& items, sizes wanted, Less less = {},
                 const sort_options& options = {}) {
  const auto sort_own = [&](std::span<T> own) { weft::stable_sort(own, less, options); };
  const auto part = multi_detail::sorted_part(ranks, std::span(items), wanted, less, sort_own, options.run);
  items.assign(part.begin(), part.end());
}

// Returns the part of this rank of the stable order: element i of all parts, one rank after another, is the
// position, among the items of all ranks, of the item that a stable sort would put at i. Does not move the
// items. Extra memory: 2.3 n items, each with a position.
template <movable_as_bytes T, comparator_of<T> Less = ascending>
[[nodiscard]] std::vector<std::uint64_t> argsort(communicator& ranks, std::span<const T> items,
                                                 Less less = {}, const sort_options& options = {}) {
  using placed = multi_detail::keyed<T, std::uint64_t>;
  std::uint64_t position = items.size();
  ranks.exclusive_scan({&position, 1});
  std::vector<placed> all;
  run_together(ranks, [&] { all.reserve(items.size()); });
  for (const T& item : items) all.push_back({item, position++});
  stable_sort(ranks, all, sizes::keep, multi_detail::keyed_less<Less>{less}, options);
  std::vector<std::uint64_t> order;
  for (const placed& each : all) order.push_back(each.value);
  return order;
}

// Sorts the keys of all ranks stably, and the values with them; each rank keeps its number of items. Throws
// std::invalid_argument if there are not as many values as keys. Extra memory: 2.3 n pairs.
template <movable_as_bytes Key, movable_as_bytes Value, comparator_of<Key> Less = ascending>
void sort_by_key(communicator& ranks, std::span<Key> keys, std::span<Value> values, Less less = {},
                 const sort_options& options = {}) {
  using pair = multi_detail::keyed<Key, Value>;
  std::vector<pair> all;
  run_together(ranks, [&] {
    if (keys.size() != values.size())
      throw std::invalid_argument("sort_by_key: there must be as many values as keys");
    all.reserve(keys.size());
  });
  for (std::size_t i = 0; i < keys.size(); ++i) all.push_back({keys[i], values[i]});
  stable_sort(ranks, all, sizes::keep, multi_detail::keyed_less<Less>{less}, options);
  for (std::size_t i = 0; i < all.size(); ++i) {
    keys[i] = all[i].key;
    values[i] = all[i].value;
  }
}

} // namespace weft::multi
