// The engine suffix-sort of the CPU.
//
// A text of bytes: the suffixes at its stars (suffix_stars.hpp), at most every second one, are partitioned by
// their first bits and sorted bucket by bucket, as numbers that hold the next bits and the position; ties are
// sorted by further bits. Suffixes that agree in many symbols are compared, if they are few, or get the order
// of the anchors behind them (suffix_anchors.hpp). All other suffixes are induced from the stars.
//
// Texts of larger symbols, collections, and texts for which there is little memory: all suffixes are sorted
// like stars, range by range of their buckets.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <weft/base/run.hpp>
#include <weft/bwt/cpu/suffix_buckets.hpp>
#include <weft/bwt/cpu/suffix_string.hpp>

namespace weft::bwt_detail {

// Writes the suffix array of a text of bytes that is not empty, with one entry for each symbol. Index is
// uint32_t (fewer than 2^31 symbols) or uint64_t. Expected O(n log n) time on run.threads threads. Adds n to
// the work that the monitor of `run` counts.
template <class Index>
void sort_suffixes(std::span<const unsigned char> symbols, std::span<Index> sa, const run_options& run);

// Returns the bytes that sort_suffixes() takes at most, beside the suffix array.
[[nodiscard]] std::uint64_t memory_to_induce(std::uint64_t symbols);

// Suffixes in order: those of the rows [first_row, first_row + items.size()).
struct sorted_range {
  std::uint64_t first_row;
  std::span<const std::uint64_t> items; // layout.position(items[k]) is a suffix
  item_layout layout;
};

// How much memory sort_in_ranges() may take beside the packed text, and how large its ranges are.
struct range_limits {
  // Chooses the size of ranges for a text of so many symbols and for `bytes`, at least min_bytes(symbols).
  range_limits(std::uint64_t symbols, std::uint64_t bytes);

  // Returns what suffices for a text whose suffixes do not agree in long stretches.
  [[nodiscard]] static std::uint64_t min_bytes(std::uint64_t symbols);

  std::uint64_t bytes;     // for the suffixes that are sorted, and for the anchors if they are needed
  std::uint64_t max_items; // suffixes that are sorted at the same time
};

// Sorts all suffixes of a text, and passes them to take() range by range, in order. Ranges have at most
// limits.max_items suffixes, unless more of them agree in 72 symbols (in 512 bits, if these are fewer). Adds
// n to the work that the monitor of `run` counts. Takes O(n) time for each range beside the sort. If anchors
// are needed and do not fit beside the range, sorts them before it starts the range again; the next ranges
// are then smaller. Throws memory_error if the anchors take more than limits.bytes.
void sort_in_ranges(const suffix_string& text, const range_limits& limits, const run_options& run,
                    const std::function<void(const sorted_range&)>& take);

} // namespace weft::bwt_detail
