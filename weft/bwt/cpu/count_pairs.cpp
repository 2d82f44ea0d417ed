#include <algorithm>
#include <mutex>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/bits.hpp>
#include <weft/bwt/cpu/suffix_stars.hpp>

namespace weft::bwt_detail {

namespace {

// Returns whether the suffix at i rises. Suffix n - 1 falls, and so does the empty suffix.
bool suffix_rises(std::span<const unsigned char> symbols, std::uint64_t i) {
  while (i + 1 < symbols.size() && symbols[i] == symbols[i + 1]) ++i;
  return i + 1 < symbols.size() && symbols[i] < symbols[i + 1];
}

} // namespace

template <class Index>
suffix_pairs<Index> count_pairs(std::span<const unsigned char> symbols, const suffix_string& text,
                                const run_options& run) {
  const std::uint64_t n = symbols.size(), letters = text.letters();
  const std::uint64_t slices = static_cast<std::uint64_t>(thread_count(run.threads)) * 4;
  suffix_pairs<Index> pairs{text.letters(), std::vector<Index>(2 * letters * letters), {}, 0};
  allocate(pairs.stars, n / 64 + 1);
  pairs.stars.back() = 0;
  // Each slice has counts of its own, so slices have several times as many symbols as there are pairs.
  const std::uint64_t min_slice = std::max<std::uint64_t>(1 << 16, (letters * letters / 4 + 1) * 64);
  const std::uint64_t slice = std::max(min_slice, (n / slices / 64 + 1) * 64);
  const bool is_single = slice >= n;
  std::mutex mutex;
  const std::uint8_t* const codes = text.codes();
  parallel_for(0, pairs.stars.size() * 64, slice, run, [&](std::uint64_t first, std::uint64_t end) {
    std::vector<Index> own(is_single ? 0 : pairs.counts.size());
    Index* const counts = is_single ? pairs.counts.data() : own.data();
    const std::uint64_t last = std::min(end, n);
    std::uint64_t next_rises = std::uint64_t{last > first && suffix_rises(symbols, last)}, num_stars = 0;
    std::uint64_t next = last > first && last < n ? codes[symbols[last]] : 0;
    std::uint64_t i = last;
    if (last == n && last > first) { // the last suffix falls, and begins no pair
      next = codes[symbols[--i]];
      next_rises = 0;
      pairs.stars[i / 64] = 0;
    }
    while (i > first) {
      const std::uint64_t begin = (i - 1) / 64 * 64;
      std::uint64_t stars = 0;
      while (i > begin) {
        const std::uint64_t code = codes[symbols[--i]];
        const std::uint64_t rises = std::uint64_t{code < next} | (std::uint64_t{code == next} & next_rises);
        stars = stars << 1 | (rises & ~next_rises);
        ++counts[2 * (code * letters + next) + next_rises];
        next = code;
        next_rises = rises;
      }
      pairs.stars[begin / 64] = stars;
      num_stars += count_ones(stars);
    }
    const std::lock_guard lock(mutex);
    for (std::uint64_t k = 0; k < own.size(); ++k) pairs.counts[k] += own[k];
    pairs.num_stars += num_stars;
  });
  return pairs;
}

template suffix_pairs<std::uint32_t> count_pairs(std::span<const unsigned char>, const suffix_string&,
                                                 const run_options&);
template suffix_pairs<std::uint64_t> count_pairs(std::span<const unsigned char>, const suffix_string&,
                                                 const run_options&);

} // namespace weft::bwt_detail
