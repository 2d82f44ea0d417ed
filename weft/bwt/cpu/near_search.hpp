// Search with differences on the CPU by the method that takes the least time: by seeds, whose occurrences are
// looked up in the index and compared (near_seeds.cpp); for short patterns with mismatches, by a tree of the
// index (near_trees.cpp); or by a scan of the whole text, a vector of positions at a time (near_blocks.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/cpu/near_patterns.hpp>
#include <weft/bwt/cpu/near_tree.hpp>
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
  // Sorts the hits by patterns, and drops those that will not be listed, whatever hits are added.
  void drop_unlisted();

  const near_options& options_;
  const std::uint64_t num_patterns_, max_hits_in_memory_;
  std::mutex mutex_;
  std::vector<near_hit> hits_;
  std::vector<std::uint64_t> totals_;
};

// Returns how many nanoseconds a scan of the text for a strand takes on one thread.
[[nodiscard]] double scan_cost(std::uint64_t num_symbols, const near_strand& strand, near_metric metric);

// The time that methods take, and the divisions of strands for their trees, which are kept by size.
class near_costs {
public:
  near_costs(std::uint64_t num_symbols, const near_options& options)
      : num_symbols_(num_symbols), options_(options) {}

  // Return the nanoseconds that a strand takes by a tree, by a scan, and by the faster one of both.
  [[nodiscard]] double of_tree(const near_strand& strand) { return parts(strand).cost; }
  [[nodiscard]] double of_scan(const near_strand& strand) const {
    return scan_cost(num_symbols_, strand, options_.metric);
  }
  [[nodiscard]] double without_seeds(const near_strand& strand) {
    return std::min(of_tree(strand), of_scan(strand));
  }
  // Returns the division of a strand; its cost is infinite if the strand has no tree.
  [[nodiscard]] const near_parts& parts(const near_strand& strand);

private:
  const std::uint64_t num_symbols_;
  const near_options& options_;
  std::map<std::uint64_t, near_parts> parts_of_size_;
};

// Compares a strand with a record where its letter `offset` lies at a text position. Returns whether it is a
// hit, and sets the hit and its mismatches.
[[nodiscard]] bool compare_strand(const fm_index::view& index, const near_strand& strand,
                                  std::uint64_t position, std::uint64_t offset, unsigned max_distance,
                                  near_hit& hit, near_mismatches<max_near_distance>& found);

// Searches strands by seeds. Returns the strands that another method finds sooner, which are still to be
// searched.
[[nodiscard]] std::vector<near_strand> search_by_seeds(const fm_index::view& index,
                                                       std::span<const near_strand> strands,
                                                       const near_options& options, near_costs& costs,
                                                       near_collector& to);

// Searches strands, which choose_seeds() says are possible, by trees. Returns the strands for which a scan
// takes less time, and which are still to be searched.
[[nodiscard]] std::vector<near_strand> search_by_trees(const fm_index::view& index,
                                                       std::span<const near_strand> strands,
                                                       const near_options& options, near_costs& costs,
                                                       near_collector& to);

// Searches strands, which choose_seeds() says are possible, by a scan of the text on run.threads threads of
// the options.
void search_by_scan(const fm_index::view& index, std::span<const near_strand> strands,
                    const near_options& options, near_collector& to);

// Returns the number of letters of a segment of the text.
[[nodiscard]] inline std::uint64_t segment_size(const fm_index::view& index, std::uint64_t segment) {
  const std::uint64_t next =
      segment + 1 < index.segments.size() ? index.segments[segment + 1].start : index.num_rows;
  return next - 1 - index.segments[segment].start;
}

} // namespace weft::bwt_detail
