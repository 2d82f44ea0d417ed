// The plain version: the rows of a k-mer are those of its last k - 1 letters, narrowed by its first letter.
// The table is made in place, longer by one letter at a time: the number of a k-mer is the number of its last
// letters plus its first letter times 4^(k - 1), so that the entry of k - 1 letters is the one of A and these
// letters, too. K-mers are taken in their order, which is that of their rows, so that the ranks are read in
// four streams.
#define HWY_DISABLED_TARGETS                                                                                 \
  (HWY_SSSE3 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/bwt/cpu/fm_kmers.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/fm_kmers.hpp>

HWY_BEFORE_NAMESPACE();
namespace weft::bwt_detail::HWY_NAMESPACE {

// Replaces the entries [first, last) of a table of k-mers by those of these k-mers with A before them, and
// writes those with another base before them.
template <class Index>
void prepend_bases(const fm_parts& index, Index* rows, std::uint32_t k, std::uint64_t first,
                   std::uint64_t last) {
  for (std::uint64_t kmer = first; kmer < last; ++kmer) {
    const std::uint64_t low = rows[2 * kmer], high = rows[2 * kmer + 1];
    for (std::uint64_t base = 0; base < 4; ++base) {
      std::uint64_t base_low = low, base_high = high;
      index.narrow<true>(static_cast<unsigned>(base) + 1, base_low, base_high);
      const std::uint64_t entry = 2 * (kmer + (base << (2 * k)));
      rows[entry] = static_cast<Index>(base_low);
      rows[entry + 1] = static_cast<Index>(base_high);
    }
  }
}

// HWY_EXPORT() does not accept templates, so each instantiation gets a function.
void prepend_32(const fm_parts& index, std::uint32_t* rows, std::uint32_t k, std::uint64_t first,
                std::uint64_t last) {
  prepend_bases(index, rows, k, first, last);
}
void prepend_64(const fm_parts& index, std::uint64_t* rows, std::uint32_t k, std::uint64_t first,
                std::uint64_t last) {
  prepend_bases(index, rows, k, first, last);
}

} // namespace weft::bwt_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bwt_detail {

HWY_EXPORT(prepend_32);
HWY_EXPORT(prepend_64);

namespace {

template <class Index>
void prepend(const fm_parts& index, Index* rows, std::uint32_t k, std::uint64_t first, std::uint64_t last) {
  if constexpr (sizeof(Index) == 4)
    HWY_DYNAMIC_DISPATCH(prepend_32)(index, rows, k, first, last);
  else
    HWY_DYNAMIC_DISPATCH(prepend_64)(index, rows, k, first, last);
}

// Makes the table of k-mers; k is greater than that of the index.
template <class Index>
fm_kmers make_table(const fm_parts& index, std::uint32_t k, const run_options& run,
                    unwritten_vector<Index>& kept) {
  unwritten_vector<Index> table;
  allocate(table, std::uint64_t{2} << (2 * k));
  for (std::uint64_t i = 0; i < std::uint64_t{2} << (2 * index.kmer_size); ++i)
    table[i] = static_cast<Index>(index.kmer_size > 0 ? index.kmers[i] : i * index.num_rows);
  for (std::uint32_t size = index.kmer_size; size < k; ++size)
    parallel_for(
        0, std::uint64_t{1} << (2 * size), 1 << 13, run,
        [&](std::uint64_t first, std::uint64_t last) { prepend(index, table.data(), size, first, last); });
  kept.swap(table);
  return {{kept.data(), sizeof(Index) == 8}, k};
}

} // namespace

fm_kmers fm_long_kmers::table_for(const fm_parts& index, std::uint64_t num_patterns, const run_options& run) {
  if (is_made_.load(std::memory_order_acquire)) return made_;
  const fm_kmers of_index = {index.kmers, index.kmer_size};
  const std::uint64_t so_far = num_patterns_.fetch_add(num_patterns) + num_patterns;
  const std::uint64_t entry_bytes = index.kmers.wide ? 16 : 8;
  std::uint32_t k = 0;
  while (k < 15 && entry_bytes << (2 * (k + 1)) <= index.num_rows / 8 * 5) ++k;
  // Making an entry takes a ninth of the time that the table saves in the search for a pattern.
  if (k <= index.kmer_size || so_far < std::uint64_t{1} << (2 * k) >> 3) return of_index;
  if (entry_bytes << (2 * k) > memory_limit(run.memory) / 8) return of_index;
  const std::unique_lock lock(making_, std::try_to_lock);
  if (!lock) return of_index;
  if (!is_made_.load(std::memory_order_acquire)) {
    made_ = index.kmers.wide ? make_table(index, k, run, wide_) : make_table(index, k, run, narrow_);
    is_made_.store(true, std::memory_order_release);
  }
  return made_;
}

} // namespace weft::bwt_detail
#endif
