// Sorting strings by words of eight bytes.
//
// The plain version:
//     sort(strings, depth): order by the eight bytes from depth on (zeros behind the end), then by id;
//         for each run of equal words: strings that end within them come first, shorter before longer;
//             sort(the others, depth + 8)
//
// An entry is a number of 128 bits: the word above, the id below, so that vqsort orders entries; an id leads
// to its string, and ids of equal strings stay in order. Short runs are sorted by comparing bytes. Of the
// runs of a call the largest is gone on with in place of a recursion, so that recursion is at most log2(n)
// deep.
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
#include <weft/sort/entry/gpu_sort.hpp>
#include <weft/sort/sort.hpp>

namespace weft::detail {

// The eight bytes from depth on, first byte highest.
inline std::uint64_t word_at(std::string_view text, std::uint64_t depth) {
  if (depth >= text.size()) return 0;
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + depth, std::min<std::uint64_t>(8, text.size() - depth));
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

constexpr std::uint64_t id_of(uint128 entry) { return static_cast<std::uint64_t>(entry); }
constexpr std::uint64_t word_of(uint128 entry) { return static_cast<std::uint64_t>(entry >> 64); }
constexpr uint128 make_entry(std::uint64_t word, std::uint64_t id) { return uint128{word} << 64 | id; }

// Strings: string_view operator()(id) const, and void prefetch(id, depth) const. Equal: void operator()(span
// of entries of equal strings, in order of ids).
template <class Strings, class Equal> class string_sorter {
public:
  string_sorter(const Strings& strings, const Equal& equal, const sort_options& options)
      : strings_(strings), equal_(equal), options_(options), threads_(thread_count(options.threads)) {}

  // Entries with the words at depth 0. O(total length of what tells strings apart).
  void sort(std::span<uint128> entries) {
    if (threads_ == 1) return level(entries, 0, 1);
    level(entries, 0, threads_);
    parallel_for(0, later_.size(), 64, threads_, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        if (i + 4 < last)
          for (std::uint64_t j = 0; j < std::min<std::uint64_t>(few, later_[i + 4].entries.size()); ++j)
            strings_.prefetch(id_of(later_[i + 4].entries[j]), later_[i + 4].depth + 8);
        refine(later_[i].entries, later_[i].depth, 1);
      }
    });
  }

private:
  struct run {
    std::span<uint128> entries;
    std::uint64_t depth;
  };
  static constexpr std::uint64_t distance = 24;   // entries to prefetch ahead: some 100 ns
  static constexpr std::uint64_t few = 12;        // sorted by comparing
  static constexpr std::uint64_t many = 1U << 16; // worth all threads

  // Sorts entries by their words, then each run of equal words further.
  void level(std::span<uint128> entries, std::uint64_t depth, int threads) {
    for (;;) {
      weft::sort(entries, ascending(), options_for(entries.size(), depth, threads));
      run largest{};
      std::uint64_t ahead = threads == 1 ? 0 : entries.size(); // with several threads runs are put off
      for (std::uint64_t i = 0, end; i < entries.size(); i = end) {
        end = i + 1;
        while (end < entries.size() && word_of(entries[end]) == word_of(entries[i])) ++end;
        for (; ahead < std::min<std::uint64_t>(entries.size() - 1, end + distance); ++ahead)
          if (word_of(entries[ahead]) == word_of(entries[ahead + 1])) { // will be looked at
            strings_.prefetch(id_of(entries[ahead]), depth + 8);
            strings_.prefetch(id_of(entries[ahead + 1]), depth + 8);
          }
        run next{entries.subspan(i, end - i), depth};
        if (next.entries.size() > few && next.entries.size() > largest.entries.size())
          std::swap(next, largest);
        if (!next.entries.empty()) dispatch(next, threads);
      }
      entries = continued(largest.entries, depth, threads);
      depth += 8;
      if (entries.empty()) return;
    }
  }

  // The device is for all strings, and later for runs that are worth it.
  [[nodiscard]] sort_options options_for(std::uint64_t count, std::uint64_t depth, int threads) const {
    sort_options result = options_;
    result.threads = threads;
    if (depth > 0) result.used = nullptr;
    if (depth > 0 && count < gpu_items) result.device = {device_kind::cpu, 0};
    return result;
  }

  // With several threads small runs are put off, and shared out in the end.
  void dispatch(const run& next, int threads) {
    if (threads == 1 || next.entries.size() >= many)
      refine(next.entries, next.depth, threads);
    else if (next.entries.size() > 1)
      later_.push_back(next);
    else
      equal_(next.entries);
  }

  // A run of entries that are equal up to depth + 8.
  void refine(std::span<uint128> entries, std::uint64_t depth, int threads) {
    if (entries.size() > few) {
      const std::span<uint128> rest = continued(entries, depth, threads);
      if (!rest.empty()) level(rest, depth + 8, threads);
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

  // Puts the strings that end within the word in front, in order; returns the others, with their next words.
  std::span<uint128> continued(std::span<uint128> entries, std::uint64_t depth, int threads) {
    constexpr std::uint64_t grain = 1U << 14;
    std::vector<std::uint8_t> rest(
        entries.size()); // bytes of the word that belong to the string; 9: more than that
    parallel_for(0, entries.size(), grain, threads, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        if (i + distance < last) strings_.prefetch(id_of(entries[i + distance]), depth + 8);
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
      auto place = begin;
      for (std::uint64_t i = 0; i < entries.size(); ++i) ordered[place[rest[i]]++] = entries[i];
      std::copy(ordered.begin(), ordered.end(), entries.begin());
    }
    rest = std::vector<std::uint8_t>(); // because equal_ may take as much memory again
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
  sort_options options_;
  int threads_;
  std::deque<run> later_; // grows without a copy, which would count as memory for sorting
};

// Sorts entries whose words are those at depth 0, of options.engine auto. `equal` is called, on several
// threads, for each run of equal strings once it is in its place.
template <class Strings, class Equal>
void sort_strings(std::span<uint128> entries, const Strings& strings, const Equal& equal,
                  const sort_options& options) {
  string_sorter<Strings, Equal>(strings, equal, options).sort(entries);
}

} // namespace weft::detail
