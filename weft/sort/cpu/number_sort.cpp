// vqsort sorts one array on one core. This file adds threads, floating-point order, counting sorts and the
// choice of a vector instruction set.
//
// Threads: while a part is to be sorted by several threads, it is cut in two by a pivot. The pivot is a
// quantile of a sample, so that each side has work for the threads that will sort it. All threads take part
// in the cut: each partitions a slice of the part, then the items on the wrong side of `middle`, where the
// two sides meet, are swapped:
//
//     slices       lllhhhhh|lllllhhh|lhhhhhhh      l: before the pivot, h: not before it
//     middle = 9   lllhhhhhl|llllhhhlhhhhhhh
//     swap            ^^^^^  ^^^^   ^              highs left of 9 with as many lows right of 9
//
// vqsort: Wassenberg et al., arXiv:2205.05982.
#include <weft/sort/cpu/numbers.hpp>

#include <algorithm>
#include <array>
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>
#include <limits>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/base/mixed.hpp>
#include <weft/base/parallel.hpp>

namespace weft::sort_detail {

namespace {

constexpr std::uint64_t parallel_bytes = std::uint64_t{1} << 22; // fewer are not worth starting threads
constexpr std::uint64_t sample_size = 4096;

constexpr std::uint64_t min_counted_items = std::uint64_t{1} << 15; // of 16 bits; fewer are sorted by vqsort

// Returns the number of threads for a sort of `bytes` bytes. A short sort does not even ask how many
// processors there are, because the question takes as long as sorting a hundred numbers.
int threads_for(std::uint64_t bytes, int threads) {
  return bytes < parallel_bytes ? 1 : thread_count(threads);
}

// While an object of this class exists for numbers of 4 bytes, Highway uses AVX2 on a Zen 4 processor instead
// of AVX-512, for partitions and for vqsort. The reason is that Zen 4 executes masked compressing stores of
// 512 bits in microcode, and Highway 1.0.3 uses them for 32-bit lanes: one core sorts 188 million 32-bit
// numbers a second with AVX2, and 25 million with AVX-512. For other widths AVX-512 is faster. Later releases
// of Highway, which have a target for Zen 4, avoid these stores themselves. vqsort sorts up to 256 items in
// registers without such stores, so small inputs keep AVX-512. The choice is global: other calls of Highway
// use AVX2 in the meantime, too.
class vector_target_guard {
public:
  vector_target_guard(std::size_t number_bytes, std::uint64_t items)
      : applies_(number_bytes == 4 && items > 256) {
    add_active(1);
  }
  ~vector_target_guard() { add_active(-1); }
  vector_target_guard(const vector_target_guard&) = delete;
  vector_target_guard& operator=(const vector_target_guard&) = delete;

private:
  void add_active([[maybe_unused]] int change) const {
#if defined(__x86_64__) && !defined(HWY_AVX3_ZEN4)
    // This query runs only once, because it takes microseconds on a virtual machine.
    static const std::int64_t zen4_targets =
        __builtin_cpu_is("amdfam19h") && __builtin_cpu_supports("avx512f") ? hwy::SupportedTargets() : 0;
    static std::mutex mutex;
    static int num_active = 0;
    if (zen4_targets == 0 || !applies_) return;
    const std::lock_guard lock(mutex);
    num_active += change;
    constexpr std::int64_t avx512 = HWY_AVX3 | HWY_AVX3_DL;
    hwy::GetChosenTarget().Update(zen4_targets & ~(num_active > 0 ? avx512 : 0));
#endif
  }
  [[maybe_unused]] bool applies_;
};

// Sorts by vqsort, on the calling thread.
template <class Number> void vector_sort(Number* items, std::uint64_t n, sort_order order) {
  static thread_local hwy::Sorter sorter;
  const auto sort = [&](auto* keys) {
    if (order == sort_order::ascending)
      sorter(keys, n, hwy::SortAscending());
    else
      sorter(keys, n, hwy::SortDescending());
  };
  if constexpr (sizeof(Number) == 16)
    sort(reinterpret_cast<hwy::uint128_t*>(items));
  else
    sort(items);
}

// Adjacent items on the wrong side of a partition.
struct misplaced_range {
  std::uint64_t first, size;
};

// Swaps the items of `highs`, in order, with those of `lows`. Both lists have `total` items.
template <class Number>
void swap_misplaced(Number* items, const std::vector<misplaced_range>& highs,
                    const std::vector<misplaced_range>& lows, std::uint64_t total, int threads) {
  const std::uint64_t pieces = static_cast<std::uint64_t>(threads), piece = (total + pieces - 1) / pieces;
  parallel_for(
      0, total, std::max<std::uint64_t>(piece, 1), threads, [&](std::uint64_t first, std::uint64_t last) {
        // Returns the range that item number `skip` is in, and the offset in that range.
        const auto seek = [](const std::vector<misplaced_range>& ranges, std::uint64_t skip) {
          std::size_t i = 0;
          while (skip >= ranges[i].size) skip -= ranges[i++].size;
          return std::pair(i, skip);
        };
        auto [i, in_high] = seek(highs, first);
        auto [j, in_low] = seek(lows, first);
        for (std::uint64_t left = last - first; left > 0;) {
          const std::uint64_t size = std::min({left, highs[i].size - in_high, lows[j].size - in_low});
          Number *high = items + highs[i].first + in_high, *low = items + lows[j].first + in_low;
          std::swap_ranges(high, high + size, low);
          left -= size;
          if ((in_high += size) == highs[i].size) ++i, in_high = 0;
          if ((in_low += size) == lows[j].size) ++j, in_low = 0;
        }
      });
}

// Partitions the items as partition_before does, but on all threads.
template <class Number>
std::uint64_t parallel_partition(std::span<Number> items, Number pivot, sort_order order, int threads) {
  const std::uint64_t n = items.size();
  if (threads == 1 || n * sizeof(Number) < parallel_bytes)
    return partition_before(items.data(), n, pivot, order);
  const auto slices = static_cast<std::uint64_t>(threads);
  const std::uint64_t slice_items = (n + slices - 1) / slices;
  const auto begin_of = [&](std::uint64_t s) { return std::min(n, s * slice_items); };
  std::vector<std::uint64_t> before(slices);
  parallel_for(0, slices, 1, threads, [&](std::uint64_t s, std::uint64_t) {
    before[s] = partition_before(items.data() + begin_of(s), begin_of(s + 1) - begin_of(s), pivot, order);
  });
  std::uint64_t middle = 0, total = 0;
  for (const std::uint64_t count : before) middle += count;
  std::vector<misplaced_range> highs, lows; // the items on the wrong side of `middle`
  for (std::uint64_t s = 0; s < slices; ++s) {
    const std::uint64_t first = begin_of(s), last = begin_of(s + 1), cut = first + before[s];
    if (cut < std::min(middle, last)) highs.push_back({cut, std::min(middle, last) - cut});
    if (cut > std::max(middle, first))
      lows.push_back({std::max(middle, first), cut - std::max(middle, first)});
  }
  for (const misplaced_range& high : highs) total += high.size;
  if (total > 0) swap_misplaced(items.data(), highs, lows, total, threads);
  return middle;
}

// Returns a sampled item that about part / whole of the items come before.
template <class Number>
Number sampled_quantile(std::span<const Number> items, sort_order order, std::uint64_t part,
                        std::uint64_t whole) {
  std::array<Number, sample_size> sample;
  std::uint64_t random_state = items.size(); // the sample affects the time, not the result
  for (Number& item : sample) item = items[(random_state = base_detail::mixed(random_state)) % items.size()];
  vector_sort(sample.data(), sample.size(), order);
  return sample[sample_size * part / whole];
}

// Cuts the items into parts for the threads, then sorts all parts at the same time.
template <class Number>
void parallel_sort(std::span<Number> items, sort_order order, int threads, task_monitor* monitor) {
  if (threads == 1) {
    if (monitor != nullptr) monitor->check();
    vector_sort(items.data(), items.size(), order);
    if (monitor != nullptr) monitor->add(items.size());
    return;
  }
  struct part {
    std::span<Number> items;
    int threads;
  };
  std::vector<part> open = {{items, threads}}, ready;
  while (!open.empty()) {
    const part next = open.back();
    open.pop_back();
    if (next.threads == 1 || next.items.size_bytes() < parallel_bytes) {
      ready.push_back(next);
      continue;
    }
    if (monitor != nullptr) monitor->check();
    const int first_threads = next.threads / 2;
    const Number pivot =
        sampled_quantile<Number>(next.items, order, static_cast<std::uint64_t>(first_threads),
                                 static_cast<std::uint64_t>(next.threads));
    const std::uint64_t before = parallel_partition(next.items, pivot, order, threads);
    open.push_back({next.items.first(before), first_threads});
    open.push_back({next.items.subspan(before), next.threads - first_threads});
  }
  parallel_for(0, ready.size(), 1, threads, [&](std::uint64_t i, std::uint64_t) {
    if (monitor != nullptr) monitor->check();
    vector_sort(ready[i].items.data(), ready[i].items.size(), order);
    if (monitor != nullptr) monitor->add(ready[i].items.size());
  });
}

// Adds to counts[v] how often each value v occurs. For values of 8 bits, `counts` has four counters each, at
// a distance of 256, so that increments for repeated values do not wait for each other.
template <class Number, class Count> void count_values(std::span<const Number> items, Count* counts) {
  using value_type = std::make_unsigned_t<Number>;
  constexpr std::uint64_t lanes = sizeof(Number) == 1 ? 4 : 1;
  std::uint64_t i = 0;
  for (; i + lanes <= items.size(); i += lanes)
    for (std::uint64_t lane = 0; lane < lanes; ++lane)
      ++counts[256 * lane + static_cast<value_type>(items[i + lane])];
  for (; i < items.size(); ++i) ++counts[static_cast<value_type>(items[i])];
}

// Writes each value as often as `counts` says, in order. Most values occur a few times; so 16 bytes of each
// are written without a branch, and the next value overwrites what is too much.
template <class Number, class Count>
void write_values(std::span<Number> items, const Count* counts, sort_order order) {
  using value_type = std::make_unsigned_t<Number>;
  constexpr std::uint64_t values = std::uint64_t{1} << (8 * sizeof(Number)),
                          vector_size = 16 / sizeof(Number);
  constexpr value_type flip = std::is_signed_v<Number> ? static_cast<value_type>(values / 2) : 0;
  Number *at = items.data(), *const end = at + items.size();
  for (std::uint64_t rank = 0; rank < values; ++rank) {
    const std::uint64_t ordinal = order == sort_order::ascending ? rank : values - 1 - rank;
    const auto value = static_cast<value_type>(ordinal ^ flip);
    const std::uint64_t count = counts[value];
    if (static_cast<std::uint64_t>(end - at) >= vector_size) {
      std::fill_n(at, vector_size, static_cast<Number>(value));
      if (count > vector_size) std::fill_n(at + vector_size, count - vector_size, static_cast<Number>(value));
    } else {
      std::fill_n(at, count, static_cast<Number>(value));
    }
    at += count;
  }
}

// Sorts by counting how often each value occurs: for numbers of 8 bits, and for large inputs of 16 bits.
// Count is a type that holds the number of items.
template <class Count, class Number>
void counting_sort(std::span<Number> items, sort_order order, int threads, task_monitor* monitor) {
  constexpr std::uint64_t lanes = sizeof(Number) == 1 ? 4 : 1;
  constexpr std::uint64_t values = std::uint64_t{1} << (8 * sizeof(Number)), counters = lanes * values;
  constexpr std::uint64_t slice_items = std::uint64_t{1} << 24; // counted by a thread at a time
  const std::uint64_t slices = (items.size() + slice_items - 1) / slice_items;
  const auto members = std::min(slices, static_cast<std::uint64_t>(threads));
  std::array<Count, lanes == 1 ? 1 : counters> own_counts{}; // so that a short sort allocates nothing
  std::vector<Count> allocated(lanes > 1 && members == 1 ? 0 : members * counters);
  Count* const counts = allocated.empty() ? own_counts.data() : allocated.data();
  const auto count_slices = [&](std::uint64_t member) {
    for (std::uint64_t s = member; s < slices; s += members) {
      if (monitor != nullptr) monitor->check();
      const auto rest = items.subspan(s * slice_items);
      count_values<Number>(rest.first(std::min<std::uint64_t>(slice_items, rest.size())),
                           counts + member * counters);
    }
  };
  if (members == 1)
    count_slices(0);
  else
    run_team(static_cast<int>(members),
             [&](int member) { count_slices(static_cast<std::uint64_t>(member)); });
  for (std::uint64_t first = values; first < members * counters; first += values)
    for (std::uint64_t v = 0; v < values; ++v) counts[v] += counts[first + v];
  write_values(items, counts, order);
}

template <class Number>
void sort_by_counting(std::span<Number> items, sort_order order, int threads, task_monitor* monitor) {
  if (items.size() <= std::numeric_limits<std::uint32_t>::max())
    counting_sort<std::uint32_t>(items, order, threads, monitor);
  else
    counting_sort<std::uint64_t>(items, order, threads, monitor);
}

template <class Number> bool in_order(std::span<const Number> items, sort_order order) {
  return order == sort_order::ascending ? std::is_sorted(items.begin(), items.end())
                                        : std::is_sorted(items.begin(), items.end(), std::greater<>());
}

} // namespace

template <class Number>
void sort_integers(std::span<Number> items, sort_order order, int threads, task_monitor* monitor) {
  if (in_order<Number>(items, order)) return;
  threads = threads_for(items.size_bytes(), threads);
  const vector_target_guard vectors(sizeof(Number), items.size());
  if constexpr (sizeof(Number) == 1) {
    sort_by_counting(items, order, threads, monitor);
  } else if constexpr (sizeof(Number) == 2) {
    if (items.size() < min_counted_items)
      vector_sort(items.data(), items.size(), order);
    else
      sort_by_counting(items, order, threads, monitor);
  } else if constexpr (std::is_same_v<Number, int128>) { // vqsort's 128-bit keys are unsigned
    const std::span<uint128> keys(reinterpret_cast<uint128*>(items.data()), items.size());
    const std::uint64_t grain = std::uint64_t{1} << 20;
    const auto flip = [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) keys[i] ^= uint128{1} << 127;
    };
    parallel_for(0, keys.size(), grain, threads, flip);
    try {
      parallel_sort(keys, order, threads, monitor);
    } catch (...) { // cancelled: the items are in any order, but have their values back
      parallel_for(0, keys.size(), grain, threads, flip);
      throw;
    }
    parallel_for(0, keys.size(), grain, threads, flip);
  } else {
    parallel_sort(items, order, threads, monitor);
  }
}

template <class Bits>
void sort_floats(std::span<Bits> items, sort_order order, int threads, task_monitor* monitor) {
  static_assert(std::is_signed_v<Bits>);
  constexpr Bits negative_infinity = static_cast<Bits>(sizeof(Bits) == 4 ? 0xFF800000U : 0xFFF0000000000000U);
  const bool ascending = order == sort_order::ascending;
  threads = threads_for(items.size_bytes(), threads);
  const vector_target_guard vectors(sizeof(Bits), items.size());
  // Floats of sign 1 have negative bits; the greater the bits, the smaller the number.
  const std::uint64_t front = ascending
                                  ? parallel_partition<Bits>(items, 0, sort_order::ascending, threads)
                                  : parallel_partition<Bits>(items, -1, sort_order::descending, threads);
  const std::span<Bits> negative = ascending ? items.first(front) : items.subspan(front);
  const std::span<Bits> positive = ascending ? items.subspan(front) : items.first(front);
  const sort_order backwards = ascending ? sort_order::descending : sort_order::ascending;
  // Sorts both sides at the same time if the threads can be divided fairly; otherwise one after the other,
  // each on all threads.
  const auto share =
      static_cast<int>((negative.size() * static_cast<std::uint64_t>(threads) + items.size() / 2) /
                       std::max<std::uint64_t>(items.size(), 1));
  const auto load = [&](std::uint64_t size, int members) {
    return members == 0 ? 0.0
                        : static_cast<double>(size) / members * threads / static_cast<double>(items.size());
  };
  if (items.size_bytes() >= parallel_bytes && share > 0 && share < threads &&
      std::max(load(negative.size(), share), load(positive.size(), threads - share)) < 1.1) {
    run_team(2, [&](int member) {
      if (member == 0)
        sort_integers(negative, backwards, share, monitor);
      else
        sort_integers(positive, order, threads - share, monitor);
    });
  } else {
    sort_integers(negative, backwards, threads, monitor);
    sort_integers(positive, order, threads, monitor);
  }
  // Ascending: NaNs of sign 1 come first and are moved to the end. Descending: they come last and are moved
  // to the front.
  if (ascending) {
    const auto numbers = std::partition_point(negative.begin(), negative.end(),
                                              [](Bits bits) { return bits > negative_infinity; });
    std::rotate(items.begin(), items.begin() + (numbers - negative.begin()), items.end());
  } else {
    const auto nans = std::partition_point(negative.begin(), negative.end(),
                                           [](Bits bits) { return bits <= negative_infinity; });
    std::rotate(items.begin(), items.end() - (negative.end() - nans), items.end());
  }
}

template void sort_integers(std::span<std::uint8_t>, sort_order, int, task_monitor*);
template void sort_integers(std::span<std::int8_t>, sort_order, int, task_monitor*);
template void sort_integers(std::span<std::uint16_t>, sort_order, int, task_monitor*);
template void sort_integers(std::span<std::int16_t>, sort_order, int, task_monitor*);
template void sort_integers(std::span<std::uint32_t>, sort_order, int, task_monitor*);
template void sort_integers(std::span<std::int32_t>, sort_order, int, task_monitor*);
template void sort_integers(std::span<std::uint64_t>, sort_order, int, task_monitor*);
template void sort_integers(std::span<std::int64_t>, sort_order, int, task_monitor*);
template void sort_integers(std::span<uint128>, sort_order, int, task_monitor*);
template void sort_integers(std::span<int128>, sort_order, int, task_monitor*);
template void sort_floats(std::span<std::int32_t>, sort_order, int, task_monitor*);
template void sort_floats(std::span<std::int64_t>, sort_order, int, task_monitor*);

} // namespace weft::sort_detail
