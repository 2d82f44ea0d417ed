#include <weft/scan/cpu/found_matches.hpp>

#include <algorithm>

namespace weft::scan_detail {

// A stable counting sort by sequence:
//
//   for each match in the order of add(): append it to its sequence
//   for each sequence whose matches did not come in order: sort them
void found_matches::write(scan_match* to) {
  std::vector<scan_match*> ends(sequences_.size()); // the end of each sequence's matches so far
  scan_match* end = to;
  for (std::size_t s = 0; s < ends.size(); ++s) {
    ends[s] = end;
    end += sequences_[s].count;
  }
  for (const found_match& found : found_)
    *ends[found.sequence]++ = {static_cast<std::uint32_t>(first_sequence_ + found.sequence), found.motif,
                               found.begin, found.end};
  for (std::size_t s = 0; s < ends.size(); ++s)
    if (!sequences_[s].is_ordered) std::sort(ends[s] - sequences_[s].count, ends[s]);
}

} // namespace weft::scan_detail
