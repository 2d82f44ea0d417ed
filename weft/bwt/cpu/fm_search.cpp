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
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/cpu/fm_search.hpp>
#include <weft/bwt/cpu/interleave-inl.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// pack_32() packs 32 letters into a word, 2 bits each, the first lowest, as pack_letters() does, and sets a
// bit of `wrong` if one of them is not a base. any() returns whether one was not.
#if HWY_TARGET == HWY_SCALAR // no vectors
using wrong_letters = bool;
inline bool no_wrong_letters() { return false; }
inline bool any(bool wrong) { return wrong; }

inline std::uint64_t pack_32(const char* from, bool& wrong) {
  std::uint64_t packed = 0;
  bool valid = true;
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t letters = 0;
    std::memcpy(&letters, from + 8 * i, 8);
    packed |= pack_letters(letters, valid) << (16 * i);
  }
  wrong = wrong || !valid;
  return packed;
}
#else
using byte_tag = hn::CappedTag<std::uint8_t, 32>;
using wrong_letters = hn::Vec<byte_tag>;
inline wrong_letters no_wrong_letters() { return hn::Zero(byte_tag()); }
inline bool any(wrong_letters wrong) { return !hn::AllTrue(byte_tag(), hn::Eq(wrong, no_wrong_letters())); }

// For the low half of a letter's byte: the code, and the only base with this low half. A letter that differs
// from that base, apart from the case, is not a base.
alignas(16) constexpr std::uint8_t code_of_low[16] = {0, 0, 1, 1, 3, 3, 2, 2, 0, 0, 1, 1, 3, 3, 2, 2};
alignas(16) constexpr std::uint8_t base_of_low[16] = {1, 'A', 0, 'C', 'T', 0, 0, 'G'};

inline std::uint64_t pack_32(const char* from, wrong_letters& wrong) {
  const byte_tag d;
  const hn::Repartition<std::uint32_t, byte_tag> d32;
  std::array<std::uint8_t, 8> packed;
  for (std::size_t i = 0; i < 32; i += hn::Lanes(d)) {
    const auto letters = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from) + i);
    const auto upper = hn::And(letters, hn::Set(d, 0xdf));
    const auto low = hn::And(letters, hn::Set(d, 0x0f));
    wrong = hn::Or(wrong, hn::Xor(upper, hn::TableLookupBytes(hn::LoadDup128(d, base_of_low), low)));
    const auto codes = hn::BitCast(d32, hn::TableLookupBytes(hn::LoadDup128(d, code_of_low), low));
    // The product has the codes of four letters side by side in its highest byte. The other products of a
    // code and a bit of the factor lie lower, where no two of them overlap, or are lost.
    const auto quads = hn::Mul(codes, hn::Set(d32, 1U << 24 | 1U << 18 | 1U << 12 | 1U << 6));
    hn::StoreU(hn::U8FromU32(hn::ShiftRight<24>(quads)), hn::Rebind<std::uint8_t, decltype(d32)>(),
               packed.data() + i / 4);
  }
  return std::bit_cast<std::uint64_t>(packed);
}
#endif

// Packs each pattern p into the words from begins[p] on, and sets its size to 0 if it has a letter that is
// not a base.
void pack_patterns(std::string_view text, std::span<const std::uint64_t> offsets,
                   std::span<const std::uint64_t> begins, std::uint64_t* words, std::uint64_t* sizes) {
  for (std::size_t p = 0; p < begins.size(); ++p) {
    const std::uint64_t size = offsets[p + 1] - offsets[p];
    const char* from = text.data() + offsets[p];
    std::uint64_t* to = words + begins[p];
    wrong_letters wrong = no_wrong_letters();
    for (std::uint64_t i = 0; i + 32 <= size; i += 32) *to++ = pack_32(from + i, wrong);
    if (const std::uint64_t rest = size % 32; rest > 0 && size > 32) {
      // Packs the last 32 letters, the first of which the word before has already.
      *to = pack_32(from + size - 32, wrong) >> (2 * (32 - rest));
    } else if (rest > 0) {
      std::array<char, 32> last;
      last.fill('A'); // fills the word after the end of the pattern
      std::memcpy(last.data(), from, rest);
      *to = pack_32(last.data(), wrong);
    }
    sizes[p] = any(wrong) ? 0 : size;
  }
}

template <bool Dna>
void find_intervals_interleaved(const fm_index::view& index, const fm_patterns& patterns,
                                std::span<fm_interval> intervals) {
  // Before its first step, a lane may hold the index of its k-mer's entry in the table instead of rows: then
  // `state.low` is this index, and `state.high` is no_position.
  struct pattern_lane {
    std::uint64_t pattern;
    fm_narrowing state;
    [[nodiscard]] bool reads_kmer_table() const { return state.high == no_position; }
  };
  const std::uint64_t k = index.kmer_size, cost = fm_narrowing::row_cost(index.sample_rate);
  const auto start = [&](pattern_lane& lane, std::uint64_t p) {
    const std::uint64_t size = patterns.size(p);
    intervals[p] = {0, 0, 0};
    if (size == 0) return false;
    lane = {p, {0, index.num_rows, size}};
    if (k > 0 && size >= k) {
      const std::uint64_t kmer = patterns.last_letters(p, k);
      lane.state = {2 * kmer, no_position, size - k};
      index.kmers.prefetch(2 * kmer);
    }
    return true;
  };
  const auto step = [&](pattern_lane& lane) {
    fm_narrowing& state = lane.state;
    if (lane.reads_kmer_table()) {
      const std::uint64_t entry = state.low;
      state.low = index.kmers[entry];
      state.high = index.kmers[entry + 1];
    } else if (state.unmatched > 0 && state.low < state.high) {
      state.step<Dna>(index, patterns.code<Dna>(lane.pattern, state.unmatched - 1));
    }
    if (state.should_narrow(cost)) {
      index.prefetch<Dna>(state.low);
      index.prefetch<Dna>(state.high);
      return true;
    }
    intervals[lane.pattern] = {state.low, state.high, state.unmatched};
    return false;
  };
  interleave<pattern_lane>(patterns.count(), start, step);
}

template <bool Dna>
void find_positions_interleaved(const fm_index::view& index, const fm_patterns& patterns,
                                std::span<const fm_interval> intervals,
                                std::span<const fm_candidate> candidates,
                                std::span<std::uint64_t> positions) {
  enum class phase { walk, mark, sample, compare };
  struct row_lane {
    std::uint64_t task;  // index of the candidate
    std::uint64_t row;   // becomes the index of a sample and then the text position of the suffix
    std::uint64_t steps; // number of symbols that the walk has gone back
    phase next;
  };
  const auto start = [&](row_lane& lane, std::uint64_t task) {
    lane = {task, candidates[task].row, 0, phase::walk};
    index.prefetch<Dna>(lane.row);
    __builtin_prefetch(index.marks + lane.row / 64);
    return true;
  };
  const auto compare_next = [&](row_lane& lane, std::uint64_t position) {
    lane.row = position; // now the text position of the suffix
    lane.next = phase::compare;
    const std::uint64_t unmatched = intervals[candidates[lane.task].pattern].unmatched;
    if (Dna && unmatched > 0)
      __builtin_prefetch(index.packed_text + (position - std::min(position, unmatched)) / 32);
    return true;
  };
  const auto step = [&](row_lane& lane) {
    if (lane.next == phase::walk) {
      if (index.marked(lane.row)) {
        __builtin_prefetch(index.mark_counts + lane.row / 512);
        lane.next = phase::mark;
        return true;
      }
      const std::uint64_t row = lane.row;
      if (index.step_back<Dna>(lane.row) == 0)
        return compare_next(lane, index.open_position(row) + lane.steps);
      if (++lane.steps >= index.sample_rate || lane.row >= index.num_rows) refuse_damaged_index();
      index.prefetch<Dna>(lane.row);
      __builtin_prefetch(index.marks + lane.row / 64);
      return true;
    }
    if (lane.next == phase::mark) {
      lane.row = index.marks_before(lane.row);
      index.samples.prefetch(lane.row);
      lane.next = phase::sample;
      return true;
    }
    if (lane.next == phase::sample)
      return compare_next(lane, index.samples[lane.row] * index.sample_rate + lane.steps);
    const std::uint64_t p = candidates[lane.task].pattern, unmatched = intervals[p].unmatched;
    if (lane.row >= index.num_rows) refuse_damaged_index();
    const bool fits = lane.row >= index.segment_of(lane.row).start + unmatched;
    positions[lane.task] = fits && patterns.begins_at<Dna>(index, p, unmatched, lane.row - unmatched)
                               ? lane.row - unmatched
                               : no_position;
    return false;
  };
  interleave<row_lane>(candidates.size(), start, step);
}

// HWY_EXPORT() does not accept templates, so each instantiation gets a function.
void intervals_dna(const fm_index::view& index, const fm_patterns& patterns,
                   std::span<fm_interval> intervals) {
  find_intervals_interleaved<true>(index, patterns, intervals);
}
void intervals_other(const fm_index::view& index, const fm_patterns& patterns,
                     std::span<fm_interval> intervals) {
  find_intervals_interleaved<false>(index, patterns, intervals);
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
HWY_EXPORT(positions_dna);
HWY_EXPORT(positions_other);
HWY_EXPORT(pack_patterns);

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

fm_patterns::fm_patterns(const fm_index::view& index, std::string_view text,
                         std::span<const std::uint64_t> offsets)
    : code_of_byte_(index.code_of_byte) {
  const std::uint64_t count = offsets.size() - 1;
  sizes_.resize(count);
  begins_.resize(count);
  if (index.dna()) {
    std::uint64_t words = 0;
    for (std::uint64_t p = 0; p < count; ++p) {
      begins_[p] = words;
      words += (offsets[p + 1] - offsets[p]) / 32 + 1;
    }
    words_.resize(words);
    HWY_DYNAMIC_DISPATCH(pack_patterns)(text, offsets, begins_, words_.data(), sizes_.data());
    return;
  }
  letters_.reserve(offsets.back() - offsets.front());
  for (std::uint64_t p = 0; p < count; ++p) {
    const std::string_view pattern = text.substr(offsets[p], offsets[p + 1] - offsets[p]);
    bool valid = true;
    begins_[p] = letters_.size();
    for (char c : pattern) {
      if (index.header.alphabet == 1 && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      valid = valid && code_of_byte_[static_cast<unsigned char>(c)] != 0;
      letters_ += c;
    }
    sizes_[p] = valid ? pattern.size() : 0;
  }
}

} // namespace weft::bwt_detail
#endif
