// Search with mismatches by a scan of the whole text. The plain version:
//     for each position of each record:  mismatches = 0
//         for each letter of the strand:  if it does not match the text there, ++mismatches
//         report the position if mismatches <= max_distance
// Differences from the plain version: positions are the bits of vectors. For each set of bases that a letter
// of a pattern can stand for, a plane has a bit for each position of the text, which is set if the text does
// not match there. A letter adds its plane, shifted by its place in the pattern, to counters of four bits for
// all positions of a vector: eight letters at a time, by seven full adders, each of which adds three bits
// (Harley & Seal's counting of ones: Warren, Hacker's Delight, 2nd ed., section 5-1). The counters begin with
// 15 - max_distance, so that the first carry out of them says that there are too many. Each plane is kept
// in eight copies, shifted by 0 to 7 bits, so that no other shift is needed.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/near_scan.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/near_errors.hpp>
#include <weft/bwt/cpu/near_search.hpp>

#ifndef WEFT_NEAR_SCAN_TYPES
#define WEFT_NEAR_SCAN_TYPES
namespace weft::bwt_detail {

// The planes that the letters of a strand read at the first position of a block.
struct near_scan_letters {
  std::vector<const std::uint8_t*> counted; // a multiple of 8; their mismatches are counted
  std::vector<const std::uint8_t*> exact;   // must match
  unsigned max_distance = 0;
};

// A position of a block that is a hit, and its number of mismatches.
struct near_scan_hit {
  std::uint32_t position, mismatches;
};

constexpr std::uint64_t near_scan_block = 1 << 13; // positions of a block

} // namespace weft::bwt_detail
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using byte_tag = hn::ScalableTag<std::uint8_t>;
using bits = hn::Vec<byte_tag>;

// Counters of four bits for the positions of a vector.
struct counters {
  bits ones, twos, fours, eights, overflow;
};

// Replaces a by the lowest bit of a + b + c, and returns the higher bit.
HWY_INLINE bits full_add(bits& a, bits b, bits c) {
  const bits either = hn::Xor(a, b), carry = hn::Or(hn::And(a, b), hn::And(either, c));
  a = hn::Xor(either, c);
  return carry;
}

// Adds the bits of eight planes, `at` bytes behind their pointers.
HWY_INLINE void add_eight(counters& sum, const std::uint8_t* const* planes, std::size_t at) {
  const byte_tag d;
  const auto plane = [&](int i) { return hn::LoadU(d, planes[i] + at); };
  const bits twos_a = full_add(sum.ones, plane(0), plane(1)), twos_b = full_add(sum.ones, plane(2), plane(3));
  const bits fours_a = full_add(sum.twos, twos_a, twos_b);
  const bits twos_c = full_add(sum.ones, plane(4), plane(5)), twos_d = full_add(sum.ones, plane(6), plane(7));
  const bits fours_b = full_add(sum.twos, twos_c, twos_d);
  const bits eights = full_add(sum.fours, fours_a, fours_b);
  sum.overflow = hn::Or(sum.overflow, hn::And(sum.eights, eights));
  sum.eights = hn::Xor(sum.eights, eights);
}

HWY_INLINE bits all_if(bool set) { return hn::Set(byte_tag(), set ? std::uint8_t{0xff} : std::uint8_t{0}); }

// Appends the hits among the positions of a vector.
void list_hits(const counters& sum, std::size_t at, unsigned start, std::vector<near_scan_hit>& hits) {
  const byte_tag d;
  constexpr std::size_t max_bytes = HWY_MAX_BYTES;
  alignas(HWY_MAX_BYTES) std::uint8_t ones[max_bytes], twos[max_bytes], fours[max_bytes], eights[max_bytes],
      found[max_bytes];
  hn::Store(sum.ones, d, ones);
  hn::Store(sum.twos, d, twos);
  hn::Store(sum.fours, d, fours);
  hn::Store(sum.eights, d, eights);
  hn::Store(hn::Not(sum.overflow), d, found);
  for (std::size_t byte = 0; byte < hn::Lanes(d); ++byte)
    for (unsigned left = found[byte]; left != 0; left &= left - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(left));
      const auto of = [&](const std::uint8_t* plane) { return plane[byte] >> bit & 1U; };
      const unsigned count = of(ones) + 2 * of(twos) + 4 * of(fours) + 8 * of(eights);
      hits.push_back({static_cast<std::uint32_t>(8 * (at + byte)) + bit, count - start});
    }
}

// Appends the hits of a strand in a block.
void scan_block(const near_scan_letters& letters, std::vector<near_scan_hit>& hits) {
  const byte_tag d;
  const unsigned start = 15 - letters.max_distance;
  for (std::size_t at = 0; at < near_scan_block / 8; at += hn::Lanes(d)) {
    counters sum{all_if((start & 1) != 0), all_if((start & 2) != 0), all_if((start & 4) != 0),
                 all_if((start & 8) != 0), hn::Zero(d)};
    for (const std::uint8_t* plane : letters.exact)
      sum.overflow = hn::Or(sum.overflow, hn::LoadU(d, plane + at));
    bool any = true;
    for (std::size_t i = 0; any && i < letters.counted.size(); i += 8) {
      add_eight(sum, letters.counted.data() + i, at);
      any = !hn::AllTrue(d, hn::Eq(sum.overflow, all_if(true)));
    }
    if (any) list_hits(sum, at, start, hits);
  }
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(scan_block);

namespace {

constexpr std::uint64_t range_blocks = 32; // blocks that a thread takes at a time

// Returns the bits at the even places of a word, side by side.
std::uint64_t even_bits_of(std::uint64_t x) {
  x &= even_bits;
  x = (x | x >> 1) & 0x3333333333333333ULL;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fULL;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffULL;
  x = (x | x >> 8) & 0x0000ffff0000ffffULL;
  return (x | x >> 16) & 0xffffffffULL;
}

// The planes of a block of the text: of its positions, and of as many behind it as a strand has letters.
class text_planes {
public:
  text_planes(const fm_index::view& index, std::span<const near_strand> strands) : index_(index) {
    std::uint64_t longest = 0;
    std::array<bool, 16> used{};
    for (const near_strand& strand : strands) {
      longest = std::max(longest, strand.size);
      for (std::uint64_t i = 0; i < strand.size; ++i) used[strand.sets[i]] = true;
    }
    for (unsigned set = 1; set < 16; ++set)
      if (used[set]) sets_.push_back(set);
    num_words_ = (near_scan_block + longest + HWY_MAX_BYTES * 8) / 64 + 2;
    for (unsigned set = 0; set < 16; ++set)
      if (used[set] || set == 0) planes_[set].resize(8 * num_words_);
  }

  // Returns where letter i of a strand, which stands for `set`, reads the first position of the block.
  [[nodiscard]] const std::uint8_t* letter(unsigned set, std::uint64_t i) const {
    return reinterpret_cast<const std::uint8_t*>(planes_[set].data() + i % 8 * num_words_) + i / 8;
  }
  // Returns a plane without mismatches.
  [[nodiscard]] const std::uint8_t* zeros() const {
    return reinterpret_cast<const std::uint8_t*>(planes_[0].data());
  }

  // Makes the planes of the block that begins with symbol `first` of all records.
  void load(std::uint64_t first) {
    std::array<std::vector<std::uint64_t>, 4>& bases = bases_;
    for (auto& plane : bases) plane.assign(num_words_ + 1, 0);
    const auto begin_of = [&](const fm_segment& s) { return index_.record_offsets[s.record] + s.begin; };
    std::uint64_t s = count_leading(index_.segments.items, index_.segments.count,
                                    [&](const fm_segment& x) { return begin_of(x) <= first; });
    if (s > 0) --s;
    const std::uint64_t end = first + 64 * (num_words_ - 1);
    for (; s < index_.segments.size() && begin_of(index_.segments[s]) < end; ++s) {
      const fm_segment& segment = index_.segments[s];
      const std::uint64_t next =
          s + 1 < index_.segments.size() ? index_.segments[s + 1].start : index_.num_rows;
      const std::uint64_t from = std::max(begin_of(segment), first),
                          to = std::min(begin_of(segment) + (next - 1 - segment.start), end);
      if (from < to) copy(segment.start + (from - begin_of(segment)), from - first, to - from);
    }
    for (const unsigned set : sets_) {
      std::vector<std::uint64_t>& plane = planes_[set];
      for (std::size_t w = 0; w < num_words_; ++w) {
        std::uint64_t match = 0;
        for (unsigned base = 0; base < 4; ++base)
          if ((set >> base & 1) != 0) match |= bases[base][w];
        plane[w] = ~match;
      }
      for (unsigned shift = 1; shift < 8; ++shift)
        for (std::size_t w = 0; w + 1 < num_words_; ++w)
          plane[shift * num_words_ + w] = plane[w] >> shift | plane[w + 1] << (64 - shift);
    }
  }

private:
  // Sets the bits from `to` on for `count` letters of the packed text from `position` on.
  void copy(std::uint64_t position, std::uint64_t to, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; i += 32) {
      const std::uint64_t text = text_letters(index_.packed_text, position + i);
      const std::uint64_t low = even_bits_of(text), high = even_bits_of(text >> 1);
      const std::uint64_t valid = count - i >= 32 ? 0xffffffffULL : (std::uint64_t{1} << (count - i)) - 1;
      const std::array<std::uint64_t, 4> letters = {~low & ~high & valid, low & ~high & valid,
                                                    ~low & high & valid, low & high & valid};
      const std::uint64_t word = (to + i) / 64, shift = (to + i) % 64;
      for (unsigned base = 0; base < 4; ++base) {
        bases_[base][word] |= letters[base] << shift;
        if (shift > 32) bases_[base][word + 1] |= letters[base] >> (64 - shift);
      }
    }
  }

  const fm_index::view& index_;
  std::vector<unsigned> sets_;
  std::size_t num_words_ = 0;
  std::array<std::vector<std::uint64_t>, 4> bases_;   // a bit is set where the text has the base
  std::array<std::vector<std::uint64_t>, 16> planes_; // eight copies for each set
};

near_scan_letters letters_of(const near_strand& strand, const text_planes& planes, unsigned max_distance) {
  near_scan_letters letters;
  unsigned num_wrong = 0; // letters that match nothing
  for (std::uint64_t i = 0; i < strand.size; ++i)
    if (strand.sets[i] == 0)
      ++num_wrong;
    else
      (strand.is_exact(i) ? letters.exact : letters.counted).push_back(planes.letter(strand.sets[i], i));
  while (letters.counted.size() % 8 != 0) letters.counted.push_back(planes.zeros());
  letters.max_distance = max_distance - num_wrong;
  return letters;
}

// Scans blocks [first, last) of the text.
void scan_blocks(const fm_index::view& index, std::span<const near_strand> strands, unsigned max_distance,
                 std::uint64_t first, std::uint64_t last, near_collector& to) {
  text_planes planes(index, strands);
  std::vector<near_scan_letters> letters;
  letters.reserve(strands.size());
  for (const near_strand& strand : strands) letters.push_back(letters_of(strand, planes, max_distance));
  std::vector<near_scan_hit> found;
  std::vector<near_hit> hits;
  const std::span<const std::uint64_t> records = index.record_offsets;
  for (std::uint64_t block = first; block < last; ++block) {
    planes.load(block * near_scan_block);
    for (std::size_t s = 0; s < strands.size(); ++s) {
      HWY_DYNAMIC_DISPATCH(scan_block)(letters[s], found);
      for (const near_scan_hit& hit : found) {
        const std::uint64_t symbol = block * near_scan_block + hit.position;
        const auto after = std::upper_bound(records.begin(), records.end(), symbol);
        if (after == records.end() || symbol + strands[s].size > *after) continue; // not within a record
        hits.push_back({strands[s].pattern, static_cast<std::uint64_t>(after - records.begin()) - 1,
                        symbol - after[-1], symbol - after[-1] + strands[s].size,
                        static_cast<std::uint8_t>(hit.mismatches + max_distance - letters[s].max_distance),
                        strands[s].reverse});
      }
      found.clear();
    }
    to.add(hits);
  }
}

} // namespace

double scan_cost(std::uint64_t num_symbols, const near_strand& strand, near_metric metric) {
  constexpr double letter_cost = 0.0015, load_cost = 0.02, word_cost = 3; // nanoseconds a symbol
  constexpr std::uint64_t max_letters = 24; // most positions have too many mismatches then
  const double cost = metric == near_metric::errors
                          ? word_cost * static_cast<double>((strand.size + 63) / 64)
                          : letter_cost * static_cast<double>(std::min(strand.size, max_letters)) + load_cost;
  return cost * static_cast<double>(num_symbols);
}

void search_by_scan(const fm_index::view& index, std::span<const near_strand> strands,
                    const near_options& options, near_collector& to) {
  if (strands.empty()) return;
  if (options.metric == near_metric::errors) {
    parallel_for(0, strands.size(), 1, options.run, [&](std::uint64_t s, std::uint64_t) {
      std::vector<near_hit> hits;
      error_search(index, options.max_distance, options.all_ends).search_all(strands[s], hits);
      to.add(hits);
    });
    return;
  }
  const std::uint64_t blocks = (index.record_offsets.back() + near_scan_block - 1) / near_scan_block;
  parallel_for(0, blocks, range_blocks, options.run, [&](std::uint64_t first, std::uint64_t last) {
    scan_blocks(index, strands, options.max_distance, first, last, to);
  });
}

} // namespace weft::bwt_detail
#endif
