#include <algorithm>
#include <cstring>
#include <utility>
#include <weft/bwt/cpu/near_scan.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t max_vector_bits = 2048; // a vector may be read at the last position of a block

// Returns the bits at the even places of a word, side by side.
std::uint64_t even_bits_of(std::uint64_t x) {
  x &= even_bits;
  x = (x | x >> 1) & 0x3333333333333333ULL;
  x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fULL;
  x = (x | x >> 4) & 0x00ff00ff00ff00ffULL;
  x = (x | x >> 8) & 0x0000ffff0000ffffULL;
  return (x | x >> 16) & 0xffffffffULL;
}

// Turns a matrix of 64 words of 64 bits: bit j of word i becomes bit i of word j (Warren, Hacker's Delight,
// 2nd ed., section 7-3).
void transpose_bits(std::uint64_t* words) {
  std::uint64_t mask = 0xffffffffULL;
  for (unsigned step = 32; step > 0; step /= 2, mask ^= mask << step)
    for (unsigned i = 0; i < 64; i = (i + step + 1) & ~step) {
      const std::uint64_t differ = (words[i] >> step ^ words[i + step]) & mask;
      words[i] ^= differ << step;
      words[i + step] ^= differ;
    }
}

// Returns the sets that letters of the strands stand for, except the empty one, in order.
template <class Strands> std::vector<unsigned> used_sets(const Strands& strands) {
  std::array<bool, 16> used{};
  for (const near_strand* strand : strands)
    for (std::uint64_t i = 0; i < strand->size; ++i) used[strand->sets[i]] = true;
  std::vector<unsigned> sets;
  for (unsigned set = 1; set < 16; ++set)
    if (used[set]) sets.push_back(set);
  return sets;
}

} // namespace

text_planes::text_planes(const fm_index::view& index, std::span<const near_strand> strands) : index_(index) {
  std::uint64_t longest = site_scan::max_size;
  std::vector<const near_strand*> pointers;
  for (const near_strand& strand : strands) {
    longest = std::max(longest, strand.size);
    pointers.push_back(&strand);
  }
  sets_ = used_sets(pointers);
  num_words_ = (near_scan_block + longest + max_vector_bits) / 64 + 2;
  planes_[0].resize(8 * num_words_);
  for (const unsigned set : sets_) planes_[set].resize(8 * num_words_);
}

void text_planes::load(std::uint64_t first) {
  for (auto& plane : bases_) plane.assign(num_words_ + 1, 0);
  letters_.assign(2 * num_words_ + 2, 0);
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
  is_base_.resize(num_words_ + 1);
  for (std::size_t w = 0; w <= num_words_; ++w)
    is_base_[w] = bases_[0][w] | bases_[1][w] | bases_[2][w] | bases_[3][w];
  for (const unsigned set : sets_) {
    std::vector<std::uint64_t>& plane = planes_[set];
    for (std::size_t w = 0; w < num_words_; ++w) {
      std::uint64_t match = 0;
      for (unsigned base = 0; base < 4; ++base)
        if ((set >> base & 1) != 0) match |= bases_[base][w];
      plane[w] = ~match;
    }
    for (unsigned shift = 1; shift < 8; ++shift)
      for (std::size_t w = 0; w + 1 < num_words_; ++w)
        plane[shift * num_words_ + w] = plane[w] >> shift | plane[w + 1] << (64 - shift);
  }
}

void text_planes::copy(std::uint64_t position, std::uint64_t to, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; i += 32) {
    const std::uint64_t rest = count - i;
    const std::uint64_t valid = rest >= 32 ? 0xffffffffULL : (std::uint64_t{1} << rest) - 1;
    std::uint64_t text = text_letters(index_.packed_text, position + i);
    if (rest < 32) text &= (std::uint64_t{1} << (2 * rest)) - 1;
    const std::uint64_t low = even_bits_of(text), high = even_bits_of(text >> 1);
    const std::array<std::uint64_t, 4> letters = {~low & ~high & valid, low & ~high & valid,
                                                  ~low & high & valid, low & high & valid};
    const std::uint64_t word = (to + i) / 64, shift = (to + i) % 64;
    for (unsigned base = 0; base < 4; ++base) {
      bases_[base][word] |= letters[base] << shift;
      if (shift > 32) bases_[base][word + 1] |= letters[base] >> (64 - shift);
    }
    const std::uint64_t pair = (to + i) / 32, pair_shift = 2 * ((to + i) % 32);
    letters_[pair] |= text << pair_shift;
    if (pair_shift > 0) letters_[pair + 1] |= text >> (64 - pair_shift);
  }
}

site_scan::site_scan(std::span<const near_strand* const> strands, unsigned max_distance, bool check_exact)
    : strands_(strands), max_distance_(max_distance), sets_(used_sets(strands)), sites_(near_scan_block / 64),
      letters_(num_sites), planes_(16 * max_size * (num_sites / 64)), is_base_(num_sites) {
  for (const near_strand* strand : strands) {
    longest_ = std::max(longest_, strand->size);
    near_scan_letters scanned;
    scanned.max_distance = max_distance;
    for (std::uint64_t i = 0; i < strand->size; ++i)
      if (strand->sets[i] == 0)
        --scanned.max_distance; // it matches nothing
      else if (check_exact || !strand->is_exact(i))
        (strand->is_exact(i) ? scanned.exact : scanned.counted)
            .push_back(reinterpret_cast<const std::uint8_t*>(plane(strand->sets[i], i)));
    while (scanned.counted.size() % 8 != 0) // the plane of the empty set stays without mismatches
      scanned.counted.push_back(reinterpret_cast<const std::uint8_t*>(plane(0, 0)));
    scanned_.push_back(std::move(scanned));
  }
  symbols_.reserve(num_sites);
}

std::span<const std::uint64_t> site_scan::match_exact(const text_planes& text) {
  std::fill(sites_.begin(), sites_.end(), ~std::uint64_t{0});
  const near_strand& strand = *strands_.front();
  for (std::uint64_t i = 0; i < strand.size; ++i) {
    if (!strand.is_exact(i)) continue;
    const std::uint8_t* const mismatches = text.letter(strand.sets[i], i);
    for (std::size_t w = 0; w < sites_.size(); ++w) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, mismatches + 8 * w, 8);
      sites_[w] &= ~bits;
    }
  }
  return sites_;
}

void site_scan::make_planes() {
  for (std::size_t w = 0; w < num_sites / 64; ++w) {
    std::array<std::uint64_t, 64> pairs{}, bases{};
    std::uint32_t all_bases = ~std::uint32_t{0};
    for (std::size_t i = 0; i < 64 && 64 * w + i < symbols_.size(); ++i) {
      pairs[i] = letters_[64 * w + i];
      bases[i] = is_base_[64 * w + i];
      all_bases &= is_base_[64 * w + i];
    }
    const bool full = 64 * (w + 1) <= symbols_.size();
    transpose_bits(pairs.data());
    if (full && all_bases == ~std::uint32_t{0})
      bases.fill(~std::uint64_t{0});
    else
      transpose_bits(bases.data());
    for (const unsigned set : sets_) {
      const std::array<std::uint64_t, 4> has = {0 - std::uint64_t{set & 1}, 0 - std::uint64_t{set >> 1 & 1},
                                                0 - std::uint64_t{set >> 2 & 1},
                                                0 - std::uint64_t{set >> 3 & 1}};
      for (std::uint64_t letter = 0; letter < longest_; ++letter) {
        const std::uint64_t low = pairs[2 * letter], high = pairs[2 * letter + 1];
        const std::uint64_t match =
            (has[0] & ~low & ~high) | (has[1] & low & ~high) | (has[2] & ~low & high) | (has[3] & low & high);
        plane(set, letter)[w] = ~(match & bases[letter]);
      }
    }
  }
}

} // namespace weft::bwt_detail
