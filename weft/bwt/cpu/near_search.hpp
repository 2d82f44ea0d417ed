// Search with differences on the CPU: by seeds, whose occurrences are looked up in the index and compared
// (near_seeds.cpp), or by a scan of the whole text, 512 positions at a time (near_blocks.cpp), for patterns
// whose seeds are so short, or so frequent, that the scan takes less time.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/cpu/near_patterns.hpp>
#include <weft/bwt/near_search.hpp>

namespace weft::bwt_detail {

// A hit of a pattern.
struct near_hit {
  std::uint64_t pattern, record, begin, end;
  std::uint8_t distance;
  bool reverse;
};

// Collects the hits that threads find, or only counts them if none are listed.
class near_collector {
public:
  near_collector(std::uint64_t num_patterns, const near_options& options);

  // Adds hits and leaves the vector empty. Thread-safe. Throws memory_error if all hits take more than the
  // memory of the options.
  void add(std::vector<near_hit>& hits);
  // Returns the result. Takes O(h log h) time for h hits.
  [[nodiscard]] near_hits finish();

private:
  const near_options& options_;
  const std::uint64_t num_patterns_, max_hits_in_memory_;
  std::mutex mutex_;
  std::vector<near_hit> hits_;
  std::vector<std::uint64_t> totals_;
};

// Searches strands by seeds. Returns the strands for which a scan takes less time, and which are still to be
// searched.
[[nodiscard]] std::vector<near_strand> search_by_seeds(const fm_index::view& index,
                                                       std::span<const near_strand> strands,
                                                       const near_options& options, near_collector& to);

// Searches strands, which choose_seeds() says are possible, by a scan of the text on run.threads threads of
// the options.
void search_by_scan(const fm_index::view& index, std::span<const near_strand> strands,
                    const near_options& options, near_collector& to);

// Returns how many nanoseconds a scan of the text for a strand takes on one thread.
[[nodiscard]] double scan_cost(std::uint64_t num_symbols, const near_strand& strand, near_metric metric);

// Returns the number of letters of a segment of the text.
[[nodiscard]] inline std::uint64_t segment_size(const fm_index::view& index, std::uint64_t segment) {
  const std::uint64_t next =
      segment + 1 < index.segments.size() ? index.segments[segment + 1].start : index.num_rows;
  return next - 1 - index.segments[segment].start;
}

} // namespace weft::bwt_detail
