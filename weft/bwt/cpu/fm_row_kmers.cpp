// Reads the packed text for an index that several processes make: unpacks its bases, and computes the table
// of k-mers from sorted rows. The plain version:
//     for each row: for each entry from the class of the row before up to that of the row: entry = row
// Departures: most rows begin as the row before, so the class is computed only if the bits differ. Threads
// write the entries of the rows of a chunk. The text is read far ahead of its use.
#include <algorithm>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/fm_rows.hpp>

namespace weft::bwt_detail {

void unpack_bases(const suffix_string& text, std::span<std::uint64_t> words, const run_options& run) {
  const std::uint64_t bits = text.bits();
  std::uint64_t base_of[8] = {};
  for (unsigned code = 0; code < 8; ++code) // of a separator: A
    base_of[code] = text.symbols()[code] - std::min<std::uint64_t>(1, text.symbols()[code]);
  parallel_for(0, words.size(), 1 << 12, run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t w = first; w < last; ++w) {
      std::uint64_t word = 0;
      const std::uint64_t begin = std::min(text.size(), w * 32), end = std::min(text.size(), begin + 32);
      for (std::uint64_t i = begin; i < end; i += 16) {
        const std::uint64_t window = text.from(i * bits); // of 16 symbols
        for (std::uint64_t k = 0; k < std::min<std::uint64_t>(16, end - i); ++k)
          word |= base_of[window << (k * bits) >> (64 - bits)] << (2 * (i - begin + k));
      }
      words[w] = word;
    }
  });
}

kmer_classes::kmer_classes(const suffix_string& text, std::uint32_t k)
    : text_(text), k_(k), shift_(64 - k * text.bits()) {}

std::uint64_t kmer_classes::of_window(std::uint64_t bits) const {
  const std::uint64_t mask = (std::uint64_t{1} << text_.bits()) - 1;
  std::uint64_t kmer = 0;
  for (std::uint32_t i = 0; i < k_; ++i) {
    const unsigned code = text_.symbols()[bits >> (k_ - 1 - i) * text_.bits() & mask];
    if (code == 0) return kmer << (2 * (k_ - i)) << 1; // a separator
    kmer = kmer << 2 | (code - 1);
  }
  return kmer << 1 | 1;
}

template <class Index>
void kmer_classes::write_entries(std::span<const Index> suffixes, std::uint64_t first_row,
                                 std::uint64_t before, std::span<Index> table, const run_options& run) const {
  constexpr std::uint64_t chunk = std::uint64_t{1} << 16, ahead = 32;
  parallel_for(0, suffixes.size(), chunk, run, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t bits = first > 0 ? window(suffixes[first - 1]) : 0;
    std::uint64_t at = first > 0 ? of_window(bits) : before;
    for (std::uint64_t i = first; i < last; ++i) {
      if (i + ahead < last) text_.prefetch(suffixes[i + ahead] * text_.bits());
      const std::uint64_t own = window(suffixes[i]);
      if (own == bits && i > 0) continue;
      bits = own;
      for (const std::uint64_t end = of_window(bits); at < end; ++at)
        table[at - before] = static_cast<Index>(first_row + i);
    }
  });
}

template void kmer_classes::write_entries(std::span<const std::uint32_t>, std::uint64_t, std::uint64_t,
                                          std::span<std::uint32_t>, const run_options&) const;
template void kmer_classes::write_entries(std::span<const std::uint64_t>, std::uint64_t, std::uint64_t,
                                          std::span<std::uint64_t>, const run_options&) const;

} // namespace weft::bwt_detail
