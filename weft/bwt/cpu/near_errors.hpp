// Search with errors: letters of a pattern may differ, be missing, or have other letters between them. The
// plain version is Sellers's table (J. Algorithms 1 (1980) 359-373) of a strand and a record:
//     error(0, j) = 0;  error(i, j) = the least of error(i - 1, j - 1) + (letter i differs from text[j - 1]),
//                                     error(i - 1, j) + 1, error(i, j - 1) + 1
//     every j with error(size, j) <= max_distance is the end of a hit, of this distance; of the alignments
//     with this distance and end, the one with the leftmost begin is the hit
// Differences from the plain version: the text is read only around occurrences of the seeds; a column of the
// table is computed 64 rows at a time (Myers, J. ACM 46 (1999) 395-415; Hyyro, 2003, for several words); and
// begins are computed for ends of hits only, by a band of the table of the reversed strand.
#pragma once

#include <cstdint>
#include <vector>
#include <weft/bwt/cpu/near_search.hpp>

namespace weft::bwt_detail {

// A stretch of a record, letters [begin, end), in which a strand may have hits.
struct near_region {
  std::uint64_t record, begin, end;
};

// Searches a strand with errors in regions of the text.
class error_search {
public:
  error_search(const fm_index::view& index, const near_options& options)
      : index_(index), options_(options), max_distance_(options.max_distance) {}

  // Appends the hits of a strand in the regions, which are sorted and merged if they overlap or touch.
  // Every alignment with at most max_distance errors must be within one of the regions.
  void search(const near_strand& strand, std::vector<near_region>& regions, std::vector<near_hit>& hits);
  // Does the same in all records, and hands the hits over after each.
  void search_all(const near_strand& strand, near_collector& to);

private:
  // A hit without its strand.
  struct stretch {
    std::uint64_t begin, end;
    unsigned distance;
  };
  void search_region(const near_strand& strand, const near_region& region, std::vector<near_hit>& hits);
  // Finds the stretches of a region by Myers's columns, without their begins.
  void find_ends(const near_strand& strand, const near_region& region);
  // Finds the stretches of a region by the plain table, in which letters can be exact.
  void find_exact_ends(const near_strand& strand, const near_region& region);
  // Returns the leftmost begin of an alignment of the strand that ends at `end`, with this distance.
  [[nodiscard]] std::uint64_t begin_of(const near_strand& strand, const near_region& region,
                                       std::uint64_t end, unsigned distance);
  // Finds the begins that are unknown of found_[first, last).
  void find_begins(const near_strand& strand, const near_region& region, std::size_t first, std::size_t last);
  // Keeps the stretches that are hits: greedily by distance, begin and end, those that overlap none that is
  // kept by more than half of the shorter one.
  void drop_overlapping(const near_strand& strand, const near_region& region);
  // Sets letters_ to the sets of letters [begin, end) of a record, one base each, or 0 for no base.
  void read_letters(std::uint64_t record, std::uint64_t begin, std::uint64_t end);
  // Adds a stretch to found_. Throws memory_error if there are too many.
  void add(const stretch& found);
  // Sets the bits of words_ for a strand.
  void prepare(const near_strand& strand);

  // 64 rows of Myers's column: the letters that contain each base (and none), and the differences between
  // neighbouring rows that are +1 and -1.
  struct column_word {
    std::uint64_t contains[5], plus, minus;
  };

  const fm_index::view& index_;
  const near_options& options_;
  const unsigned max_distance_;
  std::uint64_t max_stretches_ = 0; // that may be in memory; 0: not known yet
  std::vector<column_word> words_;
  std::vector<std::uint8_t> letters_;
  std::vector<stretch> found_;
};

// Returns how many nanoseconds a column of the table of a strand takes.
[[nodiscard]] double column_cost(const near_strand& strand);

} // namespace weft::bwt_detail
