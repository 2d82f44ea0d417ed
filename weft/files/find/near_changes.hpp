// This file describes how the hits of a search with differences change if the records are circular.
//
// On a circular record of n letters, a stretch [begin, end) has begin < n and at most n letters. If end > n,
// it continues over the origin with the first end - n letters of the record.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/bwt/near_search.hpp>

namespace weft::files {

// A hit of a pattern. Hits are listed in the order of these members.
struct near_stretch {
  std::uint64_t record, begin;
  bool reverse;
  std::uint64_t end;
  unsigned distance;
  friend auto operator<=>(const near_stretch&, const near_stretch&) = default;
};

// Appends a hit to the columns of hits; does not count it.
void add_row(near_hits& to, const near_stretch& hit);

// The difference between the hits of a pattern in circular records and those in the same records if they are
// linear. No hit is in both lists.
struct near_changes {
  std::vector<near_stretch> removed, added;
};

// Returns those of the stretches that are hits with errors. All of them must be of one pattern, one strand
// and one circular record of `length` letters. They are taken by distance, begin and end; a stretch that
// shares more than half of the letters of the shorter one with a taken stretch is left out, where letters
// before and after the origin count alike. O(n log n) for n stretches, if few of them overlap.
[[nodiscard]] std::vector<near_stretch> select_hits(std::vector<near_stretch> stretches,
                                                    std::uint64_t length);

// Returns the hits that remain if changes[p] are made to the hits of each pattern p. `hits` has the hits in
// linear records with their totals, where options.max_hits was larger than it is by the largest number of
// hits that are removed from one pattern. Of the options, max_distance, best and max_hits count.
[[nodiscard]] near_hits apply_changes(const near_hits& hits, std::span<const near_changes> changes,
                                      const near_options& options);

} // namespace weft::files
