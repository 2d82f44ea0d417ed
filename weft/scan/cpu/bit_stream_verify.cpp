// matches_row() checks one candidate, from left to right, with the set of positions at which each segment can
// end. find_row() searches a range of text, from right to left, with the set of positions from which each
// segment and all segments after it match.
#include <algorithm>
#include <weft/scan/cpu/bit_stream.hpp>

namespace weft::scan_detail {
namespace {

bool passes(const bit_stream_plan& plan, const stream_segment& s, directed_text text, std::uint64_t at) {
  for (std::uint32_t c = s.first_check; c < s.last_check; ++c)
    if (!plan.classes[plan.checks[c].cls].has(text[at + plan.checks[c].offset])) return false;
  return true;
}

} // namespace

// ends = {start}
// for each segment:
//   ends = {q + length : q in e + [gap_min, gap_max] for some e in ends, the segment's checks pass at q}
//
// Invariant: `ends` ascends. Each position q is tested at most once for a segment, because all positions
// below `untested` have been tested.
bool matches_row(const bit_stream_plan& plan, const stream_row& row, std::uint32_t segment,
                 directed_text text, std::uint64_t start, std::uint64_t limit,
                 std::vector<std::uint64_t>& ends) {
  ends.assign(1, start);
  std::size_t from = 0;
  for (std::uint32_t i = segment; i < row.last_segment; ++i) {
    const stream_segment& s = plan.segments[i];
    const std::size_t to = ends.size();
    const bool last = i + 1 == row.last_segment;
    std::uint64_t untested = 0, run_end = 0;
    for (; from < to; ++from) {
      const std::uint64_t e = ends[from];
      if (s.length > limit || e > limit - s.length || s.gap_min > limit - s.length - e) continue;
      std::uint64_t high = limit - s.length;
      if (s.gap_max < high - e) high = e + s.gap_max;
      if (s.gap_class >= 0) { // the gap may contain only residues of its class
        run_end = std::max(run_end, e);
        while (run_end < high && plan.classes[static_cast<std::size_t>(s.gap_class)].has(text[run_end]))
          ++run_end;
        high = std::min(high, run_end);
      }
      std::uint64_t q = std::max(e + s.gap_min, untested);
      if (last && row.anchor_c) q = std::max(q, limit - s.length);
      for (; q <= high; ++q) {
        if (!passes(plan, s, text, q)) continue;
        if (last) return true;
        ends.push_back(q + s.length);
      }
      untested = std::max(untested, high + 1);
    }
    from = to;
  }
  return false;
}

// Visits the positions p from right to left and, at each p, the segments i from the last to the first.
// states[i].matching_positions holds the visited positions, descending, at which segment i and all segments
// after it match. Segment i matches at p if its checks pass and the matching positions of segment i + 1
// include a q in [e + gap_min, e + gap_max], where e = p + length. It is enough to examine the smallest q >=
// e + gap_min, which the cursor finds. As p decreases, the cursor only moves forward, so each segment takes
// constant amortised time.
void find_row(const bit_stream_plan& plan, const stream_row& row, directed_text text, std::uint64_t begin,
              std::uint64_t limit, std::uint64_t first, std::uint64_t last,
              std::vector<std::uint64_t>& starts) {
  struct state {
    std::vector<std::uint64_t> matching_positions;
    std::size_t cursor = 0;    // index of the last matching position that is at least the one asked for
    std::uint64_t run_end = 0; // end of the run of residues of the gap's class
  };
  const std::size_t count = row.last_segment - row.first_segment, first_found = starts.size();
  const stream_segment* segments = plan.segments.data() + row.first_segment;
  std::vector<state> states(count);
  for (state& s : states) s.run_end = limit;
  // Returns whether a gap from `e`, then segment i and all segments after it match.
  const auto reaches = [&](std::size_t i, std::uint64_t e) {
    state& s = states[i];
    const stream_segment& segment = segments[i];
    if (segment.gap_class >= 0 && e < limit &&
        !plan.classes[static_cast<std::size_t>(segment.gap_class)].has(text[e]))
      s.run_end = e;
    if (segment.gap_min > limit - e || s.matching_positions.empty()) return false;
    const std::uint64_t min_position = e + segment.gap_min;
    std::vector<std::uint64_t>& positions = s.matching_positions;
    while (s.cursor + 1 < positions.size() && positions[s.cursor + 1] >= min_position) ++s.cursor;
    if (s.cursor > 0x100000U)
      positions.erase(positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(s.cursor)),
          s.cursor = 0;
    const std::uint64_t q = positions[s.cursor];
    return q >= min_position && q - e <= segment.gap_max && (segment.gap_class < 0 || q <= s.run_end);
  };
  const std::uint64_t from = row.max_length > limit - last ? limit : last + row.max_length;
  for (std::uint64_t p = from;; --p) {
    for (std::size_t i = count; i-- > 0;) {
      const stream_segment& s = segments[i];
      const bool fits = s.length <= limit - p;
      bool matches_here =
          fits && (i + 1 < count || !row.anchor_c || s.length == limit - p) && passes(plan, s, text, p);
      if (i + 1 < count && fits) {
        const bool rest_matches = reaches(i + 1, p + s.length);
        matches_here = matches_here && rest_matches;
      }
      if (matches_here) states[i].matching_positions.push_back(p);
    }
    if (reaches(0, p) && p >= first && p < last && (!row.anchor_n || p == begin)) starts.push_back(p);
    if (p == first || p == 0) break;
  }
  std::reverse(starts.begin() + static_cast<std::ptrdiff_t>(first_found), starts.end());
}

} // namespace weft::scan_detail
