#include <weft/bwt/cpu/suffix_sort.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/bucket_sort.hpp>
#include <weft/bwt/cpu/suffix_stars.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t range_rows = std::uint64_t{1} << 16; // that a thread takes at a time

// Returns the least p <= n / 4 with text[i] = text[i + p] for all i; 0 if there is none, or if it takes long
// to find. Looks for the first symbols of the text; if they occur at c, but the text differs from there on,
// then for as many more as have occurred there, and the next one. So a text that begins with a run is
// searched for the whole run, and the symbol that ends it.
std::uint64_t short_period(std::span<const unsigned char> text) {
  constexpr int max_candidates = 8;
  const std::uint64_t n = text.size();
  const unsigned char* const begin = text.data();
  std::uint64_t probe = 64, from = 1;
  for (int candidate = 0; candidate < max_candidates; ++candidate) {
    if (from > n / 4 || probe > n - n / 4) return 0;
    const void* const found = memmem(begin + from, n / 4 + probe - from, begin, probe);
    if (found == nullptr) return 0;
    const auto period = static_cast<std::uint64_t>(static_cast<const unsigned char*>(found) - begin);
    const unsigned char* const differs = std::mismatch(begin + period, begin + n, begin).first;
    if (differs == begin + n) return period;
    probe = static_cast<std::uint64_t>(differs - begin) + 1;
    from = period + 1;
  }
  return 0;
}

// Sorts the suffixes of a text with period p <= n / 4: suffix i is less than suffix i - p, which begins with
// it, and no other suffix is between them unless it is shorter than p. So the suffixes of the last 2 p - 1
// symbols are sorted, and each of them that has at least p symbols stands for the ones p further to the left.
template <class Index>
void sort_periodic(std::span<const unsigned char> symbols, std::uint64_t period, std::span<Index> sa,
                   const run_options& run) {
  const std::uint64_t n = symbols.size(), size = 2 * period - 1, begin = n - size;
  std::vector<Index> of_end(size);
  sort_suffixes<Index>(symbols.subspan(begin), of_end, run);
  std::uint64_t row = 0;
  for (const Index each : of_end) {
    base_detail::check_cancelled(run);
    std::uint64_t i = begin + each;
    sa[row++] = static_cast<Index>(i);
    if (n - i < period) continue;
    for (; i >= period; sa[row++] = static_cast<Index>(i)) i -= period;
  }
  base_detail::add_work(run, begin);
}

// Returns memory for the items of stars: the end of the suffix array, which is still free, if it is aligned
// as they need.
template <class Index>
std::span<std::uint64_t> memory_for_stars(std::span<Index> sa, std::uint64_t num_stars,
                                          unwritten_vector<std::uint64_t>& own) {
  constexpr std::uint64_t item_bytes = sizeof(std::uint64_t), rows_of_item = item_bytes / sizeof(Index);
  std::uint64_t first = sa.size() - rows_of_item * num_stars;
  if (reinterpret_cast<std::uintptr_t>(sa.data() + first) % sizeof(std::uint64_t) != 0 && first > 0) --first;
  if (reinterpret_cast<std::uintptr_t>(sa.data() + first) % sizeof(std::uint64_t) != 0) {
    allocate(own, num_stars);
    return own;
  }
  return {reinterpret_cast<std::uint64_t*>(sa.data() + first), num_stars};
}

// Writes the positions of items to the front of the suffix array, of which the items may be the end.
template <class Index>
void write_stars(std::span<const std::uint64_t> items, const item_layout& layout, std::span<Index> sa,
                 const run_options& run) {
  const auto* const from = reinterpret_cast<const unsigned char*>(items.data());
  const auto write = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t j = first; j < last; ++j) {
      std::uint64_t item;
      std::memcpy(&item, from + j * sizeof item, sizeof item); // the memory belongs to `sa` as well
      sa[j] = static_cast<Index>(layout.position(item));
    }
  };
  // The rows before the items are written in parallel. The other rows overwrite only items already read.
  const auto* const front = reinterpret_cast<const unsigned char*>(sa.data());
  const bool in_array = from >= front && from < front + sa.size_bytes();
  const std::uint64_t before =
      in_array ? static_cast<std::uint64_t>(from - front) / sizeof(Index) : items.size();
  const std::uint64_t apart = std::min<std::uint64_t>(before, items.size());
  parallel_for(0, apart, range_rows, run, write);
  write(apart, items.size());
}

} // namespace

template <class Index>
void sort_suffixes(std::span<const unsigned char> symbols, std::span<Index> sa, const run_options& run) {
  if (const std::uint64_t period = short_period(symbols); period != 0)
    return sort_periodic(symbols, period, sa, run);
  const suffix_string text(symbols, run);
  const suffix_pairs<Index> pairs = count_pairs<Index>(symbols, text, run);
  const std::uint64_t work_of_stars = symbols.size() / 2;
  if (pairs.num_stars > 0) {
    suffix_buckets buckets(text, &pairs.stars, ~std::uint64_t{0}, run);
    unwritten_vector<std::uint64_t> own;
    const std::span<std::uint64_t> items = memory_for_stars(sa, pairs.num_stars, own);
    buckets.distribute(0, buckets.count(), items);
    bucket_sorter sorter(text, ~std::uint64_t{0}, run);
    if (!sorter.sort(buckets, 0, buckets.count(), items, work_of_stars))
      throw std::logic_error("suffix-sort: anchors were refused without a limit of memory");
    write_stars(items, buckets.layout(), sa, run);
  }
  induce(text, pairs, sa, run);
  base_detail::add_work(run, symbols.size() - (pairs.num_stars > 0 ? work_of_stars : 0));
}

template void sort_suffixes(std::span<const unsigned char>, std::span<std::uint32_t>, const run_options&);
template void sort_suffixes(std::span<const unsigned char>, std::span<std::uint64_t>, const run_options&);

// The text with the highest measured peak, of copied words, takes 4.7 n.
std::uint64_t memory_to_induce(std::uint64_t symbols) { return 5 * symbols; }

} // namespace weft::bwt_detail
