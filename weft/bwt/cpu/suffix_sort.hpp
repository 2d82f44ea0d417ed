// The engine suffix-sort of the CPU.
//
// A text of bytes: the suffixes at its stars (suffix_stars.hpp), at most every second one, are partitioned by
// their first bits and sorted bucket by bucket, as numbers that hold the next bits and the position; ties are
// sorted by further bits. Suffixes that agree in many symbols are compared, if they are few, or get the order
// of the anchors behind them (suffix_anchors.hpp). All other suffixes are induced from the stars.
//
// Texts of larger symbols, collections, texts for which there is little memory, and texts that several
// processes sort together: all suffixes are sorted like stars, range by range (suffix_ranges.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <weft/base/run.hpp>

namespace weft::bwt_detail {

// Writes the suffix array of a text of bytes that is not empty, with one entry for each symbol. Index is
// uint32_t (fewer than 2^31 symbols) or uint64_t. Expected O(n log n) time on run.threads threads. Adds n to
// the work that the monitor of `run` counts.
template <class Index>
void sort_suffixes(std::span<const unsigned char> symbols, std::span<Index> sa, const run_options& run);

// Returns the bytes that sort_suffixes() takes at most, beside the suffix array.
[[nodiscard]] std::uint64_t memory_to_induce(std::uint64_t symbols);

} // namespace weft::bwt_detail
