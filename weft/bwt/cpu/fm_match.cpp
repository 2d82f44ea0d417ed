// The steps of match_finder that wait for memory, for many anchors and rows at a time: see fm_search.cpp.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/fm_match.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <weft/bwt/core/fm_steps.hpp>
#include <weft/bwt/cpu/fm_match.hpp>
#include <weft/bwt/cpu/interleave-inl.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

void narrow_interleaved(const fm_index::view& index, const std::uint64_t* words,
                        std::span<match_anchor> anchors) {
  // Before its first step, a lane may hold the index of its k-mer's entry in the table instead of rows: then
  // `state.low` is this index, and `state.high` is no_position.
  struct anchor_lane {
    std::uint64_t anchor;
    fm_narrowing state;
  };
  const std::uint64_t k = index.kmer_size, cost = fm_narrowing::row_cost(index.sample_rate);
  const auto start = [&](anchor_lane& lane, std::uint64_t i) {
    const match_anchor& anchor = anchors[i];
    lane = {i, {0, index.num_rows, anchor.length}};
    if (k > 0 && anchor.length >= k) {
      const std::uint64_t kmer = kmer_at(words, anchor.begin + anchor.length - k, k);
      lane.state = {2 * kmer, no_position, anchor.length - k};
      index.kmers.prefetch(2 * kmer);
    }
    return true;
  };
  const auto step = [&](anchor_lane& lane) {
    fm_narrowing& state = lane.state;
    match_anchor& anchor = anchors[lane.anchor];
    if (state.high == no_position) {
      const std::uint64_t entry = state.low;
      state.low = index.kmers[entry];
      state.high = index.kmers[entry + 1];
    } else if (state.unmatched > 0 && state.low < state.high) {
      state.step<true>(index, code_at(words, anchor.begin + state.unmatched - 1));
    }
    if (state.should_narrow(cost)) {
      index.prefetch<true>(state.low);
      index.prefetch<true>(state.high);
      return true;
    }
    if (state.low >= state.high) return false;
    anchor.begin += state.unmatched;
    anchor.length -= state.unmatched;
    anchor.min_left += state.unmatched;
    anchor.max_left += state.unmatched;
    anchor.low = state.low;
    anchor.high = state.high;
    return false;
  };
  interleave<anchor_lane>(anchors.size(), start, step);
}

void rows_of_letters(const fm_index::view& index, const std::uint64_t* words, std::uint64_t begin,
                     std::uint64_t length, std::uint64_t min_rows,
                     std::pair<std::uint64_t, std::uint64_t>& rows) {
  const std::uint64_t k = index.kmer_size;
  rows = {0, index.num_rows};
  if (k > 0 && length >= k) {
    length -= k;
    const std::uint64_t entry = 2 * kmer_at(words, begin + length, k);
    rows = {index.kmers[entry], index.kmers[entry + 1]};
  }
  for (; rows.second - rows.first >= min_rows && length > 0; --length)
    index.narrow<true>(code_at(words, begin + length - 1), rows.first, rows.second);
  if (rows.second - rows.first < min_rows) rows = {0, 0};
}

void locate_interleaved(const fm_index::view& index, std::span<std::uint64_t> rows) {
  enum class phase { walk, mark, sample };
  struct row_lane {
    std::uint64_t task, row, steps; // `row` becomes the index of a sample
    phase next;
  };
  const auto start = [&](row_lane& lane, std::uint64_t task) {
    lane = {task, rows[task], 0, phase::walk};
    index.prefetch<true>(lane.row);
    prefetch_line(index.marks + lane.row / 64);
    return true;
  };
  const auto finish = [&](row_lane& lane, std::uint64_t position) {
    if (position >= index.num_rows) refuse_damaged_index();
    rows[lane.task] = position;
    prefetch_line(index.packed_text + position / 32);
    return false;
  };
  const auto step = [&](row_lane& lane) {
    if (lane.next == phase::walk) {
      if (index.marked(lane.row)) {
        prefetch_line(index.mark_counts + lane.row / 512);
        lane.next = phase::mark;
        return true;
      }
      const std::uint64_t row = lane.row;
      if (index.step_back<true>(lane.row) == 0) return finish(lane, index.open_position(row) + lane.steps);
      if (++lane.steps >= index.sample_rate || lane.row >= index.num_rows) refuse_damaged_index();
      index.prefetch<true>(lane.row);
      prefetch_line(index.marks + lane.row / 64);
      return true;
    }
    if (lane.next == phase::mark) {
      lane.row = index.marks_before(lane.row);
      index.samples.prefetch(lane.row);
      lane.next = phase::sample;
      return true;
    }
    return finish(lane, index.samples[lane.row] * index.sample_rate + lane.steps);
  };
  interleave<row_lane>(rows.size(), start, step);
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(narrow_interleaved);
HWY_EXPORT(rows_of_letters);
HWY_EXPORT(locate_interleaved);

void narrow_anchors(const fm_index::view& index, const std::uint64_t* words,
                    std::span<match_anchor> anchors) {
  HWY_DYNAMIC_DISPATCH(narrow_interleaved)(index, words, anchors);
}

std::pair<std::uint64_t, std::uint64_t> rows_of(const fm_index::view& index, const std::uint64_t* words,
                                                std::uint64_t begin, std::uint64_t length,
                                                std::uint64_t min_rows) {
  std::pair<std::uint64_t, std::uint64_t> rows;
  HWY_DYNAMIC_DISPATCH(rows_of_letters)(index, words, begin, length, min_rows, rows);
  return rows;
}

void locate_rows(const fm_index::view& index, std::span<std::uint64_t> rows) {
  HWY_DYNAMIC_DISPATCH(locate_interleaved)(index, rows);
}

} // namespace weft::bwt_detail
#endif
