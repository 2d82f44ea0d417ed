// Search with differences on the CPU by the method that takes the least time: by seeds, whose occurrences are
// looked up in the index and compared (near_seeds.cpp); for short patterns with mismatches, by windows and
// the contexts of rows, if the index has them (near_window_search.cpp), or by a tree of the index
// (near_trees.cpp); or by a scan of the whole text, a vector of positions at a time (near_blocks.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>
#include <weft/bwt/core/near_compare_steps.hpp>
#include <weft/bwt/cpu/fm_view.hpp>
#include <weft/bwt/cpu/near_patterns.hpp>
#include <weft/bwt/cpu/near_tree.hpp>
#include <weft/bwt/cpu/near_windows.hpp>
#include <weft/bwt/near_search.hpp>

namespace weft::bwt_detail {

// A hit of a pattern.
struct near_hit {
  std::uint64_t pattern, record, begin, end;
  std::uint8_t distance;
  bool reverse;
};

// Bytes that a hit takes in the columns of near_hits.
inline constexpr std::uint64_t bytes_in_columns = 3 * sizeof(std::uint64_t) + 2;

// Throws memory_error: the hits of so many patterns do not fit the memory of the options.
[[noreturn]] void refuse_hits(std::uint64_t num_patterns, const near_options& options);

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
  unwritten_vector<std::uint64_t> totals_;
};

// Returns how many nanoseconds a scan of the text for a strand takes on one thread.
[[nodiscard]] double scan_cost(std::uint64_t num_symbols, const near_strand& strand, near_metric metric);

// The time that methods take, and how strands are divided for trees and windows, which is computed once for
// all strands of a size or a shape.
class near_costs {
public:
  near_costs(const fm_index::view& index, const near_options& options)
      : near_costs(index, options, index.record_offsets.back()) {}
  // Estimates trees and scans for a text of num_symbols letters, however many the index has.
  near_costs(const fm_index::view& index, const near_options& options, std::uint64_t num_symbols);

  // Return the nanoseconds that a strand takes by windows, by a tree and by a scan.
  [[nodiscard]] double of_windows(const near_strand& strand) { return windows(strand).cost; }
  [[nodiscard]] double of_tree(const near_strand& strand) { return parts(strand).cost; }
  [[nodiscard]] double of_scan(const near_strand& strand) const {
    return scan_cost(num_symbols_, strand, options_.metric);
  }
  // Return the nanoseconds of the faster of a tree and a scan, and of the fastest of all three.
  [[nodiscard]] double without_windows(const near_strand& strand) {
    return std::min(of_tree(strand), of_scan(strand));
  }
  [[nodiscard]] double without_seeds(const near_strand& strand) {
    return std::min(of_windows(strand), without_windows(strand));
  }
  // Returns the division of a strand; its cost is infinite if the strand has no tree.
  [[nodiscard]] const near_parts& parts(const near_strand& strand);
  // Returns the windows of a strand; their cost is infinite if it has none.
  [[nodiscard]] const near_windows& windows(const near_strand& strand);

private:
  const std::uint64_t num_symbols_;
  const near_options& options_;
  window_text window_text_{};     // k-mers of 0 letters: the index has no contexts
  double other_letters_cost_ = 0; // of a strand, where the text has letters that are no bases
  std::map<std::uint64_t, near_parts> parts_of_size_;
  std::map<std::string, near_windows> windows_of_shape_;
};

// Compares a strand with a record where its letter `offset` lies at a text position. Returns whether it is a
// hit, and sets the hit and its mismatches.
[[nodiscard]] bool compare_strand(const fm_index::view& index, const near_strand& strand,
                                  std::uint64_t position, std::uint64_t offset, unsigned max_distance,
                                  near_hit& hit, near_mismatches<max_near_distance>& found);

// Does the same, but returns false unless the strand lies within the segment that contains the position.
[[nodiscard]] bool compare_within_segment(const fm_index::view& index, const near_strand& strand,
                                          std::uint64_t position, std::uint64_t offset, unsigned max_distance,
                                          near_hit& hit, near_mismatches<max_near_distance>& found);

// Appends the hit of a strand that begins with symbol `symbol` of all records end to end, unless it would
// reach beyond its record.
void append_scanned_hit(const fm_index::view& index, const near_strand& strand, std::uint64_t symbol,
                        unsigned mismatches, std::vector<near_hit>& hits);

// Searches strands by seeds. Returns the strands that another method finds sooner, which are still to be
// searched.
[[nodiscard]] std::vector<near_strand> search_by_seeds(const fm_index::view& index,
                                                       std::span<const near_strand> strands,
                                                       const near_options& options, near_costs& costs,
                                                       near_collector& to);

// Searches strands, which choose_seeds() says are possible, by windows. Returns the strands that a tree or a
// scan finds sooner, which are still to be searched. Appends the other strands to `found`;
// search_other_letters() has to complete their hits.
[[nodiscard]] std::vector<near_strand> search_by_windows(const fm_index::view& index,
                                                         std::span<const near_strand> strands,
                                                         const near_options& options, near_costs& costs,
                                                         near_collector& to, std::vector<near_strand>& found);

// Finds the hits of strands that contain letters which are no bases, on run.threads threads of the options.
// The strands have at most 32 letters.
void search_other_letters(const fm_index::view& index, std::span<const near_strand> strands,
                          const near_options& options, near_collector& to);

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

} // namespace weft::bwt_detail
