// Exact checks of candidates on the text itself, one thread for each candidate. The checks are those of
// cpu/bit_stream_verify.cpp.
#pragma once

#include <weft/scan/cuda/bit_stream/bit_stream_tables.hpp>

namespace weft::scan_detail {

// Returns whether a sequence starts (or the text ends) at one of the positions [from, from + count).
__device__ inline bool has_start_in(const std::uint32_t* starts, std::uint64_t from, std::uint32_t count) {
  while (count > 0) {
    const auto shift = static_cast<std::uint32_t>(from & 31);
    const std::uint32_t taken = min(32 - shift, count), mask = ~0U >> (32 - taken);
    if ((starts[from >> 5] >> shift & mask) != 0) return true;
    from += taken;
    count -= taken;
  }
  return false;
}

// Returns the distance from `from` to the first sequence start behind it, or `max_distance` if that is
// smaller.
__device__ inline std::uint32_t distance_to_next_start(const std::uint32_t* starts, std::uint64_t from,
                                                       std::uint32_t max_distance) {
  for (std::uint32_t d = 1; d < max_distance;) {
    const std::uint64_t at = from + d;
    const std::uint32_t bits = starts[at >> 5] >> (at & 31);
    if (bits != 0) return min(d + __ffs(static_cast<int>(bits)) - 1, max_distance);
    d += 32 - static_cast<std::uint32_t>(at & 31);
  }
  return max_distance;
}

// Checks candidates of the plan `tables` in one text.
class candidate_checker {
public:
  __device__ candidate_checker(const stream_tables& tables, const device_text& text)
      : t_(tables), text_(text.residues), starts_(text.starts) {}

  // Returns whether a variant matches at `start`: the whole variant if it is complete, else its part before
  // the first gap that is not written out.
  __device__ bool passes(const filter_checks& v, std::uint64_t start) const {
    if (v.length > 1 && has_start_in(starts_, start + 1, v.length - 1)) return false;
    if ((v.flags & filter_checks::anchor_n) != 0 && !has_start_in(starts_, start, 1)) return false;
    constexpr std::uint32_t ends = filter_checks::complete | filter_checks::anchor_c;
    if ((v.flags & ends) == ends && !has_start_in(starts_, start + v.length, 1)) return false;
    return all_checks_hold(v.first_check, v.last_check, start);
  }

  // Returns whether the segments of a row from `segment` on match behind the first `from` residues of a match
  // that starts at `start`. Computes, for one segment after the other, the set of positions where the segment
  // can end. Tests each position at most once for each segment. The sets are bit sets of fixed size,
  // because no match is longer than max_row_length residues.
  __device__ bool row_matches(std::uint32_t row, std::uint32_t segment, std::uint32_t from,
                              std::uint64_t start) const {
    // The distance limit is at most max_row_length + 1.
    constexpr std::uint32_t max_words = (max_row_length + 1) / 32 + 1;
    const row_limits& limits = t_.rows[row];
    if (limits.anchor_n && !has_start_in(starts_, start, 1)) return false;
    const std::uint32_t limit = distance_to_next_start(starts_, start, limits.max_length + 1);
    if (from > limit) return false;
    const std::uint32_t words = limit / 32 + 1;
    std::uint32_t ends[max_words], next[max_words];
    for (std::uint32_t i = 0; i < words; ++i) ends[i] = 0;
    ends[from / 32] |= 1U << from % 32;
    for (; segment < limits.last_segment; ++segment) {
      const row_segment s = t_.segments[segment];
      const bool last = segment + 1 == limits.last_segment;
      std::uint32_t first_untried = 0, run_end = 0;
      bool any = false;
      for (std::uint32_t i = 0; i < words; ++i) next[i] = 0;
      for (std::uint32_t i = 0; i < words; ++i)
        for (std::uint32_t bits = ends[i]; bits != 0; bits &= bits - 1) {
          const std::uint32_t end = i * 32 + __ffs(static_cast<int>(bits)) - 1;
          if (end + s.gap_min + s.length > limit) continue;
          std::uint32_t high = min(limit - s.length, end + s.gap_max);
          if (s.gap_class >= 0) { // all residues of the gap must be in its class
            run_end = max(run_end, end);
            while (run_end < high && is_in_class(static_cast<std::uint32_t>(s.gap_class), start + run_end))
              ++run_end;
            high = min(high, run_end);
          }
          std::uint32_t at = max(end + s.gap_min, first_untried);
          if (last && limits.anchor_c) at = max(at, limit - s.length);
          for (; at <= high; at += 32) {
            for (std::uint32_t hits = first_check_hits(s, start + at, min(32, high - at + 1)); hits != 0;
                 hits &= hits - 1) {
              const std::uint32_t segment_begin = at + __ffs(static_cast<int>(hits)) - 1,
                                  segment_end = segment_begin + s.length;
              if (!all_checks_hold(s.first_check + 1, s.last_check, start + segment_begin)) continue;
              if (last) return true;
              next[segment_end / 32] |= 1U << segment_end % 32;
              any = true;
            }
          }
          first_untried = max(first_untried, high + 1);
        }
      if (!any) return false;
      for (std::uint32_t i = 0; i < words; ++i) ends[i] = next[i];
    }
    return false;
  }

private:
  __device__ bool is_in_class(std::uint32_t cls, std::uint64_t position) const {
    const std::uint32_t byte = text_[position];
    return (t_.classes[cls * 8 + byte / 32] >> byte % 32 & 1) != 0;
  }
  // Tests two checks at a time, so that their loads overlap.
  __device__ bool all_checks_hold(std::uint32_t first, std::uint32_t last, std::uint64_t at) const {
    for (; first < last; first += 2) {
      const stream_check one = t_.checks[first], two = t_.checks[min(first + 1, last - 1)];
      const bool one_holds = is_in_class(one.cls, at + one.offset),
                 two_holds = is_in_class(two.cls, at + two.offset);
      if (!one_holds || !two_holds) return false;
    }
    return true;
  }
  // Returns at which of the `count` <= 32 positions from `at` on the first check of the segment holds, one
  // bit for each position.
  __device__ std::uint32_t first_check_hits(const row_segment& s, std::uint64_t at,
                                            std::uint32_t count) const {
    const std::uint32_t all = ~0U >> (32 - count);
    if (s.first_check == s.last_check) return all;
    const stream_check check = t_.checks[s.first_check];
    std::uint32_t hits = 0;
    for (std::uint32_t i = 0; i < count; i += 4)
#pragma unroll
      for (std::uint32_t j = i; j < i + 4; ++j) // may read the padding behind the text
        hits |= static_cast<std::uint32_t>(is_in_class(check.cls, at + check.offset + j)) << j;
    return hits & all;
  }

  const stream_tables& t_;
  const unsigned char* text_;
  const std::uint32_t* starts_;
};

} // namespace weft::scan_detail
