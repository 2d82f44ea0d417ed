#include <weft/bwt/cpu/suffix_sort.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/suffix_anchors.hpp>
#include <weft/bwt/cpu/suffix_stars.hpp>
#include <weft/bwt/cpu/suffix_ties.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t range_rows = std::uint64_t{1} << 16; // that a thread takes at a time
constexpr std::uint64_t range_buckets = 4;

// Ties are sorted by so many symbols of the text, but at most by a cache line of it. Anchors need no more.
constexpr std::uint64_t depth_symbols = 72, max_depth_bits = 512;

// Ties that are left are sorted by text completely, in this many reads for each suffix, in ties or not, if at
// most one of so many suffixes is in a tie. Otherwise, or if that does not suffice, anchors decide.
constexpr std::uint64_t reads_of_suffix = 16, suffixes_of_tie = 2;

// Bytes for each suffix that is sorted: its item, and its share of a group.
constexpr std::uint64_t bytes_of_item = 12;

// Sorts the buckets of a text. The anchors are sorted when they are first needed.
class bucket_sorter {
public:
  // `bytes` is the memory for the items of a call of sort() and for the anchors.
  bucket_sorter(const suffix_string& text, std::uint64_t bytes, const run_options& run)
      : text_(text), run_(run), bytes_(bytes), depth_(std::min(depth_symbols, max_depth_bits / text.bits())) {
  }

  // Returns how many bits of a suffix items may cover.
  [[nodiscard]] std::uint64_t max_depth() const { return depth_ * text_.bits(); }

  // Sorts the items of the buckets [first, last), and adds `work` to the monitor. Returns false, and leaves
  // the items in no usable state, if the anchors are needed but do not fit into the memory beside the items.
  [[nodiscard]] bool sort(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t last,
                          std::span<std::uint64_t> items, std::uint64_t work) {
    buckets_ = &buckets;
    first_ = first;
    last_ = last;
    items_ = items;
    left_.assign(last - first, {});
    const std::uint64_t num_tied = refine_to_depth(work);
    if (num_tied > 0 && !resolve_ties(num_tied)) {
      left_.clear();
      return false;
    }
    const auto has_chains = [](const refined_bucket& bucket) { return !bucket.chains.empty(); };
    if (std::ranges::none_of(left_, has_chains)) return true;
    for_each_bucket([&](std::uint64_t b, group_refiner& refiner) {
      refiner.expand_chains(bucket(b), left_of(b).chains);
    });
    return true;
  }

  // Sorts the anchors while there are no items. Throws memory_error if the memory does not suffice.
  void sort_anchors() {
    if (memory_for_anchors() > bytes_)
      throw memory_error(
          fmt::format("sorting this text, which repeats itself in long stretches, needs {} more "
                      "memory, but the limit leaves {}",
                      format_size(memory_for_anchors()), format_size(bytes_)));
    anchors_.emplace(text_, depth_, run_);
  }
  // Returns the bytes that are left for items beside the anchors, which have been sorted.
  [[nodiscard]] std::uint64_t bytes_beside_anchors() const {
    return bytes_ - std::min(bytes_, anchors_->bytes());
  }

private:
  // A bucket that has been sorted as far as the depth still has these groups of ties, and these chains.
  struct refined_bucket {
    std::vector<item_group> groups;
    std::vector<chain_group> chains;
  };

  [[nodiscard]] const item_layout& layout() const { return buckets_->layout(); }
  [[nodiscard]] std::span<std::uint64_t> bucket(std::uint64_t b) const {
    return items_.subspan(buckets_->begin(b) - buckets_->begin(first_),
                          buckets_->begin(b + 1) - buckets_->begin(b));
  }
  [[nodiscard]] refined_bucket& left_of(std::uint64_t b) { return left_[b - first_]; }
  [[nodiscard]] std::uint64_t share(std::uint64_t work, std::uint64_t num_items) const {
    if (num_items == items_.size()) return work; // the quotient may be rounded down
    return static_cast<std::uint64_t>(static_cast<double>(work) * static_cast<double>(num_items) /
                                      static_cast<double>(items_.size()));
  }
  // Calls body(b, refiner) for each bucket that is not empty.
  template <class Body> void for_each_bucket(const Body& body) {
    parallel_for(first_, last_, range_buckets, run_, [&](std::uint64_t begin, std::uint64_t end) {
      group_refiner refiner(text_, layout());
      for (std::uint64_t b = begin; b < end; ++b)
        if (!bucket(b).empty()) body(b, refiner);
    });
  }
  // Sorts all buckets up to the depth. Returns the number of suffixes that are still tied.
  std::uint64_t refine_to_depth(std::uint64_t work) {
    std::atomic<std::uint64_t> num_tied = 0, done = 0;
    for_each_bucket([&](std::uint64_t b, group_refiner& refiner) {
      const std::uint64_t size = bucket(b).size();
      if (size > max_group_items)
        throw error(errc::invalid_input, "suffix-sort: more than 2^32 suffixes begin with the same symbols");
      refined_bucket& left = left_of(b);
      refiner.start_bucket(bucket(b), buckets_->depth());
      refiner.refine(max_depth(), &left.chains);
      left.groups = refiner.groups();
      for (const item_group& group : left.groups) num_tied += group.end - group.begin;
      // Work is added in shares of the items, so that rounding loses none of it.
      const std::uint64_t before = done.fetch_add(size);
      base_detail::add_work(run_, share(work, before + size) - share(work, before));
    });
    return num_tied;
  }
  // Sorts the groups that are left completely. Returns false if that takes anchors for which the memory
  // beside the items does not suffice.
  [[nodiscard]] bool resolve_ties(std::uint64_t num_tied) {
    if (!anchors_ && num_tied <= items_.size() / suffixes_of_tie && sort_by_text()) return true;
    if (!anchors_) {
      const std::uint64_t bytes_of_items = bytes_of_item * items_.size();
      if (bytes_ < bytes_of_items || bytes_ - bytes_of_items < memory_for_anchors()) return false;
      sort_anchors();
    }
    parallel_for(first_, last_, range_buckets, run_, [&](std::uint64_t begin, std::uint64_t end) {
      resolve_workspace workspace;
      for (std::uint64_t b = begin; b < end; ++b)
        if (!left_of(b).groups.empty()) anchors_->resolve(bucket(b), layout(), left_of(b).groups, workspace);
    });
    return true;
  }
  // Sorts the groups by text. Returns false if that takes too many reads; the groups are still the same.
  bool sort_by_text() {
    // Buckets that are sorted at the same time may take the same reads.
    std::atomic<std::uint64_t> reads = reads_of_suffix * items_.size();
    std::atomic<bool> sorted = true;
    for_each_bucket([&](std::uint64_t b, group_refiner& refiner) {
      const std::vector<item_group>& groups = left_of(b).groups;
      if (!sorted || groups.empty()) return;
      const std::uint64_t max_reads = reads;
      std::uint64_t left = max_reads;
      refiner.start(bucket(b), groups, max_depth());
      if (takes_long(bucket(b), groups, left) || !refiner.sort(left)) sorted = false;
      if (reads.fetch_sub(max_reads - left) <= max_reads - left) sorted = false;
    });
    return sorted;
  }
  // Returns whether two suffixes of the largest group agree so far that reading all of its suffixes is likely
  // to take more reads.
  [[nodiscard]] bool takes_long(std::span<const std::uint64_t> items, const std::vector<item_group>& groups,
                                std::uint64_t max_reads) const {
    const auto size = [](const item_group& group) { return std::uint64_t{group.end - group.begin}; };
    const item_group& largest = *std::ranges::max_element(groups, {}, size);
    const std::uint64_t i = layout().position(items[largest.begin]),
                        j = layout().position(items[largest.begin + 1]);
    std::uint64_t reads = max_reads / size(largest) + 1;
    (void)text_.compare(i, j, max_depth(), std::min(text_.left(i), text_.left(j)) * text_.bits(), reads);
    return reads == 0;
  }
  // Returns the bytes that the anchors take while they are sorted.
  [[nodiscard]] std::uint64_t memory_for_anchors() const {
    return suffix_anchors::memory_for(text_.size(), depth_);
  }

  const suffix_string& text_;
  const suffix_buckets* buckets_ = nullptr;
  const run_options& run_;
  std::uint64_t bytes_;
  std::uint64_t depth_;                // in symbols, of ties that anchors resolve
  std::uint64_t first_ = 0, last_ = 0; // the buckets that are being sorted
  std::span<std::uint64_t> items_{};   // of these buckets
  std::vector<refined_bucket> left_;   // of each of them
  std::optional<suffix_anchors> anchors_;
};

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

std::uint64_t range_limits::min_bytes(std::uint64_t symbols) {
  return bytes_of_item * std::min(symbols, symbols / 64 + 4096);
}

range_limits::range_limits(std::uint64_t symbols, std::uint64_t all_bytes) : bytes(all_bytes) {
  // Memory for anchors is set aside if the rest suffices for this many ranges.
  constexpr std::uint64_t max_ranges = 8;
  const std::uint64_t for_anchors = 3 * symbols,
                      beside_anchors = (bytes - std::min(bytes, for_anchors)) / bytes_of_item;
  max_items = beside_anchors >= symbols / max_ranges ? beside_anchors : bytes / bytes_of_item;
  max_items = std::min(max_items, symbols / 2 + 4096); // more would not be faster
}

namespace {

// Sorts all suffixes of a text, range by range of their buckets.
class range_sorter {
public:
  range_sorter(const suffix_string& text, const range_limits& limits, const run_options& run,
               const std::function<void(const sorted_range&)>& take)
      : sorter_(text, limits.bytes, run), max_items_(limits.max_items), take_(take) {}

  // Sorts the suffixes of a partition, of which the first one is that of row `first_row`.
  void sort(const suffix_buckets& buckets, std::uint64_t first_row) {
    for (std::uint64_t first = 0; first < buckets.count();) {
      const std::uint64_t last = buckets.range_end(first, max_items_),
                          size = buckets.begin(last) - buckets.begin(first),
                          row = first_row + buckets.begin(first);
      if (size > max_items_ && buckets.is_divisible(sorter_.max_depth()))
        sort(suffix_buckets(buckets, first, sorter_.max_depth()), row); // first + 1 == last
      else if (size > 0 && !sort_range(buckets, first, last, row))
        continue; // sorts the range, or a part of it, again
      first = last;
    }
  }

private:
  // Returns false if the anchors had to be sorted in place of the range.
  bool sort_range(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t last, std::uint64_t row) {
    const std::uint64_t size = buckets.begin(last) - buckets.begin(first);
    if (memory_.size() < size) {
      free_memory();
      allocate(memory_, size);
    }
    const std::span<std::uint64_t> items = std::span(memory_).first(size);
    buckets.distribute(first, last, items);
    const std::uint64_t counted = std::clamp(counted_, row, row + size);
    counted_ = std::max(counted_, row + size);
    if (!sorter_.sort(buckets, first, last, items, row + size - counted)) {
      free_memory();
      sorter_.sort_anchors();
      max_items_ = std::min(max_items_, sorter_.bytes_beside_anchors() / bytes_of_item);
      return false;
    }
    take_({row, items, buckets.layout()});
    return true;
  }
  void free_memory() { unwritten_vector<std::uint64_t>().swap(memory_); } // clear() would keep the capacity

  bucket_sorter sorter_;
  std::uint64_t max_items_, counted_ = 0; // rows whose work has been counted
  const std::function<void(const sorted_range&)>& take_;
  unwritten_vector<std::uint64_t> memory_;
};

} // namespace

void sort_in_ranges(const suffix_string& text, const range_limits& limits, const run_options& run,
                    const std::function<void(const sorted_range&)>& take) {
  if (text.size() == 0) return;
  range_sorter(text, limits, run, take).sort(suffix_buckets(text, nullptr, ~std::uint64_t{0}, run), 0);
}

} // namespace weft::bwt_detail
