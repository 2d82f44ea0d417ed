// The plain version, for DNA:
//     for each row:
//         position = suffix_array[row]
//         if rate divides position: mark the row; append position / rate to the samples
//         if a segment begins at position: row is open, and no base precedes it
//         otherwise:                       text[position - 1] precedes it
//         the block of the row gets the base
// Departures: rows are marked in a pass before, so that each chunk of rows knows where its samples begin.
// There is no branch in a row: each row writes a sample, which the next one overwrites if the row is not
// marked. Open rows are looked for only in blocks of which a row lies in a stretch of the text in which a
// segment begins. The text is read far ahead of its use, packed, because more of it then fits in the cache.
#undef HWY_TARGET_INCLUDE
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/fm_row_scan.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <array>
#include <cstring>
#include <weft/bwt/cpu/fm_row_scan.hpp>
#include <weft/bwt/cpu/pack_bases-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The lowest two bits of the bases of 64 rows, a byte each: a word of their low bits and one of their high
// bits.
struct base_planes {
  std::uint64_t low = 0, high = 0;
};

#if HWY_TARGET == HWY_SCALAR // no vectors
inline base_planes planes_of(const std::uint8_t* bases) {
  base_planes planes;
  for (unsigned i = 0; i < 64; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bases + i, 8);
    planes.low |= static_cast<std::uint64_t>(gather_bits(eight & byte_ones)) << i;
    planes.high |= static_cast<std::uint64_t>(gather_bits(eight >> 1 & byte_ones)) << i;
  }
  return planes;
}

inline std::uint64_t pack_32_codes(const unsigned char* codes) { return packed_codes(codes, 32); }
#else
inline base_planes planes_of(const std::uint8_t* bases) {
  const byte_tag d;
  base_planes planes;
  std::array<std::uint8_t, 8> low{}, high{};
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto some = hn::LoadU(d, bases + i);
    hn::StoreMaskBits(d, hn::TestBit(some, hn::Set(d, 1)), low.data() + i / 8);
    hn::StoreMaskBits(d, hn::TestBit(some, hn::Set(d, 2)), high.data() + i / 8);
  }
  std::memcpy(&planes.low, low.data(), 8);
  std::memcpy(&planes.high, high.data(), 8);
  return planes;
}

// Returns 32 codes in 2 bits each, the first lowest.
inline std::uint64_t pack_32_codes(const unsigned char* codes) {
  const byte_tag d;
  return pack_32_bases(
      [&](std::size_t i) { return hn::SaturatedSub(hn::LoadU(d, codes + i), hn::Set(d, 1)); });
}
#endif

void pack_some_codes(std::span<const unsigned char> codes, std::span<std::uint64_t> words,
                     std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t w = first; w < last; ++w) {
    const std::uint64_t at = std::min<std::uint64_t>(codes.size(), w * 32), rest = codes.size() - at;
    words[w] = rest >= 32 ? pack_32_codes(codes.data() + at)
                          : packed_codes(codes.data() + at, static_cast<unsigned>(rest));
  }
}

// Returns a word with a bit for each of up to 64 rows, set if the rate divides its position.
template <class Index>
std::uint64_t mark_word(const row_scan<Index>& of, const Index* positions, std::uint64_t rows) {
  std::uint64_t word = 0;
  for (std::uint64_t i = 0; i < rows; ++i)
    word |= static_cast<std::uint64_t>(of.rate.is_quotient(of.rate.divide(positions[i]))) << i;
  return word;
}

template <class Index>
void mark_some_groups(const row_scan<Index>& of, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t g = first; g < last; ++g) {
    std::uint64_t ones = 0;
    for (std::uint64_t w = 8 * g; w < 8 * g + 8; ++w) {
      const std::uint64_t row = std::min(of.end(), w * 64),
                          rows = std::min<std::uint64_t>(of.end() - row, 64);
      const Index* const positions = of.suffixes.data() + (row - of.first_row);
      of.marks[w] = rows == 64 ? mark_word(of, positions, 64) : mark_word(of, positions, rows);
      ones += count_ones(of.marks[w]);
    }
    of.mark_counts[g] = ones;
  }
}

template <class Index, bool Dna> class chunk_scanner {
public:
  chunk_scanner(const row_scan<Index>& of, std::uint64_t first)
      : of_(of), sample_(of.samples.data() + of.mark_counts[first / 512]) {}

  void scan(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row += dna_block_rows) {
      const std::uint64_t end = std::min(last, row + dna_block_rows);
      if (end - row == dna_block_rows && end + ahead <= of_.end())
        scan_rows<true>(row, dna_block_rows);
      else
        scan_rows<false>(row, end - row);
    }
    // The block behind the last row is empty if all others are full.
    if (Dna && last - first < scan_chunk && last % dna_block_rows == 0) scan_rows<false>(last, 0);
  }

  typename row_scan<Index>::chunk_result result;

private:
  static constexpr std::uint64_t ahead = 128; // rows

  template <bool Prefetch> void scan_rows(std::uint64_t row, std::uint64_t rows) {
    const Index* const positions = of_.suffixes.data() + (row - of_.first_row);
    std::uint64_t may_be_open = 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
      const std::uint64_t position = positions[i];
      may_be_open |= of_.starts.may_contain(position);
      if constexpr (Dna) {
        if constexpr (Prefetch) __builtin_prefetch(of_.packed_text + positions[i + ahead] / 32);
        const std::uint64_t before = position - (position != 0 ? 1 : 0);
        bases_[i] = static_cast<std::uint8_t>(of_.packed_text[before / 32] >> (2 * (before % 32)));
      }
    }
    append_samples(positions, rows);
    std::uint32_t num_open = 0;
    if ((may_be_open & 1) != 0) num_open = append_open_rows(row, rows);
    if constexpr (Dna) write_block(row / dna_block_rows, rows, num_open);
  }

  void append_samples(const Index* positions, std::uint64_t rows) {
    std::array<Index, dna_block_rows + 1> samples;
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
      const Index quotient = of_.rate.divide(positions[i]);
      samples[count] = quotient;
      count += of_.rate.is_quotient(quotient) ? 1 : 0;
    }
    std::memcpy(sample_, samples.data(), count * sizeof(Index));
    sample_ += count;
  }

  std::uint32_t append_open_rows(std::uint64_t row, std::uint64_t rows) {
    std::uint32_t count = 0;
    for (std::uint64_t i = 0; i < rows; ++i) {
      const std::uint64_t position = of_.position(row + i);
      if ((of_.starts.may_contain(position) & 1) == 0 || !of_.starts.contains(position)) continue;
      result.open_rows.push_back(row + i);
      result.open_positions.push_back(position);
      bases_[i] = 0;
      ++count;
    }
    return count;
  }

  void write_block(std::uint64_t b, std::uint64_t rows, std::uint32_t num_open) {
    for (std::uint64_t i = rows; i < dna_block_rows; ++i) bases_[i] = 0;
    dna_block block;
    std::uint32_t low = 0, high = 0, both = 0;
    for (unsigned w = 0; w < 3; ++w) {
      const base_planes planes = planes_of(bases_.data() + 64 * std::size_t{w});
      block.low[w] = planes.low;
      block.high[w] = planes.high;
      low += count_ones(planes.low);
      high += count_ones(planes.high);
      both += count_ones(planes.low & planes.high);
    }
    const std::uint32_t with_base[4] = {static_cast<std::uint32_t>(rows) - low - high + both - num_open,
                                        low - both, high - both, both};
    for (unsigned base = 0; base < 4; ++base) {
      block.counts[base] = with_base[base];
      result.counts.of[base] += with_base[base];
    }
    if (num_open > 0) block.counts[0] |= dna_exception_flag;
    of_.blocks[b] = block;
  }

  const row_scan<Index>& of_;
  Index* sample_; // where the next one is written
  std::array<std::uint8_t, dna_block_rows> bases_{};
};

// HWY_EXPORT() does not accept templates, so each instantiation gets a function.
void mark_32(const row_scan<std::uint32_t>& of, std::uint64_t first, std::uint64_t last) {
  mark_some_groups(of, first, last);
}
void mark_64(const row_scan<std::uint64_t>& of, std::uint64_t first, std::uint64_t last) {
  mark_some_groups(of, first, last);
}
template <class Index>
typename row_scan<Index>::chunk_result scan_chunk_of(const row_scan<Index>& of, std::uint64_t first,
                                                     std::uint64_t last) {
  if (of.packed_text == nullptr) {
    chunk_scanner<Index, false> scanner(of, first);
    scanner.scan(first, last);
    return std::move(scanner.result);
  }
  chunk_scanner<Index, true> scanner(of, first);
  scanner.scan(first, last);
  return std::move(scanner.result);
}
row_scan<std::uint32_t>::chunk_result scan_32(const row_scan<std::uint32_t>& of, std::uint64_t first,
                                              std::uint64_t last) {
  return scan_chunk_of(of, first, last);
}
row_scan<std::uint64_t>::chunk_result scan_64(const row_scan<std::uint64_t>& of, std::uint64_t first,
                                              std::uint64_t last) {
  return scan_chunk_of(of, first, last);
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(mark_32);
HWY_EXPORT(mark_64);
HWY_EXPORT(scan_32);
HWY_EXPORT(scan_64);
HWY_EXPORT(pack_some_codes);

template <class Index> void row_scan<Index>::mark_groups(std::uint64_t first, std::uint64_t last) const {
  if constexpr (sizeof(Index) == 4)
    HWY_DYNAMIC_DISPATCH(mark_32)(*this, first, last);
  else
    HWY_DYNAMIC_DISPATCH(mark_64)(*this, first, last);
}

template <class Index>
typename row_scan<Index>::chunk_result row_scan<Index>::scan(std::uint64_t first, std::uint64_t last) const {
  if constexpr (sizeof(Index) == 4)
    return HWY_DYNAMIC_DISPATCH(scan_32)(*this, first, last);
  else
    return HWY_DYNAMIC_DISPATCH(scan_64)(*this, first, last);
}

template struct row_scan<std::uint32_t>;
template struct row_scan<std::uint64_t>;

void pack_codes(std::span<const unsigned char> codes, std::span<std::uint64_t> words, std::uint64_t first,
                std::uint64_t last) {
  HWY_DYNAMIC_DISPATCH(pack_some_codes)(codes, words, first, last);
}

} // namespace weft::bwt_detail
#endif
