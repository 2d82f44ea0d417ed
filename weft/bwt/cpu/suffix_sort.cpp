#include <weft/bwt/cpu/suffix_sort.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>
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

// Ties are sorted by about so many bits of the text, a cache line, and then by twice as many, as long as that
// leaves at most three quarters of them.
constexpr std::uint64_t first_depth_bits = 512;
constexpr std::uint64_t max_left_of_4 = 3;

// Ties that are left are sorted by text completely, in this many reads for each suffix of their bucket, if at
// most one of so many suffixes is in a tie. Otherwise, or if that does not suffice, anchors decide.
constexpr std::uint64_t reads_of_suffix = 64, suffixes_of_tie = 4;

// Sorts the buckets of a text. The anchors are sorted when they are first needed.
class bucket_sorter {
public:
  bucket_sorter(const suffix_string& text, const suffix_buckets& buckets, std::uint64_t anchor_bytes,
                const run_options& run)
      : text_(text), buckets_(buckets), layout_(buckets.layout()), run_(run), anchor_bytes_(anchor_bytes),
        depth_(first_depth_bits / text.bits()) {}

  // Sorts the items of the buckets [first, last), and adds `work` to the monitor.
  void sort(std::uint64_t first, std::uint64_t last, std::span<std::uint64_t> items, std::uint64_t work) {
    first_ = first;
    last_ = last;
    items_ = items;
    groups_.assign(last - first, {});
    std::uint64_t depth = depth_ * text_.bits(), num_tied = sort_by_keys(depth, work);
    while (num_tied > items.size() / suffixes_of_tie && !anchors_) {
      const std::uint64_t before = num_tied, from = std::exchange(depth, 2 * depth);
      num_tied = refine(from, depth);
      if (num_tied > before / 4 * max_left_of_4) sort_anchors();
    }
    if (num_tied == 0 || (!anchors_ && refine_completely(depth))) return;
    if (!anchors_) sort_anchors();
    parallel_for(first, last, range_buckets, run_, [&](std::uint64_t begin, std::uint64_t end) {
      resolve_workspace workspace;
      for (std::uint64_t b = begin; b < end; ++b)
        if (!groups_of(b).empty()) anchors_->resolve(bucket(b), layout_, groups_of(b), workspace);
    });
  }

private:
  using group_list = std::vector<item_group>;

  [[nodiscard]] std::span<std::uint64_t> bucket(std::uint64_t b) const {
    return items_.subspan(buckets_.begin(b) - buckets_.begin(first_),
                          buckets_.begin(b + 1) - buckets_.begin(b));
  }
  [[nodiscard]] std::uint64_t share(std::uint64_t work, std::uint64_t num_items) const {
    if (num_items == items_.size()) return work; // the quotient may be rounded down
    return static_cast<std::uint64_t>(static_cast<double>(work) * static_cast<double>(num_items) /
                                      static_cast<double>(items_.size()));
  }
  [[nodiscard]] group_list& groups_of(std::uint64_t b) { return groups_[b - first_]; }

  // Calls body(b, refiner) for each bucket.
  template <class Body> void for_each_bucket(const Body& body) {
    parallel_for(first_, last_, range_buckets, run_, [&](std::uint64_t begin, std::uint64_t end) {
      group_refiner refiner(text_, layout_);
      for (std::uint64_t b = begin; b < end; ++b) body(b, refiner);
    });
  }
  // Sorts all buckets up to a depth. Returns the number of suffixes that are still tied.
  std::uint64_t sort_by_keys(std::uint64_t depth, std::uint64_t work) {
    std::atomic<std::uint64_t> num_tied = 0, done = 0;
    for_each_bucket([&](std::uint64_t b, group_refiner& refiner) {
      const std::uint64_t size = bucket(b).size();
      if (size == 0) return;
      if (size > max_group_items)
        throw error(errc::invalid_input, "suffix-sort: more than 2^32 suffixes begin with the same symbols");
      refiner.start_bucket(bucket(b), buckets_.depth());
      refiner.refine(depth);
      num_tied += keep(b, refiner);
      // Work is added in shares of the items, so that rounding loses none of it.
      const std::uint64_t before = done.fetch_add(size);
      base_detail::add_work(run_, share(work, before + size) - share(work, before));
    });
    return num_tied;
  }
  // Sorts the groups further. Returns the number of suffixes that are still tied.
  std::uint64_t refine(std::uint64_t from, std::uint64_t to) {
    std::atomic<std::uint64_t> num_tied = 0;
    for_each_bucket([&](std::uint64_t b, group_refiner& refiner) {
      if (groups_of(b).empty()) return;
      refiner.start(bucket(b), std::move(groups_of(b)), from);
      refiner.refine(to);
      num_tied += keep(b, refiner);
    });
    return num_tied;
  }
  // Remembers the groups that are left of a bucket. Returns the number of their suffixes.
  std::uint64_t keep(std::uint64_t b, group_refiner& refiner) {
    groups_of(b) = refiner.groups();
    std::uint64_t num_tied = 0;
    for (const item_group& group : groups_of(b)) num_tied += group.end - group.begin;
    return num_tied;
  }
  // Sorts the groups completely. Returns false if that takes too many reads; they are then as before.
  bool refine_completely(std::uint64_t from) {
    std::atomic<bool> sorted = true;
    for_each_bucket([&](std::uint64_t b, group_refiner& refiner) {
      if (!sorted || groups_of(b).empty()) return;
      refiner.start(bucket(b), groups_of(b), from);
      if (!refiner.refine(~std::uint64_t{0}, reads_of_suffix * bucket(b).size())) sorted = false;
    });
    return sorted;
  }
  void sort_anchors() {
    const std::uint64_t needed = suffix_anchors::memory_for(text_.size(), depth_);
    if (needed > anchor_bytes_)
      throw memory_error("sorting this text, which repeats itself in long stretches, needs " +
                         format_size(needed) + " more memory, but the limit leaves " +
                         format_size(anchor_bytes_));
    anchors_.emplace(text_, depth_, run_);
  }

  const suffix_string& text_;
  const suffix_buckets& buckets_;
  item_layout layout_;
  const run_options& run_;
  std::uint64_t anchor_bytes_;
  std::uint64_t depth_;                // in symbols, of ties that anchors resolve
  std::uint64_t first_ = 0, last_ = 0; // the buckets that are being sorted
  std::span<std::uint64_t> items_{};   // of these buckets
  std::vector<group_list> groups_;     // what is left of each bucket
  std::optional<suffix_anchors> anchors_;
};

// Returns the least p <= n / 4 with text[i] = text[i + p] for all i; 0 if there is none, or if the first
// symbols of the text occur so often that it takes long to find.
std::uint64_t short_period(std::span<const unsigned char> text) {
  constexpr std::uint64_t probe = 64;
  constexpr int max_candidates = 8;
  const std::uint64_t n = text.size();
  if (n < 4 * probe) return 0;
  const unsigned char* const begin = text.data();
  const unsigned char* from = begin + 1;
  for (int candidate = 0; candidate < max_candidates; ++candidate) {
    const std::uint64_t searched = static_cast<std::uint64_t>(begin + n / 4 + probe - from);
    const void* const found = from < begin + n / 4 ? memmem(from, searched, begin, probe) : nullptr;
    if (found == nullptr) return 0;
    const auto period = static_cast<std::uint64_t>(static_cast<const unsigned char*>(found) - begin);
    if (std::memcmp(begin, begin + period, n - period) == 0) return period;
    from = begin + period + 1;
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
  const suffix_pairs pairs = count_pairs(symbols, text, run);
  const std::uint64_t work_of_stars = symbols.size() / 2;
  if (pairs.num_stars > 0) {
    suffix_buckets buckets(text, &pairs.stars, ~std::uint64_t{0}, run);
    unwritten_vector<std::uint64_t> own;
    const std::span<std::uint64_t> items = memory_for_stars(sa, pairs.num_stars, own);
    buckets.distribute(0, buckets.count(), items);
    bucket_sorter(text, buckets, ~std::uint64_t{0}, run).sort(0, buckets.count(), items, work_of_stars);
    write_stars(items, buckets.layout(), sa, run);
  }
  induce(text, pairs, sa, run);
  base_detail::add_work(run, symbols.size() - (pairs.num_stars > 0 ? work_of_stars : 0));
}

template void sort_suffixes(std::span<const unsigned char>, std::span<std::uint32_t>, const run_options&);
template void sort_suffixes(std::span<const unsigned char>, std::span<std::uint64_t>, const run_options&);

// The text with the highest measured peak, of copied words, takes 4.7 n.
std::uint64_t memory_to_induce(std::uint64_t symbols) { return 5 * symbols; }

namespace {
// Bytes for each suffix that is sorted: its item, and its share of a group.
constexpr std::uint64_t bytes_of_item = 12;
} // namespace

std::uint64_t range_limits::min_bytes(std::uint64_t symbols) {
  return bytes_of_item * std::min(symbols, symbols / 64 + 4096);
}

range_limits::range_limits(std::uint64_t symbols, std::uint64_t bytes)
    : max_items(min_bytes(symbols) / bytes_of_item), anchor_bytes(bytes - bytes_of_item * max_items) {
  // Memory that the anchors do not need is used for more items.
  const std::uint64_t for_anchors = 3 * symbols;
  if (anchor_bytes <= for_anchors) return;
  max_items = std::min(symbols, max_items + (anchor_bytes - for_anchors) / bytes_of_item);
  anchor_bytes = bytes - bytes_of_item * max_items;
}

void sort_in_ranges(const suffix_string& text, const range_limits& limits, const run_options& run,
                    const std::function<void(const sorted_range&)>& take) {
  if (text.size() == 0) return;
  suffix_buckets buckets(text, nullptr, ~std::uint64_t{0}, run);
  bucket_sorter sorter(text, buckets, limits.anchor_bytes, run);
  unwritten_vector<std::uint64_t> memory;
  for (std::uint64_t first = 0; first < buckets.count();) {
    const std::uint64_t last = buckets.range_end(first, limits.max_items), row = buckets.begin(first),
                        size = buckets.begin(last) - row;
    if (memory.size() < size) {
      memory = {};
      allocate(memory, size);
    }
    const std::span<std::uint64_t> items = std::span(memory).first(size);
    if (size > 0) {
      buckets.distribute(first, last, items);
      sorter.sort(first, last, items, size);
      take({row, items, buckets.layout()});
    }
    first = last;
  }
}

} // namespace weft::bwt_detail
