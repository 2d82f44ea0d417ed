// Sets of positions of a text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <weft/search/cpu/block_alignment.hpp>

namespace weft::search_detail {

// An open_letters is a set of positions of a text, such as the letters that no block contains yet. It holds
// disjoint ranges. Every function takes O(log n) time for n ranges, and O(1) for each range that it visits.
class open_letters {
public:
  // Adds or removes the positions of a range.
  void add(text_range range);
  void remove(text_range range);

  // Returns the largest range of the set that contains a position; an empty range if there is none.
  [[nodiscard]] text_range find(std::uint64_t position) const;
  // Returns how many positions of a range are in the set.
  [[nodiscard]] std::uint64_t count(text_range range) const;
  // Calls visit(range) for each range of the set that overlaps a range, cut at its ends, in their order.
  template <class Visit> void visit(text_range range, const Visit& visit) const {
    auto next = ends_.upper_bound(range.begin);
    if (next != ends_.begin() && std::prev(next)->second > range.begin) --next;
    for (; next != ends_.end() && next->first < range.end; ++next) {
      const text_range part{std::max(range.begin, next->first), std::min(range.end, next->second)};
      if (part.size() > 0) visit(part);
    }
  }

private:
  std::map<std::uint64_t, std::uint64_t> ends_; // the end of each range, by its begin
};

} // namespace weft::search_detail
