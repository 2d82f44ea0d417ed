#include <weft/bwt/cpu/bucket_sort.hpp>

#include <atomic>
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t range_buckets = 4; // that a thread takes at a time

// Ties that are left are sorted by text completely, in this many reads for each suffix, in ties or not, if at
// most one of so many suffixes is in a tie. Otherwise, or if that does not suffice, anchors decide.
constexpr std::uint64_t reads_of_suffix = 16, suffixes_of_tie = 2;

} // namespace

bool bucket_sorter::sort(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t last,
                         std::span<std::uint64_t> items, std::uint64_t work) {
  if (start(buckets, first, last, items, work)) {
    if (!anchors_fit()) {
      left_.clear();
      return false;
    }
    sort_anchors();
  }
  finish();
  return true;
}

bool bucket_sorter::start(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t last,
                          std::span<std::uint64_t> items, std::uint64_t work) {
  buckets_ = &buckets;
  first_ = first;
  last_ = last;
  items_ = items;
  left_.assign(last - first, {});
  const std::uint64_t num_tied = refine_to_depth(work);
  const bool may_read_text = !anchors_ && num_tied <= items_.size() / suffixes_of_tie;
  has_ties_ = num_tied > 0 && !(may_read_text && sort_by_text());
  return has_ties_ && !anchors_;
}

bool bucket_sorter::anchors_fit() const {
  const std::uint64_t bytes_of_items = bytes_of_item * items_.size();
  return bytes_ >= bytes_of_items && bytes_ - bytes_of_items >= memory_for_anchors();
}

void bucket_sorter::sort_anchors(position_sharing* sharing) {
  if (memory_for_anchors() > bytes_)
    throw memory_error(fmt::format("sorting this text, which repeats itself in long stretches, needs {} more "
                                   "memory, but the limit leaves {}",
                                   format_size(memory_for_anchors()), format_size(bytes_)));
  anchors_.reset(); // which this process may have sorted alone
  anchors_.emplace(text_, depth_, run_, sharing);
}

void bucket_sorter::finish() {
  if (has_ties_)
    parallel_for(first_, last_, range_buckets, run_, [&](std::uint64_t begin, std::uint64_t end) {
      resolve_workspace workspace;
      for (std::uint64_t b = begin; b < end; ++b)
        if (!left_of(b).groups.empty()) anchors_->resolve(bucket(b), layout(), left_of(b).groups, workspace);
    });
  const auto has_chains = [](const refined_bucket& bucket) { return !bucket.chains.empty(); };
  if (std::ranges::none_of(left_, has_chains)) return;
  for_each_bucket(
      [&](std::uint64_t b, group_refiner& refiner) { refiner.expand_chains(bucket(b), left_of(b).chains); });
}

std::uint64_t bucket_sorter::share(std::uint64_t work, std::uint64_t num_items) const {
  if (num_items == items_.size()) return work; // the quotient may be rounded down
  return static_cast<std::uint64_t>(static_cast<double>(work) * static_cast<double>(num_items) /
                                    static_cast<double>(items_.size()));
}

template <class Body> void bucket_sorter::for_each_bucket(const Body& body) {
  parallel_for(first_, last_, range_buckets, run_, [&](std::uint64_t begin, std::uint64_t end) {
    group_refiner refiner(text_, layout());
    for (std::uint64_t b = begin; b < end; ++b)
      if (!bucket(b).empty()) body(b, refiner);
  });
}

std::uint64_t bucket_sorter::refine_to_depth(std::uint64_t work) {
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

bool bucket_sorter::sort_by_text() {
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

bool bucket_sorter::takes_long(std::span<const std::uint64_t> items, const std::vector<item_group>& groups,
                               std::uint64_t max_reads) const {
  const auto size = [](const item_group& group) { return std::uint64_t{group.end - group.begin}; };
  const item_group& largest = *std::ranges::max_element(groups, {}, size);
  const std::uint64_t i = layout().position(items[largest.begin]),
                      j = layout().position(items[largest.begin + 1]);
  std::uint64_t reads = max_reads / size(largest) + 1;
  (void)text_.compare(i, j, max_depth(), std::min(text_.left(i), text_.left(j)) * text_.bits(), reads);
  return reads == 0;
}

} // namespace weft::bwt_detail
