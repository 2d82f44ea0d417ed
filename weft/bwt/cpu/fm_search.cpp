// The steps of core/fm_steps.hpp for many patterns.
//
// Each step waits for one line of memory. So a thread keeps `lanes` patterns (rows) under way, takes one step
// of each in turn, and asks for the line of its next step at once.
//
// Compiled for several instruction sets: counting ones is one instruction only from SSE4.2 on.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/fm_search.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <weft/base/error.hpp>
#include <weft/bwt/cpu/fm_search.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::detail::HWY_NAMESPACE {

constexpr std::size_t lanes = 32;

// Takes `tasks` tasks through start(lane, task) and step(lane), which return false once a lane's task is
// done.
template <class Lane, class Start, class Step> void interleave(std::uint64_t tasks, Start start, Step step) {
  std::array<Lane, lanes> team;
  std::size_t active = 0;
  std::uint64_t next = 0;
  const auto refill = [&](Lane& lane) {
    while (next < tasks)
      if (start(lane, next++)) return true;
    return false;
  };
  while (active < lanes && refill(team[active])) ++active;
  while (active > 0)
    for (std::size_t i = 0; i < active;) {
      if (step(team[i]) || refill(team[i]))
        ++i;
      else
        team[i] = team[--active];
    }
}

template <bool Dna>
void find_intervals(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<fm_interval> intervals) {
  struct lane {
    std::uint64_t pattern;
    fm_narrowing at;
  };
  const std::uint64_t k = index.kmer_size, cost = fm_narrowing::row_cost(index.sample_rate);
  const auto start = [&](lane& each, std::uint64_t p) {
    const std::uint64_t size = patterns.size(p);
    intervals[p] = {0, 0, 0};
    if (size == 0) return false;
    each = {p, {0, index.num_rows, size}};
    if (k > 0 && size >= k) {
      std::uint64_t kmer = 0;
      for (std::uint64_t i = size - k; i < size; ++i) kmer = kmer << 2 | (patterns.code<Dna>(p, i) - 1);
      // The place in the table, until the first step.
      each.at = {2 * kmer, no_position, size - k};
      index.kmers.prefetch(2 * kmer);
    }
    return true;
  };
  const auto step = [&](lane& each) {
    fm_narrowing& at = each.at;
    if (at.high == no_position) {
      const std::uint64_t place = at.low;
      at.low = index.kmers[place];
      at.high = index.kmers[place + 1];
    } else if (at.rest > 0 && at.low < at.high) {
      at.step<Dna>(index, patterns.code<Dna>(each.pattern, at.rest - 1));
    }
    if (at.goes_on(cost)) {
      index.prefetch<Dna>(at.low);
      index.prefetch<Dna>(at.high);
      return true;
    }
    intervals[each.pattern] = {at.low, at.high, at.rest};
    return false;
  };
  interleave<lane>(patterns.count(), start, step);
}

template <bool Dna>
void find_positions(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                    std::span<std::uint64_t> positions) {
  enum class phase { walk, mark, sample, compare };
  struct lane {
    std::uint64_t task, row, steps;
    phase next;
  };
  const auto start = [&](lane& each, std::uint64_t task) {
    each = {task, candidates[task].row, 0, phase::walk};
    index.prefetch<Dna>(each.row);
    __builtin_prefetch(index.marks + each.row / 64);
    return true;
  };
  const auto compare_next = [&](lane& each, std::uint64_t position) {
    each.row = position; // of the suffix, in the text
    each.next = phase::compare;
    const std::uint64_t rest = intervals[candidates[each.task].pattern].rest;
    if (Dna && rest > 0) __builtin_prefetch(index.packed_text + (position - std::min(position, rest)) / 32);
    return true;
  };
  const auto step = [&](lane& each) {
    if (each.next == phase::walk) {
      if (index.marked(each.row)) {
        __builtin_prefetch(index.mark_counts + each.row / 512);
        each.next = phase::mark;
        return true;
      }
      const std::uint64_t row = each.row;
      if (index.step_back<Dna>(each.row) == 0)
        return compare_next(each, index.open_position(row) + each.steps);
      if (++each.steps >= index.sample_rate || each.row >= index.num_rows)
        throw error(errc::invalid_input, "a damaged index: a row leads to no position");
      index.prefetch<Dna>(each.row);
      __builtin_prefetch(index.marks + each.row / 64);
      return true;
    }
    if (each.next == phase::mark) {
      each.row = index.marks_before(each.row);
      index.samples.prefetch(each.row);
      each.next = phase::sample;
      return true;
    }
    if (each.next == phase::sample)
      return compare_next(each, index.samples[each.row] * index.sample_rate + each.steps);
    const std::uint64_t p = candidates[each.task].pattern, rest = intervals[p].rest;
    if (each.row >= index.num_rows)
      throw error(errc::invalid_input, "a damaged index: a row leads to no position");
    const bool fits = each.row >= index.segment_of(each.row).start + rest;
    positions[each.task] =
        fits && patterns.at<Dna>(index, p, rest, each.row - rest) ? each.row - rest : no_position;
    return false;
  };
  interleave<lane>(candidates.size(), start, step);
}

void intervals_dna(const fm_index::view& index, const fm_patterns& patterns,
                   std::span<fm_interval> intervals) {
  find_intervals<true>(index, patterns, intervals);
}
void intervals_other(const fm_index::view& index, const fm_patterns& patterns,
                     std::span<fm_interval> intervals) {
  find_intervals<false>(index, patterns, intervals);
}
void positions_dna(const fm_index::view& index, const fm_patterns& patterns,
                   std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                   std::span<std::uint64_t> positions) {
  find_positions<true>(index, patterns, intervals, candidates, positions);
}
void positions_other(const fm_index::view& index, const fm_patterns& patterns,
                     std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                     std::span<std::uint64_t> positions) {
  find_positions<false>(index, patterns, intervals, candidates, positions);
}

} // namespace weft::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::detail {

HWY_EXPORT(intervals_dna);
HWY_EXPORT(intervals_other);
HWY_EXPORT(positions_dna);
HWY_EXPORT(positions_other);

void find_intervals(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<fm_interval> intervals) {
  if (index.dna())
    HWY_DYNAMIC_DISPATCH(intervals_dna)(index, patterns, intervals);
  else
    HWY_DYNAMIC_DISPATCH(intervals_other)(index, patterns, intervals);
}

void find_positions(const fm_index::view& index, const fm_patterns& patterns,
                    std::span<const fm_interval> intervals, std::span<const fm_candidate> candidates,
                    std::span<std::uint64_t> positions) {
  if (index.dna())
    HWY_DYNAMIC_DISPATCH(positions_dna)(index, patterns, intervals, candidates, positions);
  else
    HWY_DYNAMIC_DISPATCH(positions_other)(index, patterns, intervals, candidates, positions);
}

fm_patterns::fm_patterns(const fm_index::view& of, std::string_view text,
                         std::span<const std::uint64_t> offsets)
    : code_of_byte_(of.code_of_byte) {
  const std::uint64_t count = offsets.size() - 1;
  sizes_.reserve(count);
  begins_.reserve(count);
  if (of.dna()) words_.reserve((offsets.back() - offsets.front()) / 32 + 2 * count);
  for (std::uint64_t p = 0; p < count; ++p) {
    const std::string_view pattern = text.substr(offsets[p], offsets[p + 1] - offsets[p]);
    bool valid = true;
    if (of.dna()) {
      begins_.push_back(words_.size());
      words_.resize(words_.size() + pattern.size() / 32 + 1);
      std::uint64_t* words = words_.data() + begins_.back();
      std::uint64_t i = 0, letters = 0;
      for (; i + 8 <= pattern.size(); i += 8) {
        std::memcpy(&letters, pattern.data() + i, 8);
        words[i / 32] |= pack_letters(letters, valid) << (2 * (i % 32));
      }
      if (i < pattern.size()) {
        letters = 0x4141414141414141ULL; // A behind the end
        std::memcpy(&letters, pattern.data() + i, pattern.size() - i);
        words[i / 32] |= pack_letters(letters, valid) << (2 * (i % 32));
      }
    } else {
      begins_.push_back(letters_.size());
      for (char c : pattern) {
        if (of.header.alphabet == 1 && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        valid = valid && code_of_byte_[static_cast<unsigned char>(c)] != 0;
        letters_ += c;
      }
    }
    sizes_.push_back(valid ? pattern.size() : 0);
  }
}

} // namespace weft::detail
#endif
