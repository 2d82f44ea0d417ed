#include <weft/bwt/cpu/suffix_sort.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
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

// Ties are sorted by text until the suffixes agree in so many symbols. If suffixes agree in more, windows of
// anchors are as large, so about every fifteenth suffix is an anchor. But that takes between 2 and 4 passes.
constexpr std::uint64_t wanted_depth = 30;
constexpr unsigned min_passes = 2, max_passes = 4;

// Ties that are left are compared, in this many steps for each suffix of their bucket, if at most one of
// so many suffixes is in a tie.
constexpr std::uint64_t steps_of_suffix = 64, suffixes_of_tie = 4;

// Bytes for each suffix that is sorted: its item, and its share of a group.
constexpr std::uint64_t bytes_of_item = 12;

// Sorts the buckets of a text. The anchors are sorted when they are first needed.
class bucket_sorter {
public:
  // `bytes` is the memory for the items of a call of sort() and for the anchors.
  bucket_sorter(const suffix_string& text, const suffix_buckets& buckets, std::uint64_t bytes,
                const run_options& run)
      : text_(text), buckets_(buckets), layout_(buckets.layout()), run_(run), bytes_(bytes) {
    while (passes_ < min_passes || (passes_ < max_passes && depth() < wanted_depth * text.bits())) ++passes_;
  }

  // Sorts the items of the buckets [first, last), and adds `work` to the monitor. Returns false, and leaves
  // the items in any order, if the anchors are needed but do not fit into the memory beside the items.
  [[nodiscard]] bool sort(std::uint64_t first, std::uint64_t last, std::span<std::uint64_t> items,
                          std::uint64_t work) {
    first_ = first;
    items_ = items;
    std::vector<group_list> groups(last - first);
    std::atomic<std::uint64_t> num_tied = 0, done = 0;
    for_each_bucket(last, [&](std::uint64_t b, group_refiner& refiner) {
      if (bucket(b).size() > max_group_items)
        throw error(errc::invalid_input, "suffix-sort: more than 2^32 suffixes begin with the same symbols");
      refiner.start_bucket(bucket(b), buckets_.depth());
      for (unsigned pass = 0; pass < passes_ && !refiner.groups().empty(); ++pass) refiner.refine_by_text();
      refiner.order_ended(refiner.depth() + 1);
      for (const item_group& group : refiner.groups()) num_tied += group.end - group.begin;
      groups[b - first] = refiner.groups();
      // Work is added in shares of the items, so that rounding loses none of it.
      const std::uint64_t size = bucket(b).size(), before = done.fetch_add(size);
      base_detail::add_work(run_, share(work, before + size) - share(work, before));
    });
    if (num_tied == 0) return true;
    const bool compares = !anchors_ && num_tied <= items.size() / suffixes_of_tie;
    if (compares && compare(last, groups)) return true;
    if (!anchors_) {
      const std::uint64_t bytes_of_items = bytes_of_item * items.size();
      if (bytes_ < bytes_of_items || bytes_ - bytes_of_items < memory_for_anchors()) return false;
      anchors_.emplace(text_, depth() / text_.bits(), run_);
    }
    parallel_for(first, last, range_buckets, run_, [&](std::uint64_t begin, std::uint64_t end) {
      resolve_workspace workspace;
      for (std::uint64_t b = begin; b < end; ++b)
        if (!groups[b - first].empty()) anchors_->resolve(bucket(b), layout_, groups[b - first], workspace);
    });
    return true;
  }

  // Sorts the anchors while there are no items. If the memory is too small for them, suffixes are sorted by
  // text in more passes from now on, so that there are fewer anchors. Throws memory_error if that does not
  // suffice.
  void sort_anchors() {
    while (memory_for_anchors() > bytes_ && depth() < suffix_anchors::max_useful_depth * text_.bits())
      ++passes_;
    if (memory_for_anchors() > bytes_)
      throw memory_error("sorting this text, which repeats itself in long stretches, needs " +
                         format_size(memory_for_anchors()) + " more memory, but the limit leaves " +
                         format_size(bytes_));
    anchors_.emplace(text_, depth() / text_.bits(), run_);
  }
  // Returns the bytes that are left for items beside the anchors, which have been sorted.
  [[nodiscard]] std::uint64_t bytes_beside_anchors() const {
    return bytes_ - std::min(bytes_, anchors_->bytes());
  }

private:
  using group_list = std::vector<item_group>;

  // Returns the bits in which suffixes agree that are still tied.
  [[nodiscard]] std::uint64_t depth() const { return buckets_.depth() + passes_ * layout_.key_bits; }
  [[nodiscard]] std::span<std::uint64_t> bucket(std::uint64_t b) const {
    return items_.subspan(buckets_.begin(b) - buckets_.begin(first_),
                          buckets_.begin(b + 1) - buckets_.begin(b));
  }
  [[nodiscard]] std::uint64_t share(std::uint64_t work, std::uint64_t num_items) const {
    if (num_items == items_.size()) return work; // the quotient may be rounded down
    return static_cast<std::uint64_t>(static_cast<double>(work) * static_cast<double>(num_items) /
                                      static_cast<double>(items_.size()));
  }
  template <class Body> void for_each_bucket(std::uint64_t last, const Body& body) {
    parallel_for(first_, last, range_buckets, run_, [&](std::uint64_t begin, std::uint64_t end) {
      group_refiner refiner(text_, layout_);
      for (std::uint64_t b = begin; b < end; ++b)
        if (!bucket(b).empty()) body(b, refiner);
    });
  }
  // Returns the bytes that the anchors take while they are sorted.
  [[nodiscard]] std::uint64_t memory_for_anchors() const {
    return suffix_anchors::memory_for(text_.size(), depth() / text_.bits());
  }
  // Sorts the groups by comparing their suffixes. Returns false if that takes too many steps.
  bool compare(std::uint64_t last, const std::vector<group_list>& groups) {
    std::atomic<bool> sorted = true;
    for_each_bucket(last, [&](std::uint64_t b, group_refiner& refiner) {
      const group_list& of_bucket = groups[b - first_];
      if (!sorted || of_bucket.empty()) return;
      refiner.start(bucket(b), of_bucket, depth());
      if (!refiner.compare_suffixes(steps_of_suffix * bucket(b).size())) sorted = false;
    });
    return sorted;
  }

  const suffix_string& text_;
  const suffix_buckets& buckets_;
  item_layout layout_;
  const run_options& run_;
  std::uint64_t bytes_;
  unsigned passes_ = 0;
  std::uint64_t first_ = 0;          // the first bucket that is being sorted
  std::span<std::uint64_t> items_{}; // of these buckets
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
    bucket_sorter sorter(text, buckets, ~std::uint64_t{0}, run);
    if (!sorter.sort(0, buckets.count(), items, work_of_stars))
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

void sort_in_ranges(const suffix_string& text, const range_limits& limits, const run_options& run,
                    const std::function<void(const sorted_range&)>& take) {
  if (text.size() == 0) return;
  suffix_buckets buckets(text, nullptr, ~std::uint64_t{0}, run);
  bucket_sorter sorter(text, buckets, limits.bytes, run);
  unwritten_vector<std::uint64_t> memory;
  std::uint64_t max_items = limits.max_items, counted = 0; // the rows whose work has been counted
  for (std::uint64_t first = 0; first < buckets.count();) {
    const std::uint64_t last = buckets.range_end(first, max_items), row = buckets.begin(first),
                        end = buckets.begin(last);
    if (memory.size() < end - row) {
      memory = unwritten_vector<std::uint64_t>(); // frees it; {} would keep the capacity
      allocate(memory, end - row);
    }
    const std::span<std::uint64_t> items = std::span(memory).first(end - row);
    if (!items.empty()) {
      buckets.distribute(first, last, items);
      const std::uint64_t work = end - std::clamp(counted, row, end);
      counted = std::max(counted, end);
      if (!sorter.sort(first, last, items, work)) {
        memory = unwritten_vector<std::uint64_t>();
        sorter.sort_anchors();
        max_items = std::min(max_items, sorter.bytes_beside_anchors() / bytes_of_item);
        continue; // sorts the range, or a part of it, again
      }
      take({row, items, buckets.layout()});
    }
    first = last;
  }
}

} // namespace weft::bwt_detail
