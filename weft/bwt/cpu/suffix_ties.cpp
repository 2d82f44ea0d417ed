// The plain version of refine():
//     for each group, and as long as its suffixes agree: depth += 57
//     sort the group by the next bits; go on with the groups of equal bits
//
// The suffixes of a group are anywhere in the text. Each group is sorted as far as possible at once, so that
// the cache lines of the packed text are read from memory once; those of coming groups are asked for in
// advance.
#include <weft/bwt/cpu/suffix_ties.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <weft/sort/core/insertion_sort.hpp>
#include <weft/sort/cpu/numbers.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t cache_line_bytes = 64;

// Returns whether half of some items have the same key as the one in the middle.
bool has_frequent_key(const item_layout& layout, std::span<const std::uint64_t> items) {
  constexpr std::size_t min_items = 256, samples = 16;
  if (items.size() < min_items) return false;
  std::size_t equal = 0;
  for (std::size_t k = 0; k < samples; ++k)
    equal += std::size_t{layout.same_key(items[items.size() / samples * k], items[items.size() / 2])};
  return equal >= samples / 2;
}

// Sorts items of which many have the key of the one in the middle. Moves these together, in their order.
void sort_around_key(const item_layout& layout, std::span<std::uint64_t> items) {
  const std::uint64_t pivot = items[items.size() / 2];
  std::vector<std::uint64_t> less, greater;
  std::size_t equal = 0;
  for (const std::uint64_t item : items)
    if (layout.same_key(item, pivot))
      items[equal++] = item;
    else
      (item < pivot ? less : greater).push_back(item);
  std::copy_backward(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(equal),
                     items.begin() + static_cast<std::ptrdiff_t>(less.size() + equal));
  std::copy(less.begin(), less.end(), items.begin());
  std::copy(greater.begin(), greater.end(), items.begin() + static_cast<std::ptrdiff_t>(less.size() + equal));
  const auto sort = [&](std::span<std::uint64_t> part) {
    if (!std::is_sorted(part.begin(), part.end()))
      sort_detail::sort_integers(part, sort_detail::sort_order::ascending, 1, nullptr);
  };
  sort(items.first(less.size()));
  sort(items.subspan(less.size(), equal));
  sort(items.last(greater.size()));
}

} // namespace

void sort_items(const item_layout& layout, std::span<std::uint64_t> items) {
  constexpr std::size_t max_insertion_sort = 24;
  if (items.size() <= max_insertion_sort) {
    const std::less<> less;
    return sort_detail::sort_by_insertion(items.data(), items.size(), less);
  }
  if (std::is_sorted(items.begin(), items.end())) return;
  if (std::is_sorted(items.begin(), items.end(), std::greater<>()))
    return std::reverse(items.begin(), items.end());
  if (has_frequent_key(layout, items)) return sort_around_key(layout, items);
  sort_detail::sort_integers(items, sort_detail::sort_order::ascending, 1, nullptr);
}

void append_groups(const item_layout& layout, std::span<const std::uint64_t> items, std::uint64_t offset,
                   std::vector<item_group>& groups) {
  const std::uint64_t n = items.size();
  if (n <= 16) {
    for (std::uint64_t i = 0, begin = 0; i < n; ++i) {
      if (i + 1 < n && layout.same_key(items[i], items[i + 1])) continue;
      if (i > begin) groups.push_back(make_group(offset + begin, offset + i + 1));
      begin = i + 1;
    }
    return;
  }
  for (std::uint64_t i = 0; i + 1 < n;) {
    // Bit k: items i + k and i + k + 1 are equal.
    const std::uint64_t pairs = std::min<std::uint64_t>(64, n - 1 - i);
    std::uint64_t equal = 0;
    for (std::uint64_t k = 0; k < pairs; ++k)
      equal |= std::uint64_t{layout.same_key(items[i + k], items[i + k + 1])} << k;
    std::uint64_t next = i + pairs;
    while (equal != 0) {
      const auto begin = static_cast<unsigned>(std::countr_zero(equal));
      const auto length = static_cast<unsigned>(std::countr_one(equal >> begin));
      std::uint64_t end = i + begin + length + 1;
      if (begin + length == pairs) { // the group may go on
        while (end < n && layout.same_key(items[end - 1], items[end])) ++end;
        next = end;
        equal = 0;
      } else {
        equal &= ~std::uint64_t{0} << (begin + length);
      }
      groups.push_back(make_group(offset + i + begin, offset + end));
    }
    i = next;
  }
}

void group_refiner::start_bucket(std::span<std::uint64_t> items, std::uint64_t depth) {
  items_ = items;
  groups_.clear();
  depth_ = depth;
  sort_items(layout_, items);
  append_groups(layout_, items, 0, groups_);
}

std::uint64_t group_refiner::min_suffix_bits(const item_group& group) const {
  std::uint64_t last = 0, min_left = ~std::uint64_t{0};
  for (const std::uint64_t item : members(group)) {
    const std::uint64_t i = layout_.position(item);
    if (text_.has_parts())
      min_left = std::min(min_left, text_.left(i));
    else
      last = std::max(last, i);
  }
  return (text_.has_parts() ? min_left : text_.left(last)) * text_.bits();
}

void group_refiner::order_ended(item_group& group, std::uint64_t min_bits) const {
  const std::span<std::uint64_t> all = members(group);
  const auto left = [&](std::uint64_t item) { return text_.left(layout_.position(item)); };
  const auto end = std::stable_partition(
      all.begin(), all.end(), [&](std::uint64_t item) { return left(item) * text_.bits() < min_bits; });
  std::sort(all.begin(), end, [&](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t i = layout_.position(a), j = layout_.position(b);
    return std::pair(text_.left(i), i) < std::pair(text_.left(j), j);
  });
  group.begin += static_cast<std::uint32_t>(end - all.begin());
}

void group_refiner::prefetch(const item_group& group) const {
  for (const std::uint64_t item : members(group)) {
    const std::uint64_t bit = layout_.position(item) * text_.bits() + depth_;
    text_.prefetch(bit);
    text_.prefetch(bit + 8 * cache_line_bytes);
  }
}

void group_refiner::collapse_chains(item_group& group, std::uint64_t depth,
                                    std::vector<chain_group>& chains) const {
  const std::span<std::uint64_t> all = members(group);
  const std::uint64_t period = min_distance(layout_, all);
  if (period == 0 || period * text_.bits() >= depth) return;
  const std::uint64_t num_ends = weft::bwt_detail::collapse_chains(layout_, all, period);
  if (num_ends == 0) return;
  chains.push_back({group.begin, all.size(), num_ends, period});
  group.end = group.begin + static_cast<std::uint32_t>(num_ends);
}

void group_refiner::expand_chains(std::span<std::uint64_t> items, std::span<const chain_group> chains) const {
  // The suffix behind an end has ended, or differs from it where all members agree.
  const auto falls = [&](std::uint64_t end, std::uint64_t period) {
    std::uint64_t max_words = ~std::uint64_t{0};
    return text_.compare(end, end + period, 0, text_.left(end + period) * text_.bits(), max_words) >= 0;
  };
  // The ends of a group may have been collapsed again.
  for (std::size_t k = chains.size(); k-- > 0;)
    weft::bwt_detail::expand_chains(layout_, items.subspan(chains[k].begin, chains[k].size),
                                    chains[k].num_ends, chains[k].period, false, falls);
}

void group_refiner::split(const item_group& group, std::uint64_t depth, unsigned key_bits) {
  for (std::uint64_t& item : members(group)) {
    const std::uint64_t i = layout_.position(item);
    item = layout_.item(text_.window(i, depth) >> (64 - key_bits), i);
  }
  sort_items(layout_, members(group));
  parts_.clear();
  append_groups(layout_, members(group), group.begin, parts_);
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part)
    pending_.push_back({*part, depth + key_bits});
}

void group_refiner::refine(pending_group from, const refine_limits& limits, std::uint64_t& max_reads) {
  auto [group, depth] = from;
  bool is_new = true; // the group has not been searched for chains
  for (std::uint64_t end = min_suffix_bits(group);;) {
    const std::uint64_t min_bits = std::min(depth + 1, limits.max_depth);
    if (end < min_bits) {
      order_ended(group, min_bits);
      if (group.end - group.begin < 2) return;
      end = min_suffix_bits(group);
      continue;
    }
    const bool is_last = depth == limits.max_depth;
    if (limits.chains != nullptr && (is_new || is_last)) {
      collapse_chains(group, depth, *limits.chains);
      if (group.end - group.begin < 2) return;
      is_new = false;
    }
    if (is_last) return refined_.push_back(group);
    const std::uint64_t size = group.end - group.begin;
    if (max_reads < size) {
      max_reads = 0;
      return;
    }
    max_reads -= size;
    const auto bits =
        static_cast<unsigned>(std::min<std::uint64_t>(suffix_string::window_bits, limits.max_depth - depth));
    const std::span<std::uint64_t> all = members(group);
    const std::uint64_t first = text_.window(layout_.position(all[0]), depth);
    std::uint64_t other = first, different = 0;
    for (std::uint64_t k = 1; k < size; ++k) {
      other = text_.window(layout_.position(all[k]), depth);
      different |= first ^ other;
    }
    if (different >> (64 - bits) != 0) {
      if (size > 2) return split(group, depth, std::min(bits, layout_.key_bits));
      if (other < first) std::swap(all[0], all[1]);
      return;
    }
    depth += bits;
  }
}

bool group_refiner::refine(const refine_limits& limits, std::uint64_t& max_reads) {
  constexpr std::uint64_t members_ahead = 64; // whose memory is asked for
  refined_.clear();
  std::uint64_t ahead = 0;
  auto coming = groups_.begin();
  for (const item_group& group : groups_) {
    for (; coming != groups_.end() && ahead < members_ahead; ++coming) {
      prefetch(*coming);
      ahead += coming->end - coming->begin;
    }
    ahead -= group.end - group.begin;
    pending_.assign(1, {group, depth_});
    while (!pending_.empty()) {
      const pending_group next = pending_.back();
      pending_.pop_back();
      refine(next, limits, max_reads);
      if (max_reads == 0) return false;
    }
  }
  return true;
}

void group_refiner::refine(std::uint64_t max_depth, std::vector<chain_group>* chains) {
  std::uint64_t max_reads = ~std::uint64_t{0};
  refine({max_depth, chains}, max_reads);
  groups_.swap(refined_);
  depth_ = max_depth;
}

bool group_refiner::sort(std::uint64_t& max_reads) { return refine({~std::uint64_t{0}, nullptr}, max_reads); }

} // namespace weft::bwt_detail
