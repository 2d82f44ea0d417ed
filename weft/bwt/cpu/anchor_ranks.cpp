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
//
// If several processes share the work, each sorts a range of the array, and has a list of all ranks, in which
// it looks them up. Whenever the ranks of a range are written, the processes gather them.
#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <weft/base/parallel.hpp>
#include <weft/bwt/cpu/suffix_anchors.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t range_groups = 256; // that a thread takes at a time

// Ranks that processes gather at a time.
constexpr std::uint64_t gathered_ranks = std::uint64_t{1} << 16, min_gathered_ranks = 1024;

using group_list = std::vector<item_group>;

// The ranks of anchors, by their numbers. Each of the processes that share the anchors has a copy of them
// all.
class rank_list {
public:
  rank_list(std::uint64_t count, const run_options& run, position_sharing* sharing)
      : run_(run), sharing_(sharing) {
    run_in_all([&] { allocate(ranks_, count); });
  }
  // Makes a copy.
  rank_list(const rank_list& other) : run_(other.run_), sharing_(other.sharing_) {
    run_in_all([&] { ranks_ = other.ranks_; });
  }
  rank_list& operator=(const rank_list&) = delete;

  [[nodiscard]] std::uint64_t size() const { return ranks_.size(); }
  [[nodiscard]] std::uint32_t operator[](std::uint64_t number) const { return ranks_[number]; }
  void set(std::uint64_t number, std::uint64_t rank) { ranks_[number] = static_cast<std::uint32_t>(rank); }
  [[nodiscard]] unwritten_vector<std::uint32_t> take() { return std::move(ranks_); }

  void run_in_all(const std::function<void()>& step) const { bwt_detail::run_in_all(sharing_, step); }
  [[nodiscard]] bool is_shared() const { return sharing_ != nullptr; }
  // Returns the sum of a number over all processes.
  [[nodiscard]] std::uint64_t sum(std::uint64_t number) const {
    if (is_shared()) sharing_->sum({&number, 1});
    return number;
  }
  // Returns how many ranks a process gives to the others at a time.
  [[nodiscard]] std::uint64_t batch_size() const {
    return std::max(min_gathered_ranks, gathered_ranks / sharing_->parts());
  }
  // Gives the others the ranks of the numbers of `num_batches` batches of this process, which numbers_of(b)
  // returns for b < num_batches.
  template <class NumbersOf> void share(std::uint64_t num_batches, const NumbersOf& numbers_of) {
    const unwritten_vector<std::uint64_t> of_all = sharing_->gather({&num_batches, 1});
    for (std::uint64_t b = 0; b < *std::ranges::max_element(of_all); ++b) {
      std::vector<std::uint64_t> changes;
      if (b < num_batches) changes = numbers_of(b);
      for (std::uint64_t& each : changes) each = each << 32 | ranks_[each];
      const unwritten_vector<std::uint64_t> all = sharing_->gather(changes);
      parallel_for(0, all.size(), min_gathered_ranks, run_, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last; ++i) set(all[i] >> 32, all[i] & 0xffffffffU);
      });
    }
  }

private:
  const run_options& run_;
  position_sharing* sharing_;
  unwritten_vector<std::uint32_t> ranks_;
};

// The items of an array of numbers of anchors, or of a range of it: a key in the high bits, and the number in
// the low bits. The range begins at index `first` of the array.
struct number_array {
  std::span<std::uint64_t> items;
  std::uint64_t first;
  item_layout layout;
  const run_options& run;

  [[nodiscard]] std::span<std::uint64_t> members(const item_group& group) const {
    return items.subspan(group.begin, group.end - group.begin);
  }
  [[nodiscard]] std::uint64_t number(std::uint64_t item) const { return layout.position(item); }

  // Calls body(groups, results) for ranges of groups. Returns all results that the calls append.
  template <class Result, class Body>
  std::vector<Result> for_each_range(std::span<const item_group> groups, const Body& body) const {
    std::mutex mutex;
    std::vector<Result> all;
    parallel_for(0, groups.size(), range_groups, run, [&](std::uint64_t begin, std::uint64_t end) {
      std::vector<Result> results;
      body(groups.subspan(begin, end - begin), results);
      const std::lock_guard lock(mutex);
      all.insert(all.end(), results.begin(), results.end());
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
    return for_each_range<item_group>(groups, [&](std::span<const item_group> range, group_list& refined) {
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

  // Sets the ranks of the members of groups that refine() has refined. If the ranks are shared, returns the
  // numbers whose ranks have changed.
  std::vector<std::uint64_t> set_ranks(std::span<const item_group> before, rank_list& ranks) const {
    return for_each_range<std::uint64_t>(
        before, [&](std::span<const item_group> range, std::vector<std::uint64_t>& changed) {
          for (const item_group& group : range) {
            std::uint64_t rank = first + group.begin;
            for (std::uint64_t j = group.begin; j < group.end; ++j) {
              if (j > group.begin && !layout.same_key(items[j - 1], items[j])) rank = first + j;
              const std::uint64_t each = number(items[j]);
              if (ranks.is_shared() && ranks[each] != rank) changed.push_back(each);
              ranks.set(each, rank);
            }
          }
        });
  }

  // Does the same for the groups of all processes, in all of them.
  void write_ranks(const group_list& before, rank_list& ranks) const {
    if (!ranks.is_shared()) return (void)set_ranks(before, ranks);
    std::vector<std::uint64_t> begins; // of batches of groups, which have as many members as a batch of ranks
    std::uint64_t num_members = ranks.batch_size();
    for (std::uint64_t g = 0; g < before.size(); ++g) {
      if (num_members >= ranks.batch_size()) {
        begins.push_back(g);
        num_members = 0;
      }
      num_members += before[g].end - before[g].begin;
    }
    begins.push_back(before.size());
    ranks.share(begins.size() - 1, [&](std::uint64_t b) {
      return set_ranks(std::span(before).subspan(begins[b], begins[b + 1] - begins[b]), ranks);
    });
  }

  // Gives other processes the ranks of all numbers of the range.
  void share_ranks(rank_list& ranks) const {
    if (!ranks.is_shared()) return;
    const std::uint64_t size = ranks.batch_size();
    ranks.share((items.size() + size - 1) / size, [&](std::uint64_t b) {
      const std::span<std::uint64_t> batch =
          items.subspan(b * size, std::min<std::uint64_t>(size, items.size() - b * size));
      std::vector<std::uint64_t> numbers;
      for (const std::uint64_t item : batch) numbers.push_back(number(item));
      return numbers;
    });
  }

  // Sorts the suffixes of a string of ranks whose groups are given: refines groups whose members agree in h
  // ranks by the rank h further on, for h = 1, 2, 4, ... Of a group of chains, only the ends are sorted so.
  void double_ranks(group_list groups, rank_list& ranks) const {
    for (std::uint64_t h = 1; ranks.sum(groups.size()) != 0; h *= 2) {
      const auto key = [&](std::uint64_t a) {
        return a + h < ranks.size() ? std::uint64_t{ranks[a + h]} + 1 : 0;
      };
      const auto falls = [&](std::uint64_t end, std::uint64_t period) {
        return end + period >= ranks.size() || ranks[end + period] < ranks[end];
      };
      group_list refined = refine(groups, key, [&](std::span<std::uint64_t> group) {
        const std::uint64_t period = min_distance(layout, group);
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

  // Sorts groups of names, whose ranks are given, by the strings of runs behind them. key(number) is that of
  // the run that ends at an anchor.
  template <class Key> void sort_by_runs(const group_list& groups, const Key& key, rank_list& ranks) const {
    unwritten_vector<std::uint64_t> items_of_runs;
    ranks.run_in_all([&] { items_of_runs.assign(items.begin(), items.end()); });
    const number_array runs{items_of_runs, first, layout, run};
    rank_list ranks_of_runs = ranks;
    // A key may take all 64 bits, so its halves are sorted by one after the other.
    const group_list halves = runs.refine(groups, [&](std::uint64_t number) { return key(number) >> 32; });
    runs.write_ranks(groups, ranks_of_runs);
    group_list refined = runs.refine(halves, [&](std::uint64_t number) { return key(number) & 0xffffffffU; });
    runs.write_ranks(halves, ranks_of_runs);
    runs.double_ranks(std::move(refined), ranks_of_runs);
    (void)refine(groups, [&](std::uint64_t number) {
      return number + 1 < ranks.size() ? std::uint64_t{ranks_of_runs[number + 1]} + 1 : 0;
    });
    write_ranks(groups, ranks);
  }
};

} // namespace

// Replaces the items of the buckets [first, last) by the numbers of their anchors, in the order of the first
// `depth` symbols. Returns the groups of anchors that agree in all of these.
std::vector<item_group> suffix_anchors::sort_by_symbols(const suffix_buckets& buckets, std::uint64_t first,
                                                        std::uint64_t last,
                                                        std::span<std::uint64_t> all_items,
                                                        const run_options& run) const {
  group_list groups;
  std::mutex mutex;
  parallel_for(first, last, 16, run, [&](std::uint64_t range_first, std::uint64_t range_last) {
    group_refiner refiner(text_, buckets.layout());
    for (std::uint64_t b = range_first; b < range_last; ++b) {
      const std::uint64_t begin = buckets.begin(b) - buckets.begin(first);
      const auto items = all_items.subspan(begin, buckets.begin(b + 1) - buckets.begin(b));
      refiner.start_bucket(items, buckets.depth());
      refiner.refine(depth_ * text_.bits(), nullptr);
      for (std::uint64_t& item : items) item = number_of(buckets.layout().position(item));
      for (item_group& group : refiner.groups()) group = make_group(begin + group.begin, begin + group.end);
      const std::lock_guard lock(mutex);
      groups.insert(groups.end(), refiner.groups().begin(), refiner.groups().end());
    }
  });
  return groups;
}

void suffix_anchors::sort(const run_options& run, position_sharing* sharing) {
  if (count() == 0) return;
  unwritten_vector<std::uint64_t> all_items;
  std::uint64_t first = 0; // the index of the first item in the order of all
  group_list groups;
  {
    position_set kept;
    run_in_all(sharing, [&] { allocate(kept, blocks_.size()); });
    for (std::uint64_t w = 0; w < blocks_.size(); ++w) kept[w] = blocks_[w].kept;
    const suffix_buckets buckets(text_, &kept, depth_ * text_.bits(), run, sharing);
    const std::uint64_t part = sharing == nullptr ? 0 : sharing->part();
    const std::vector<std::uint64_t> first_buckets =
        buckets.divide(sharing == nullptr ? 1 : sharing->parts());
    if (sharing == nullptr) {
      allocate(all_items, count());
      buckets.distribute(0, buckets.count(), all_items);
    } else {
      all_items = sharing->exchange(buckets, first_buckets);
    }
    first = buckets.begin(first_buckets[part]);
    groups = sort_by_symbols(buckets, first_buckets[part], first_buckets[part + 1], all_items, run);
  }
  const auto number_bits = std::max(1U, static_cast<unsigned>(std::bit_width(count() - 1)));
  const number_array numbers{all_items, first, {number_bits, 64 - number_bits}, run};
  rank_list ranks(count(), run, sharing);
  parallel_for(0, all_items.size(), std::uint64_t{1} << 16, run, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t j = begin; j < end; ++j) ranks.set(all_items[j], first + j);
  });
  (void)numbers.set_ranks(groups, ranks); // the members have equal keys
  numbers.share_ranks(ranks);

  std::atomic<bool> has_runs = false;
  (void)numbers.for_each_range<item_group>(groups, [&](std::span<const item_group> range, group_list&) {
    for (const item_group& group : range)
      for (const std::uint64_t number : numbers.members(group))
        if (ends_run(number)) has_runs.store(true, std::memory_order_relaxed);
  });
  if (ranks.sum(has_runs ? 1 : 0) == 0)
    numbers.double_ranks(std::move(groups), ranks);
  else
    numbers.sort_by_runs(
        groups, [&](std::uint64_t number) { return run_key(number, run_before(number)); }, ranks);
  ranks_ = ranks.take();
}

} // namespace weft::bwt_detail
