// Sorts the items of all ranks of a job.
//
//   #include <weft/multi/thread_ranks.hpp>
//   std::vector<std::vector<int>> parts = {{5, 1, 4}, {2, 3}};
//   weft::multi::run_ranks(2, [&](weft::multi::communicator& ranks) {
//     weft::multi::sort(ranks, std::span(parts[static_cast<std::size_t>(ranks.rank())]));
//   });
//   parts[0];                                       // == {1, 2, 3}
//   parts[1];                                       // == {4, 5}
//   std::vector<std::vector<std::uint64_t>> order(2);
//   weft::multi::run_ranks(2, [&](weft::multi::communicator& ranks) {
//     auto& own = parts[static_cast<std::size_t>(ranks.rank())];
//     order[static_cast<std::size_t>(ranks.rank())] =
//         weft::multi::argsort(ranks, std::span(own), weft::descending());
//     weft::multi::stable_sort(ranks, own, weft::multi::sizes::natural, weft::descending());
//   });
//   order[0];                                       // == {4, 3, 2}
//   parts[0];                                       // == {5, 4, 3}
//
// Results. After a sort, the items of rank 0, then those of rank 1, and so on, are in the order in which
// weft/sort/sort.hpp sorts the items of all ranks, one rank after another: the same bytes for any number of
// ranks, if equal items cannot be told apart, or if the sort is stable. Equal items of a stable sort are in
// the order of (rank, index). All ranks call a function together, with the same arguments but for the items
// and the options. Ranks may have any number of items, also none. Spans keep their sizes; vectors get the
// sizes that are asked for (enum sizes).
//
// Cost. Each rank sorts its items with weft::sort or weft::stable_sort and the options; every item that
// changes its rank travels once; and each rank merges what it receives, log2(ranks) rounds, while more
// travels. With n items, the larger of before and after: O(n log n) time on each rank, and 1.2 n items of
// extra memory, if n items take 4 MiB or more; up to 2.2 n items below that. The local sort takes what
// weft/sort/sort.hpp says before that memory is touched: O(1) for numbers, n items for others. So the peak,
// with the items themselves, is 2.2 n items.
//
// Traffic of a rank, beside its items that change their rank: up to 48 bytes to agree on sizes and memory, 8
// bytes for each group of items (up to 16) and each other rank, and in each of three to four rounds up to
// 1024 pivots (an item and 16 bytes) and 8 bytes for each pivot of all ranks. Calls: three a round, one a
// group, and up to seven others.
//
// Options. run.memory limits what a rank takes beside its items and beside the local sort; 0: no limit.
// run.monitor counts each item of this rank twice: when it is sorted, and when it is merged. run.info tells
// the engine of the local sort, the items that this rank had, and the time until it has its part. A rank
// that waits for others notices a cancellation of its monitor when they have sent it the next message.
//
// Errors. If a rank lacks memory for the exchange, all ranks throw the same memory_error, which names it, and
// no item has moved. If another exception is thrown on a rank, for example by the comparator, or because a
// monitor was cancelled, the exchange fails on all ranks (communicator::fail()), and the items of all ranks
// are in an unspecified order. A comparator that contradicts itself gives an arbitrary order, or
// std::invalid_argument.
//
// Source: regular sampling as in Shi & Schaeffer, Parallel Sorting by Regular Sampling (1992), repeated until
// the parts are exact, as in Solomonik & Kale, Highly Scalable Parallel Sorting (IPDPS 2010).
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/base/run.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/multi/sorted_parts.hpp>
#include <weft/sort/sort.hpp>

namespace weft::multi {

// An item that can travel between ranks as bytes.
template <class T>
concept movable_as_bytes = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;

} // namespace weft::multi

namespace weft::multi_detail {

// Sorts numbers of a type that is known at run time, as sort() does, or as stable_sort() does if `stable`,
// and returns the part of this rank as bytes. The own items are then in an unspecified order.
[[nodiscard]] unwritten_vector<char> sorted_numbers(communicator& ranks, void* items, std::uint64_t num_items,
                                                    const number_type& type, multi::sizes wanted,
                                                    const run_options& run, bool stable = false);
// Returns the part of this rank of the stable order of the numbers: positions among those of all ranks.
[[nodiscard]] std::vector<std::uint64_t> order_of_numbers(communicator& ranks, const void* items,
                                                          std::uint64_t num_items, const number_type& type,
                                                          multi::sizes wanted, const run_options& run);

// Returns the part of this rank of the values, as bytes, in the stable order of the numbers: the value at a
// position belongs to the number there. A rank has as many values as numbers; a value has `value_bytes`
// bytes: 1, 2, 4, 8 or 16. The numbers are ordered by order_of_numbers(); then each rank asks the ranks that
// have the values of its part. Traffic of a rank, beside that of the order: 8 bytes for each value that it
// asks another rank for, each value that another rank asks for, and 16 bytes for each other rank. Memory
// beside that of the order: 24 bytes for each value, or 40 if values have 16 bytes. Throws memory_error on
// all ranks.
[[nodiscard]] unwritten_vector<char> values_by_numbers(communicator& ranks, const void* numbers,
                                                       std::uint64_t num_items, const number_type& type,
                                                       const void* values, std::uint32_t value_bytes,
                                                       multi::sizes wanted, const run_options& run);

// Sorts items of any type by a comparator, stably if `stable`, and returns the part of this rank. Beside the
// items, the caller holds `copied_bytes` for each of them.
template <bool stable, class T, class Less>
unwritten_vector<T> sorted_items(communicator& ranks, std::span<T> items, multi::sizes wanted,
                                 const Less& less, const run_options& run, std::uint64_t copied_bytes = 0) {
  const part_plan plan = plan_parts(ranks, items.size(), wanted, sizeof(T), copied_bytes, run);
  const auto sort_own = [&](std::span<T> own) { sort_detail::sort_range<T>(own, less, run, stable); };
  return sorted_part<unwritten_vector<T>>(ranks, items, plan, less, sort_own, run);
}

// Whether a sort by Less is a sort of numbers that is compiled once.
template <bool stable, class T, class Less>
constexpr bool is_number_sort =
    stable ? sort_detail::is_natural_stable_order<T, Less> : sort_detail::is_natural_order<T, Less>;

// Sorts the items of all ranks, and calls take(first item, number of items) for the part of this rank.
template <bool stable, class T, class Less, class Take>
void sort_parts(communicator& ranks, std::span<T> items, multi::sizes wanted, const Less& less,
                const run_options& run, const Take& take) {
  base_detail::run_record record(run, "items");
  record.set_work(items.size());
  if constexpr (is_number_sort<stable, T, Less>) {
    const auto type = sort_detail::natural_number_type<T, Less>;
    const auto part = sorted_numbers(ranks, items.data(), items.size(), type, wanted, run, stable);
    take(reinterpret_cast<const T*>(part.data()), part.size() / sizeof(T));
  } else {
    const auto part = sorted_items<stable>(ranks, items, wanted, less, run);
    take(part.data(), part.size());
  }
}

// Sorts the items of all ranks in place.
template <bool stable, class T, class Less>
void sort_span(communicator& ranks, std::span<T> items, const Less& less, const run_options& run) {
  sort_parts<stable>(ranks, items, multi::sizes::keep, less, run, [&](const T* part, std::uint64_t count) {
    parallel_copy(part, count, items.data(), run.threads);
  });
}

// Sorts the items of all ranks, and replaces the vector by the part of this rank.
template <bool stable, class T, class Allocator, class Less>
void sort_vector(communicator& ranks, std::vector<T, Allocator>& items, multi::sizes wanted, const Less& less,
                 const run_options& run) {
  const std::uint64_t size = part_sizes(ranks, items.size(), wanted)[static_cast<std::size_t>(ranks.rank())];
  multi::run_together(ranks, [&] { items.reserve(size); });
  sort_parts<stable>(ranks, std::span(items), wanted, less, run, [&](const T* part, std::uint64_t count) {
    items.resize(count);
    parallel_copy(part, count, items.data(), run.threads);
  });
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

// Makes keyed items of keys and value_of(index) on all ranks, sorts them stably by the keys, and returns the
// part of this rank.
template <class Value, class Key, class Less, class ValueOf>
unwritten_vector<keyed<Key, Value>> sorted_keyed(communicator& ranks, std::span<const Key> keys,
                                                 multi::sizes wanted, const Less& less,
                                                 const run_options& run, const ValueOf& value_of) {
  using item = keyed<Key, Value>;
  (void)plan_parts(ranks, keys.size(), wanted, sizeof(item), sizeof(item), run); // before the items are made
  unwritten_vector<item> all;
  multi::run_together(ranks, [&] { allocate(all, keys.size()); });
  parallel_for(0, keys.size(), std::uint64_t{1} << 16, thread_count(run.threads),
               [&](std::uint64_t first, std::uint64_t last) {
                 for (std::uint64_t i = first; i < last; ++i) all[i] = {keys[i], value_of(i)};
               });
  return sorted_items<true>(ranks, std::span(all), wanted, keyed_less<Less>{less}, run, sizeof(item));
}

} // namespace weft::multi_detail

namespace weft::multi {

// Sorts the items of all ranks; each rank keeps its number of items. The order of equal items is unspecified.
template <movable_as_bytes T, comparator_of<T> Less = ascending>
void sort(communicator& ranks, std::span<T> items, Less less = {}, const sort_options& options = {}) {
  multi_detail::sort_span<false>(ranks, items, less, options.run);
}

// Does the same, and equal items keep their order.
template <movable_as_bytes T, comparator_of<T> Less = ascending>
void stable_sort(communicator& ranks, std::span<T> items, Less less = {}, const sort_options& options = {}) {
  multi_detail::sort_span<true>(ranks, items, less, options.run);
}

// Sorts the items of all ranks, and replaces the vector by the part of this rank, whose size is `wanted`. If
// the vector must grow, it does so first.
template <movable_as_bytes T, class Allocator, comparator_of<T> Less = ascending>
void sort(communicator& ranks, std::vector<T, Allocator>& items, sizes wanted, Less less = {},
          const sort_options& options = {}) {
  multi_detail::sort_vector<false>(ranks, items, wanted, less, options.run);
}

// Does the same, and equal items keep their order.
template <movable_as_bytes T, class Allocator, comparator_of<T> Less = ascending>
void stable_sort(communicator& ranks, std::vector<T, Allocator>& items, sizes wanted, Less less = {},
                 const sort_options& options = {}) {
  multi_detail::sort_vector<true>(ranks, items, wanted, less, options.run);
}

// Returns the part of this rank of the stable order: element i of all parts, one rank after another, is the
// position, among the items of all ranks, of the item that a stable sort would put at i. Does not move the
// items. Extra memory: 2.2 n pairs of an item and a position (of numbers of up to 64 bits: 16 bytes, or 8
// bytes for numbers of up to 32 bits if there are at most 2^32), and the result.
template <class T, comparator_of<std::remove_const_t<T>> Less = ascending>
requires movable_as_bytes<std::remove_const_t<T>>
[[nodiscard]] std::vector<std::uint64_t> argsort(communicator& ranks, std::span<T> items, Less less = {},
                                                 const sort_options& options = {},
                                                 sizes wanted = sizes::keep) {
  using item = std::remove_const_t<T>;
  if constexpr (sort_detail::is_natural_stable_order<item, Less>) {
    const auto type = sort_detail::natural_number_type<item, Less>;
    return multi_detail::order_of_numbers(ranks, items.data(), items.size(), type, wanted, options.run);
  } else {
    base_detail::run_record record(options.run, "items");
    record.set_work(items.size());
    std::uint64_t begin = items.size();
    ranks.exclusive_scan({&begin, 1});
    const auto part = multi_detail::sorted_keyed<std::uint64_t>(ranks, items, wanted, less, options.run,
                                                                [&](std::uint64_t i) { return begin + i; });
    std::vector<std::uint64_t> order;
    order.reserve(part.size());
    for (const auto& each : part) order.push_back(each.value);
    return order;
  }
}

// Sorts the keys of all ranks stably, and the values, which must not overlap the keys, with them; each rank
// keeps its number of items. Throws std::invalid_argument if a rank has not as many values as keys. Extra
// memory: 2.2 n pairs.
template <movable_as_bytes Key, movable_as_bytes Value, comparator_of<Key> Less = ascending>
void sort_by_key(communicator& ranks, std::span<Key> keys, std::span<Value> values, Less less = {},
                 const sort_options& options = {}) {
  base_detail::run_record record(options.run, "items");
  record.set_work(keys.size());
  run_together(ranks, [&] {
    if (keys.size() != values.size())
      throw std::invalid_argument("sort_by_key: there must be as many values as keys");
  });
  const auto part =
      multi_detail::sorted_keyed<Value>(ranks, std::span<const Key>(keys), sizes::keep, less, options.run,
                                        [&](std::uint64_t i) { return values[i]; });
  for (std::size_t i = 0; i < part.size(); ++i) {
    keys[i] = part[i].key;
    values[i] = part[i].value;
  }
}

} // namespace weft::multi
