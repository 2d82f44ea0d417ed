// The steps of core/fm_steps.hpp for batches of patterns.
//
// Each step waits for one cache line. So a thread keeps `num_lanes` patterns (or rows) in progress, executes
// one step of each in turn, and prefetches the line of a lane's next step at once.
//
// The code is compiled for several instruction sets, because only SSE4.2 and later x86 processors count ones
// in one instruction.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/fm_search.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <weft/bwt/core/fm_build_steps.hpp>
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/interleave-inl.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

// Sets the interval of each pattern to the rows of its last letters, by the table of the longest k-mers that
// it has: `kmers`, or that of the index. Without one, the interval is all rows, and of a pattern that does
// not occur, no rows.
void look_up_kmers(const fm_index::view& index, const fm_kmers& kmers, const fm_patterns& patterns,
                   std::span<fm_interval> intervals) {
  const fm_kmers of_index = {index.kmers, index.kmer_size};
  const auto table_of = [&](std::uint64_t p) {
    return kmers.k > 0 && patterns.size(p) >= kmers.k ? kmers : of_index;
  };
  pipeline(
      patterns.count(),
      [&](std::uint64_t p) {
        const std::uint64_t size = patterns.size(p);
        const fm_kmers table = table_of(p);
        intervals[p] = {0, size == 0 ? 0 : index.num_rows, size};
        if (table.k == 0 || size < table.k) return;
        intervals[p].low = 2 * patterns.last_letters(p, table.k); // for now, the entry of the table
        table.rows.prefetch(intervals[p].low);
      },
      [&](std::uint64_t p) {
        const std::uint64_t size = patterns.size(p), entry = intervals[p].low;
        const fm_kmers table = table_of(p);
        if (table.k == 0 || size < table.k) return;
        intervals[p] = {table.rows[entry], table.rows[entry + 1], size - table.k};
      });
}

// Narrows the interval of each pattern as long as should_narrow(cost) holds.
template <bool Dna>
void narrow_interleaved(const fm_index::view& index, const fm_patterns& patterns, std::uint64_t cost,
                        std::span<fm_interval> intervals) {
  struct pattern_lane {
    std::uint64_t pattern;
    fm_narrowing state;
  };
  const auto start = [&](pattern_lane& lane, std::uint64_t p) {
    lane = {p, {intervals[p].low, intervals[p].high, intervals[p].unmatched}};
    index.prefetch<Dna>(lane.state.low);
    index.prefetch<Dna>(lane.state.high);
    return lane.state.should_narrow(cost);
  };
  const auto step = [&](pattern_lane & lane) __attribute__((always_inline)) {
    fm_narrowing& state = lane.state;
    state.step<Dna>(index, patterns.code<Dna>(lane.pattern, state.unmatched - 1));
    index.prefetch<Dna>(state.low);
    index.prefetch<Dna>(state.high);
    intervals[lane.pattern] = {state.low, state.high, state.unmatched};
    return state.should_narrow(cost);
  };
  interleave<pattern_lane>(patterns.count(), start, step);
}

template <bool Dna>
void find_intervals_interleaved(const fm_index::view& index, const fm_kmers& kmers,
                                const fm_patterns& patterns, std::span<fm_interval> intervals) {
  look_up_kmers(index, kmers, patterns, intervals);
  narrow_interleaved<Dna>(index, patterns, fm_narrowing::row_cost(index.sample_rate), intervals);
}

// Takes the remaining steps of patterns of DNA that have one row left each; `singles` lists them. A step is
// that of fm_parts::narrow(), but counts the bases before one row instead of two.
void follow_single_rows(const fm_index::view& index, const fm_patterns& patterns,
                        std::span<const std::uint32_t> singles, std::span<fm_interval> intervals) {
  struct row_lane {
    std::uint64_t row;
    const std::uint64_t* words; // of the pattern
    std::uint32_t unmatched, pattern;
  };
  // Copies in registers, which the compiler need not read again after each write.
  const dna_block* const blocks = index.blocks;
  std::array<std::uint64_t, 4> first; // the first row of each base, less the counts before its superblock
  for (std::size_t base = 0; base < 4; ++base) first[base] = index.first_row[base + 1] + index.supers[base];
  std::array<row_lane, num_lanes> lanes;
  std::size_t active = 0, next = 0;
  const auto refill = [&](row_lane& lane) {
    if (next == singles.size()) return false;
    const std::uint32_t p = singles[next++];
    lane = {intervals[p].low, patterns.words(p), static_cast<std::uint32_t>(intervals[p].unmatched), p};
    index.prefetch<true>(lane.row);
    return true;
  };
  while (active < num_lanes && refill(lanes[active])) ++active;
  while (active > 0)
    for (std::size_t i = 0; i < active;) {
      row_lane& lane = lanes[i];
      const std::uint32_t last = lane.unmatched - 1;
      const unsigned base = lane.words[last / 32] >> (2 * (last % 32)) & 3;
      const std::uint64_t b = lane.row / dna_block_rows;
      const auto row = static_cast<unsigned>(lane.row - b * dna_block_rows);
      const dna_block& block = blocks[b];
      bool is_present = base_in_block(block, row) == base;
      if ((block.counts[base] & dna_exception_flag) != 0) [[unlikely]] {
        std::uint64_t low = lane.row, high = low + 1;
        index.narrow<true>(base + 1, low, high);
        lane.row = low;
        is_present = low < high;
      } else {
        lane.row = first[base] + block.counts[base] + count_in_block(block, base, row);
      }
      lane.unmatched = last;
      prefetch_line(blocks + lane.row / dna_block_rows);
      if (is_present && last > 0) [[likely]] {
        ++i;
        continue;
      }
      intervals[lane.pattern] = {lane.row, lane.row + (is_present ? 1 : 0), last};
      if (!refill(lane)) lanes[i] = lanes[--active];
    }
}

template <bool Dna>
void take_every_step_interleaved(const fm_index::view& index, const fm_patterns& patterns,
                                 std::span<fm_interval> intervals) {
  for (std::uint64_t p = 0; p < patterns.count(); ++p)
    intervals[p] = {0, patterns.size(p) == 0 ? 0 : index.num_rows, patterns.size(p)};
  // follow_single_rows() is for an index of one superblock.
  if (Dna && dna_supers_for(index.num_rows) == 1) {
    narrow_interleaved<Dna>(index, patterns, 0, intervals);
    std::vector<std::uint32_t> singles;
    for (std::uint64_t p = 0; p < patterns.count(); ++p)
      if (intervals[p].high - intervals[p].low == 1 && intervals[p].unmatched > 0)
        singles.push_back(static_cast<std::uint32_t>(p));
    follow_single_rows(index, patterns, singles, intervals);
  }
  narrow_interleaved<Dna>(index, patterns, fm_narrowing::never_compare, intervals);
}

// Sets positions[c] to the position of the suffix of candidate c's row. First walks from each row to a row
// whose position is stored, or to an open row; then looks up the stored positions.
template <bool Dna>
void find_suffixes(const fm_index::view& index, std::span<const fm_candidate> candidates,
                   std::span<std::uint64_t> positions) {
  struct row_lane {
    std::uint64_t task, row; // `task` is the index of the candidate
  };
  // For each candidate, the steps of the walk so far; `is_open` is added if the walk ended at an open row.
  constexpr std::uint32_t is_open = 1U << 31;
  std::vector<std::uint32_t> num_steps(candidates.size());
  const auto request = [&](std::uint64_t row) {
    index.prefetch<Dna>(row);
    prefetch_line(index.marks + row / 64);
  };
  constexpr std::size_t num_row_lanes = 64; // a round does less work for a lane than in other searches
  std::array<row_lane, num_row_lanes> lanes;
  std::size_t active = 0;
  for (std::uint64_t next = 0; next < candidates.size() || active > 0;) {
    for (; active < num_row_lanes && next < candidates.size(); ++next) {
      lanes[active++] = {next, candidates[next].row};
      request(candidates[next].row);
    }
    const std::size_t before = std::exchange(active, 0);
    for (std::size_t i = 0; i < before; ++i) {
      const row_lane lane = lanes[i];
      positions[lane.task] = lane.row;
      lanes[active] = lane;
      active += index.marked(lane.row) ? 0 : 1;
    }
    for (std::size_t i = 0; i < active; ++i) {
      row_lane& lane = lanes[i];
      const std::uint32_t steps = ++num_steps[lane.task];
      if (index.step_back<Dna>(lane.row) == 0) [[unlikely]] {
        num_steps[lane.task] = (steps - 1) | is_open;
        lanes[i--] = lanes[--active];
        continue;
      }
      if (steps >= index.sample_rate || lane.row >= index.num_rows) refuse_damaged_index();
      request(lane.row);
    }
  }
  const auto is_marked = [&](std::uint64_t c) { return (num_steps[c] & is_open) == 0; };
  pipeline(
      candidates.size(),
      [&](std::uint64_t c) {
        prefetch_line(index.marks + positions[c] / 512 * 8);
        prefetch_line(index.mark_counts + positions[c] / 512);
      },
      [&](std::uint64_t c) {
        if (is_marked(c)) [[likely]]
          positions[c] = index.marks_before(positions[c]); // for now, the index of the sample
      });
  pipeline(
      candidates.size(),
      [&](std::uint64_t c) {
        if (is_marked(c)) [[likely]]
          index.samples.prefetch(positions[c]);
      },
      [&](std::uint64_t c) {
        positions[c] = (is_marked(c) ? index.samples[positions[c]] * index.sample_rate
                                     : index.open_position(positions[c])) +
                       (num_steps[c] & ~is_open);
      });
}

template <bool Dna>
void find_positions_interleaved(const fm_index::view& index, const fm_patterns& patterns,
                                std::span<const fm_interval> intervals,
                                std::span<const fm_candidate> candidates,
                                std::span<std::uint64_t> positions) {
  find_suffixes<Dna>(index, candidates, positions);
  pipeline(
      candidates.size(),
      [&](std::uint64_t c) {
        const std::uint64_t unmatched = intervals[candidates[c].pattern].unmatched;
        if (!Dna || unmatched == 0) return;
        prefetch_line(index.packed_text + (positions[c] - std::min(positions[c], unmatched)) / 32);
        prefetch_line(index.packed_text + positions[c] / 32); // often on the next line
      },
      [&](std::uint64_t c) {
        const std::uint64_t p = candidates[c].pattern, unmatched = intervals[p].unmatched,
                            position = positions[c];
        if (position >= index.num_rows) refuse_damaged_index();
        const bool fits = position >= index.segment_of(position).start + unmatched;
        positions[c] = fits && patterns.begins_at<Dna>(index, p, unmatched, position - unmatched)
                           ? position - unmatched
                           : no_position;
      });
}

// HWY_EXPORT() does not accept templates, so each instantiation gets a function.
void intervals_dna(const fm_index::view& index, const fm_kmers& kmers, const fm_patterns& patterns,
                   std::span<fm_interval> intervals) {
  find_intervals_interleaved<true>(index, kmers, patterns, intervals);
}
void intervals_other(const fm_index::view& index, const fm_kmers& kmers, const fm_patterns& patterns,
                     std::span<fm_interval> intervals) {
  find_intervals_interleaved<false>(index, kmers, patterns, intervals);
}
void every_step_dna(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<fm_interval> intervals) {
  take_every_step_interleaved<true>(index, patterns, intervals);
}
void every_step_other(const fm_index::view& index, const fm_patterns& patterns,
                      std::span<fm_interval> intervals) {
  take_every_step_interleaved<false>(index, patterns, intervals);
}
void positions_dna(const fm_index::view& index, const fm_patterns& patterns,
                   std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                   std::span<std::uint64_t> positions) {
  find_positions_interleaved<true>(index, patterns, intervals, candidates, positions);
}
void positions_other(const fm_index::view& index, const fm_patterns& patterns,
                     std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                     std::span<std::uint64_t> positions) {
  find_positions_interleaved<false>(index, patterns, intervals, candidates, positions);
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(intervals_dna);
HWY_EXPORT(intervals_other);
HWY_EXPORT(every_step_dna);
HWY_EXPORT(every_step_other);
HWY_EXPORT(positions_dna);
HWY_EXPORT(positions_other);

void find_intervals(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<fm_interval> intervals, const fm_kmers& kmers) {
  if (index.dna())
    HWY_DYNAMIC_DISPATCH(intervals_dna)(index, kmers, patterns, intervals);
  else
    HWY_DYNAMIC_DISPATCH(intervals_other)(index, kmers, patterns, intervals);
}

void take_every_step(const fm_index::view& index, const fm_patterns& patterns,
                     std::span<fm_interval> intervals) {
  if (index.dna())
    HWY_DYNAMIC_DISPATCH(every_step_dna)(index, patterns, intervals);
  else
    HWY_DYNAMIC_DISPATCH(every_step_other)(index, patterns, intervals);
}

void find_positions(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                    std::span<std::uint64_t> positions) {
  if (index.dna())
    HWY_DYNAMIC_DISPATCH(positions_dna)(index, patterns, intervals, candidates, positions);
  else
    HWY_DYNAMIC_DISPATCH(positions_other)(index, patterns, intervals, candidates, positions);
}

void find_positions_of_rows(const fm_index::view& index, std::span<const std::uint64_t> rows,
                            std::span<std::uint64_t> positions) {
  const std::uint64_t offsets[] = {0, 0}; // the rows are those of an empty pattern
  const fm_patterns empty(index, "", offsets);
  const fm_interval interval[1] = {};
  std::vector<fm_candidate> candidates;
  candidates.reserve(rows.size());
  for (const std::uint64_t row : rows) candidates.push_back({row, 0});
  find_positions(index, empty, interval, candidates, positions);
}

} // namespace weft::bwt_detail
#endif
