// Sorts strings by words of eight bytes.
//
// The plain version:
//     sort(strings, depth): order by the eight bytes from depth on (zeros behind the end), then by id;
//         for each run of equal words: strings that end within them come first, shorter before longer;
//             sort(the others, depth + 8)
//
// An entry is a number of 128 bits: the upper half is the word, the lower half the id of the string, so that
// vqsort orders entries, and equal strings stay in the order of their ids. Short runs are sorted by comparing
// bytes. Each call continues with the largest of its runs in a loop and recurses only into the others, so
// that the recursion is at most log2(n) deep.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string_view>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/sort/core/line_entry.hpp>
#include <weft/sort/engines.hpp>
#include <weft/sort/sort.hpp>

namespace weft::sort_detail {

// Returns the eight bytes of `text` from depth on as a number, the first byte highest; zeros stand for bytes
// behind the end.
inline std::uint64_t word_at(std::string_view text, std::uint64_t depth) {
  if (depth >= text.size()) return 0;
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + depth, std::min<std::uint64_t>(8, text.size() - depth));
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

// A string_sorter sorts entries whose ids name strings. `Strings` is a type with string_view operator()(id)
// const, which returns a string, and void prefetch(id, depth) const. `Equal` is called from several threads
// with each span of entries of equal strings, which are in the order of their ids, once they are in their
// final positions. It must not write to a span of one entry, which other threads may be reading.
// options.engine must be "auto". The progress is the number of entries that are sorted by their first words.
// The sorter refers to `strings` and `equal`.
template <class Strings, class Equal> class string_sorter {
public:
  string_sorter(const Strings& strings, const Equal& equal, const run_options& options)
      : strings_(strings), equal_(equal), options_(options), threads_(thread_count(options.threads)) {}

  // Sorts entries, which must have the words at depth 0. O(total number of bytes that tell the strings
  // apart).
  void sort(std::span<uint128> entries) {
    if (threads_ == 1) return sort_level(entries, 0, 1);
    sort_level(entries, 0, threads_);
    parallel_for(0, deferred_.size(), 64, threads_, [&](std::uint64_t first, std::uint64_t last) {
      if (options_.monitor != nullptr) options_.monitor->check();
      for (std::uint64_t i = first; i < last; ++i) {
        if (i + 4 < last)
          for (std::uint64_t j = 0;
               j < std::min<std::uint64_t>(max_compared, deferred_[i + 4].entries.size()); ++j)
            strings_.prefetch(id_of(deferred_[i + 4].entries[j]), deferred_[i + 4].depth + 8);
        sort_equal_prefix_run(deferred_[i], 1);
      }
    });
  }

private:
  struct equal_prefix_run {
    std::span<uint128> entries;
    std::uint64_t depth;
  };
  static constexpr std::uint64_t prefetch_distance = 24; // entries to prefetch ahead; takes about 100 ns
  static constexpr std::uint64_t max_compared = 12; // runs of up to this size are sorted by comparing bytes
  static constexpr std::uint64_t min_parallel_entries = 1U << 16; // smaller runs are not worth all threads

  // Sorts entries by their words, then sorts each run of equal words further.
  void sort_level(std::span<uint128> entries, std::uint64_t depth, int threads) {
    for (;;) {
      if (options_.monitor != nullptr) options_.monitor->check();
      weft::sort(entries, ascending(), {.run = options_for(entries.size(), depth, threads)});
      entries = threads == 1 ? sort_runs(entries, depth) : sort_runs_on_threads(entries, depth, threads);
      if (!entries.empty()) entries = move_finished_to_front(entries, depth, threads);
      depth += 8;
      if (entries.empty()) return;
    }
  }

  // Sorts each run of equal words, but not the largest one, which is returned if it has more than
  // max_compared entries.
  std::span<uint128> sort_runs(std::span<uint128> entries, std::uint64_t depth) {
    std::span<uint128> largest;
    std::uint64_t ahead = 0;
    for (std::uint64_t i = 0, end; i < entries.size(); i = end) {
      end = end_of_run(entries, i);
      for (; ahead < std::min<std::uint64_t>(entries.size() - 1, end + prefetch_distance); ++ahead)
        if (word_of(entries[ahead]) == word_of(entries[ahead + 1])) { // in a run whose strings will be read
          strings_.prefetch(id_of(entries[ahead]), depth + 8);
          strings_.prefetch(id_of(entries[ahead + 1]), depth + 8);
        }
      std::span<uint128> next = entries.subspan(i, end - i);
      if (next.size() > max_compared && next.size() > largest.size()) std::swap(next, largest);
      if (!next.empty()) sort_equal_prefix_run({next, depth}, 1);
    }
    return largest;
  }

  // Does the same. The threads find the runs that begin in some parts of the entries, then the calling thread
  // sorts or defers those runs. The next parts begin behind the last of these runs, because sorting has
  // changed the words in it.
  std::span<uint128> sort_runs_on_threads(std::span<uint128> entries, std::uint64_t depth, int threads) {
    constexpr std::uint64_t part = min_parallel_entries;
    const std::uint64_t step = part * static_cast<std::uint64_t>(std::min(8 * threads, 64));
    std::vector<std::vector<std::span<uint128>>> runs(step / part);
    std::span<uint128> largest;
    for (std::uint64_t begin = 0, end; begin < entries.size(); begin = end) {
      end = std::min<std::uint64_t>(entries.size(), begin + step);
      parallel_for(0, (end - begin + part - 1) / part, 1, threads, [&](std::uint64_t p, std::uint64_t) {
        const std::uint64_t first = p * part, last = std::min(end - begin, first + part);
        runs[p] = find_runs(entries.subspan(begin), first, last);
      });
      for (auto& of_part : runs) {
        for (std::span<uint128> next : of_part) {
          end = std::max(end, static_cast<std::uint64_t>(next.data() + next.size() - entries.data()));
          if (next.size() > max_compared && next.size() > largest.size()) std::swap(next, largest);
          if (!next.empty()) sort_or_defer({next, depth}, threads);
        }
        of_part.clear();
      }
    }
    return largest;
  }

  // Returns the runs of two entries or more that begin in entries [first, last), and calls equal_ for the
  // other entries.
  [[nodiscard]] std::vector<std::span<uint128>> find_runs(std::span<uint128> entries, std::uint64_t first,
                                                          std::uint64_t last) const {
    std::vector<std::span<uint128>> runs;
    std::uint64_t i = first;
    while (i > 0 && i < last && word_of(entries[i]) == word_of(entries[i - 1])) ++i;
    for (std::uint64_t end; i < last; i = end) {
      end = end_of_run(entries, i);
      if (end - i == 1)
        equal_(entries.subspan(i, 1));
      else
        runs.push_back(entries.subspan(i, end - i));
    }
    return runs;
  }

  static std::uint64_t end_of_run(std::span<const uint128> entries, std::uint64_t begin) {
    std::uint64_t end = begin + 1;
    while (end < entries.size() && word_of(entries[end]) == word_of(entries[begin])) ++end;
    return end;
  }

  // Returns the options for sorting `count` entries. The first level runs on the device that the caller asks
  // for, later ones only if they have enough entries for a GPU.
  [[nodiscard]] run_options options_for(std::uint64_t count, std::uint64_t depth, int threads) const {
    run_options result = options_;
    result.threads = threads;
    if (depth > 0) result.info = nullptr, result.monitor = nullptr;
    if (depth > 0 && count < min_gpu_items) result.device = {device_kind::cpu, 0};
    return result;
  }

  // Sorts a large run at once. Small runs are deferred and distributed over the threads at the end.
  void sort_or_defer(const equal_prefix_run& next, int threads) {
    if (next.entries.size() >= min_parallel_entries)
      sort_equal_prefix_run(next, threads);
    else
      deferred_.push_back(next);
  }

  // Sorts entries whose strings agree in the first depth + 8 bytes, where zeros stand behind their ends.
  void sort_equal_prefix_run(const equal_prefix_run& run, int threads) {
    const std::span<uint128> entries = run.entries;
    const std::uint64_t depth = run.depth;
    if (entries.size() > max_compared) {
      const std::span<uint128> rest = move_finished_to_front(entries, depth, threads);
      if (!rest.empty()) sort_level(rest, depth + 8, threads);
      return;
    }
    if (entries.size() > 1) {
      std::sort(entries.begin(), entries.end(), [&](uint128 a, uint128 b) {
        const std::string_view x = tail(a, depth), y = tail(b, depth);
        const int order = x.compare(y);
        return order != 0 ? order < 0 : id_of(a) < id_of(b);
      });
    }
    for (std::uint64_t i = 0, end; i < entries.size(); i = end) {
      end = i + 1;
      while (end < entries.size() && tail(entries[end], depth) == tail(entries[i], depth)) ++end;
      equal_(entries.subspan(i, end - i));
    }
  }

  // Moves the strings that end within the word at `depth` to the front, in order, and calls equal_ for them.
  // Returns the other entries, with their next words.
  std::span<uint128> move_finished_to_front(std::span<uint128> entries, std::uint64_t depth, int threads) {
    constexpr std::uint64_t grain = 1U << 14;
    // The number of bytes of each string from `depth` on; 9 stands for more than 8.
    std::vector<std::uint8_t> rest(entries.size());
    parallel_for(0, entries.size(), grain, threads, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        if (i + prefetch_distance < last) strings_.prefetch(id_of(entries[i + prefetch_distance]), depth + 8);
        const std::string_view text = strings_(id_of(entries[i]));
        rest[i] = static_cast<std::uint8_t>(
            std::min<std::uint64_t>(text.size() - std::min<std::uint64_t>(depth, text.size()), 9));
        if (rest[i] == 9) entries[i] = make_entry(word_at(text, depth + 8), id_of(entries[i]));
      }
    });
    std::array<std::uint64_t, 11> begin{};
    for (const std::uint8_t r : rest) ++begin[r + 1U];
    if (begin[10] == entries.size()) return entries;
    for (std::size_t r = 1; r < begin.size(); ++r) begin[r] += begin[r - 1];
    {
      std::vector<uint128> ordered(entries.size());
      auto next_position = begin;
      for (std::uint64_t i = 0; i < entries.size(); ++i) ordered[next_position[rest[i]]++] = entries[i];
      std::copy(ordered.begin(), ordered.end(), entries.begin());
    }
    rest = std::vector<std::uint8_t>(); // frees memory, because equal_ may need as much
    for (std::size_t r = 0; r < 9; ++r)
      if (begin[r + 1] > begin[r]) equal_(entries.subspan(begin[r], begin[r + 1] - begin[r]));
    return entries.subspan(begin[9]);
  }

  std::string_view tail(uint128 entry, std::uint64_t depth) const {
    const std::string_view text = strings_(id_of(entry));
    return text.substr(std::min<std::uint64_t>(depth, text.size()));
  }

  const Strings& strings_;
  const Equal& equal_;
  run_options options_;
  int threads_;
  std::deque<equal_prefix_run> deferred_; // a deque, because it grows without a copy in memory
};

} // namespace weft::sort_detail
