// The order of the anchors.
//
// The plain version:
//     name(a) = rank of the first `depth` symbols of anchor a
//     run(a) = (name(a), the key of the run of anchors that ends at a)
//     sort all kept anchors a by (name(a), run(a + 1), run(a + 2), ...)
//
// If no anchor has a run before it, run(a) orders as name(a), and prefix doubling sorts the string of names.
// Otherwise the suffixes of the string of runs are sorted, and the anchors by (name(a), rank of the
// string of runs from a + 1 on).
//
// A group is a range of an array of items whose anchors agree so far. The rank of an anchor is the index at
// which its group begins, or its own index if it is in no group.
#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/suffix_anchors.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t range_groups = 256; // that a thread takes at a time

using group_list = std::vector<item_group>;
using rank_list = unwritten_vector<std::uint32_t>;

// The items of an array of numbers of anchors: a key in the high bits, and the number in the low bits.
struct number_array {
  std::span<std::uint64_t> items;
  item_layout layout;
  const run_options& run;

  [[nodiscard]] std::span<std::uint64_t> members(const item_group& group) const {
    return items.subspan(group.begin, group.end - group.begin);
  }
  [[nodiscard]] std::uint64_t number(std::uint64_t item) const { return layout.position(item); }

  // Calls body(groups, refined) for ranges of groups. Returns all groups that the calls append to `refined`.
  template <class Body> group_list for_each_range(const group_list& groups, const Body& body) const {
    std::mutex mutex;
    group_list all;
    parallel_for(0, groups.size(), range_groups, run, [&](std::uint64_t first, std::uint64_t last) {
      group_list refined;
      body(std::span(groups).subspan(first, last - first), refined);
      const std::lock_guard lock(mutex);
      all.insert(all.end(), refined.begin(), refined.end());
    });
    return all;
  }

  template <class Key> void set_keys(std::span<std::uint64_t> to, const Key& key) const {
    for (std::uint64_t& item : to) item = layout.item(key(number(item)), number(item));
  }

  // Sorts each group by key(number), which has at most layout.key_bits bits, unless sort_otherwise(members)
  // has sorted it and returns true. Returns the groups of equal keys.
  template <class Key, class Sort>
  group_list refine(const group_list& groups, const Key& key, const Sort& sort_otherwise) const {
    return for_each_range(groups, [&](std::span<const item_group> range, group_list& refined) {
      for (const item_group& group : range)
        if (!sort_otherwise(members(group))) set_keys(members(group), key);
      for (const item_group& group : range) {
        sort_items(layout, members(group));
        append_groups(layout, members(group), group.begin, refined);
      }
    });
  }

  template <class Key> group_list refine(const group_list& groups, const Key& key) const {
    return refine(groups, key, [](std::span<std::uint64_t>) { return false; });
  }

  // Sets the ranks of the members of groups that refine() has refined.
  void write_ranks(const group_list& before, rank_list& ranks) const {
    for_each_range(before, [&](std::span<const item_group> range, group_list&) {
      for (const item_group& group : range) {
        std::uint64_t rank = group.begin;
        for (std::uint64_t j = group.begin; j < group.end; ++j) {
          if (j > group.begin && !layout.same_key(items[j - 1], items[j])) rank = j;
          ranks[number(items[j])] = static_cast<std::uint32_t>(rank);
        }
      }
    });
  }

  // Sorts the suffixes of a string of ranks whose groups are given: refines groups whose members agree in h
  // ranks by the rank h further on, for h = 1, 2, 4, ... Of a group of chains, only the ends are sorted so.
  void double_ranks(group_list groups, rank_list& ranks) const {
    for (std::uint64_t h = 1; !groups.empty(); h *= 2) {
      const auto key = [&](std::uint64_t a) {
        return a + h < ranks.size() ? std::uint64_t{ranks[a + h]} + 1 : 0;
      };
      const auto falls = [&](std::uint64_t end, std::uint64_t period) {
        return end + period >= ranks.size() || ranks[end + period] < ranks[end];
      };
      group_list refined = refine(groups, key, [&](std::span<std::uint64_t> group) {
        const std::uint64_t period = least_distance(layout, group);
        if (period == 0 || period > h) return false;
        const std::uint64_t num_ends = collapse_chains(layout, group, period);
        if (num_ends == 0) return false;
        set_keys(group.first(num_ends), key);
        sort_items(layout, group.first(num_ends));
        expand_chains(layout, group, num_ends, period, true, falls);
        return true;
      });
      write_ranks(groups, ranks);
      groups = std::move(refined);
    }
  }
};

} // namespace

void suffix_anchors::sort(const run_options& run) {
  position_set kept(blocks_.size());
  for (std::uint64_t w = 0; w < blocks_.size(); ++w) kept[w] = blocks_[w].kept;
  if (count() == 0) return;
  const std::uint64_t max_depth = depth_ * text_.bits();
  suffix_buckets buckets(text_, &kept, max_depth, run);
  unwritten_vector<std::uint64_t> all_items;
  allocate(all_items, count());
  buckets.distribute(0, buckets.count(), all_items);
  allocate(ranks_, count());
  group_list groups;
  std::mutex mutex;
  parallel_for(0, buckets.count(), 16, run, [&](std::uint64_t first, std::uint64_t last) {
    group_refiner refiner(text_, buckets.layout());
    for (std::uint64_t b = first; b < last; ++b) {
      const std::uint64_t begin = buckets.begin(b);
      const auto items = std::span(all_items).subspan(begin, buckets.begin(b + 1) - begin);
      refiner.start_bucket(items, buckets.depth());
      refiner.refine(max_depth, nullptr);
      for (std::uint64_t j = 0; j < items.size(); ++j) {
        items[j] = number_of(buckets.layout().position(items[j]));
        ranks_[items[j]] = static_cast<std::uint32_t>(begin + j);
      }
      for (item_group& group : refiner.groups()) {
        for (std::uint64_t j = group.begin; j < group.end; ++j)
          ranks_[items[j]] = static_cast<std::uint32_t>(begin + group.begin);
        group = make_group(begin + group.begin, begin + group.end);
      }
      const std::lock_guard lock(mutex);
      groups.insert(groups.end(), refiner.groups().begin(), refiner.groups().end());
    }
  });

  const auto number_bits = std::max(1U, static_cast<unsigned>(std::bit_width(count() - 1)));
  const number_array numbers{all_items, {number_bits, 64 - number_bits}, run};
  std::atomic<bool> has_runs = false;
  numbers.for_each_range(groups, [&](std::span<const item_group> range, group_list&) {
    for (const item_group& group : range)
      for (const std::uint64_t number : numbers.members(group))
        if (ends_run(number)) has_runs.store(true, std::memory_order_relaxed);
  });
  if (!has_runs) return numbers.double_ranks(std::move(groups), ranks_);

  unwritten_vector<std::uint64_t> items_of_runs = all_items;
  const number_array runs{items_of_runs, numbers.layout, run};
  rank_list ranks_of_runs = ranks_;
  const auto key = [&](std::uint64_t number) { return run_key(number, run_before(number)); };
  // A key may take all 64 bits, so its halves are sorted by one after the other.
  group_list halves = runs.refine(groups, [&](std::uint64_t number) { return key(number) >> 32; });
  runs.write_ranks(groups, ranks_of_runs);
  group_list refined = runs.refine(halves, [&](std::uint64_t number) { return key(number) & 0xffffffffU; });
  runs.write_ranks(halves, ranks_of_runs);
  runs.double_ranks(std::move(refined), ranks_of_runs);
  (void)numbers.refine(groups, [&](std::uint64_t number) {
    return number + 1 < count() ? std::uint64_t{ranks_of_runs[number + 1]} + 1 : 0;
  });
  numbers.write_ranks(groups, ranks_);
}

} // namespace weft::bwt_detail
