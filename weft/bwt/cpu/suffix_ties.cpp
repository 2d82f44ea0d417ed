#include <weft/bwt/cpu/suffix_ties.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <weft/sort/core/insertion_sort.hpp>
#include <weft/sort/cpu/numbers.hpp>

namespace weft::bwt_detail {

namespace {

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

void member_list::list(std::span<const item_group> groups) {
  std::uint64_t count = 0;
  for (const item_group& group : groups) count += group.end - group.begin;
  indexes_.resize(count + 3);
  std::uint32_t* to = indexes_.data();
  for (const item_group& group : groups) {
    const std::uint32_t begin = group.begin, size = group.end - begin;
    for (std::uint32_t k = 0; k < 4; ++k) to[k] = begin + k; // nearly all groups have at most four members
    for (std::uint32_t k = 4; k < size; ++k) to[k] = begin + k;
    to += size;
  }
  indexes_.resize(count);
}

void group_refiner::order_ended(item_group& group, std::uint64_t min_bits) {
  const std::span<std::uint64_t> members = items_.subspan(group.begin, group.end - group.begin);
  const auto left = [&](std::uint64_t item) { return text_.left(layout_.position(item)); };
  const auto has_ended = [&](std::uint64_t item) { return left(item) * text_.bits() < min_bits; };
  if (std::ranges::none_of(members, has_ended)) return;
  const auto end = std::stable_partition(members.begin(), members.end(), has_ended);
  std::sort(members.begin(), end, [&](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t i = layout_.position(a), j = layout_.position(b);
    return std::pair(text_.left(i), i) < std::pair(text_.left(j), j);
  });
  group.begin += static_cast<std::uint32_t>(end - members.begin());
}

void group_refiner::order_ended(std::uint64_t min_bits) {
  members_.list(groups_);
  std::uint64_t min_left = ~std::uint64_t{0};
  if (text_.has_parts()) {
    for (const std::uint32_t j : members_.indexes())
      min_left = std::min(min_left, text_.left(layout_.position(items_[j])));
  } else {
    std::uint64_t last_position = 0;
    for (const std::uint32_t j : members_.indexes())
      last_position = std::max(last_position, layout_.position(items_[j]));
    min_left = text_.left(last_position);
  }
  if (min_left * text_.bits() >= min_bits) return;
  for (item_group& group : groups_) order_ended(group, min_bits);
  std::erase_if(groups_, [](const item_group& group) { return group.end - group.begin < 2; });
  members_.list(groups_);
}

void group_refiner::refine_by_text(std::uint64_t max_depth) {
  const auto key_bits = static_cast<unsigned>(std::min<std::uint64_t>(layout_.key_bits, max_depth - depth_));
  const std::uint64_t bits = text_.bits();
  order_ended(depth_ + 1);
  const std::span<const std::uint32_t> indexes = members_.indexes();
  constexpr std::uint64_t ahead = 24;
  const std::uint64_t count = indexes.size();
  for (std::uint64_t k = 0; k < count; ++k) {
    text_.prefetch(layout_.position(items_[indexes[std::min(k + ahead, count - 1)]]) * bits + depth_);
    std::uint64_t& item = items_[indexes[k]];
    const std::uint64_t i = layout_.position(item);
    item = layout_.item(text_.window(i, depth_) >> (64 - key_bits), i);
  }
  sort_groups();
  depth_ += key_bits;
}

void group_refiner::sort_groups() {
  refined_.clear();
  for (const item_group& group : groups_) {
    const std::uint64_t size = group.end - group.begin;
    if (size == 2) {
      std::uint64_t* const pair = &items_[group.begin];
      const std::uint64_t low = std::min(pair[0], pair[1]), high = std::max(pair[0], pair[1]);
      pair[0] = low;
      pair[1] = high;
      if (layout_.same_key(low, high)) refined_.push_back(group);
      continue;
    }
    sort_items(layout_, items_.subspan(group.begin, size));
    append_groups(layout_, items_.subspan(group.begin, size), group.begin, refined_);
  }
  groups_.swap(refined_);
}

void group_refiner::collapse_chains(std::vector<chain_group>& chains) {
  const auto members_of = [&](const item_group& group) {
    return items_.subspan(group.begin, group.end - group.begin);
  };
  const auto period_of = [&](const item_group& group) {
    const std::uint64_t distance = min_distance(layout_, members_of(group));
    return distance * text_.bits() < depth_ ? distance : 0;
  };
  if (std::ranges::all_of(groups_, [&](const item_group& group) { return period_of(group) == 0; })) return;
  order_ended(depth_ + 1);
  refined_.clear();
  for (item_group group : groups_) {
    const std::span<std::uint64_t> members = members_of(group);
    const std::uint64_t period = period_of(group),
                        num_ends =
                            period == 0 ? 0 : weft::bwt_detail::collapse_chains(layout_, members, period);
    if (num_ends > 0) {
      chains.push_back({group.begin, members.size(), num_ends, period});
      group.end = group.begin + static_cast<std::uint32_t>(num_ends);
    }
    if (group.end - group.begin >= 2) refined_.push_back(group);
  }
  groups_.swap(refined_);
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

namespace {

// Sorts items, mostly two. Once a comparison has given up, all further ones return false and the order of the
// items is unspecified; a search that goes on while `less` returns true then stops at once, within the items.
template <class Less> void sort_by_comparing(std::span<std::uint64_t> items, const Less& less) {
  constexpr std::size_t max_insertion_sort = 16;
  if (items.size() > max_insertion_sort) return std::sort(items.begin(), items.end(), less);
  sort_detail::sort_by_insertion(items.data(), items.size(), less);
}

} // namespace

bool group_refiner::is_less(std::uint64_t left, std::uint64_t right, std::uint64_t& max_words) const {
  const std::uint64_t i = layout_.position(left), j = layout_.position(right), bits = text_.bits();
  if (i == j) return false;
  const std::uint64_t left_of_i = text_.left(i), left_of_j = text_.left(j),
                      common = std::min(left_of_i, left_of_j) * bits;
  if (const int order = text_.compare(i, j, depth_, common, max_words); order != 0 || max_words == 0)
    return order < 0;
  return std::pair(left_of_i, i) < std::pair(left_of_j, j); // one of them has ended
}

bool group_refiner::compare_suffixes(std::uint64_t& max_words) {
  order_ended(depth_ + 1);
  constexpr std::uint64_t ahead = 8;
  for (std::uint64_t g = 0; g < groups_.size(); ++g) {
    const item_group& coming = groups_[std::min(g + ahead, groups_.size() - 1)];
    for (std::uint64_t k = 0; k < 2; ++k)
      text_.prefetch(layout_.position(items_[coming.begin + k]) * text_.bits() + depth_);
    const std::span<std::uint64_t> members =
        items_.subspan(groups_[g].begin, groups_[g].end - groups_[g].begin);
    sort_by_comparing(members, [&](std::uint64_t a, std::uint64_t b) { return is_less(a, b, max_words); });
    if (max_words == 0) return false;
  }
  return true;
}

} // namespace weft::bwt_detail
