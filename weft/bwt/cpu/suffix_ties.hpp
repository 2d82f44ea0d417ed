// Sorting the suffixes of one bucket, and refining groups of suffixes that agree so far.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/bwt/cpu/suffix_buckets.hpp>
#include <weft/bwt/cpu/suffix_chains.hpp>

namespace weft::bwt_detail {

// The items [begin, end) of an array of at most max_group_items items have equal keys; end - begin >= 2.
struct item_group {
  std::uint32_t begin, end;
};
inline constexpr std::uint64_t max_group_items = 0xffffffff;
[[nodiscard]] constexpr item_group make_group(std::uint64_t begin, std::uint64_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

// Sorts items as numbers, on the calling thread. Takes O(n) time if they are in order or in reverse order, or
// if nearly all keys are equal and the positions in order.
void sort_items(const item_layout& layout, std::span<std::uint64_t> items);

// Appends the groups of `items`, which are sorted; `offset` is added to their indexes.
void append_groups(const item_layout& layout, std::span<const std::uint64_t> items, std::uint64_t offset,
                   std::vector<item_group>& groups);

// The members of groups one after another, so that a loop over them is not interrupted at the end of each
// group: the memory that it waits for is then read for several members at once.
class member_list {
public:
  // Lists the indexes of the members of all groups.
  void list(std::span<const item_group> groups);
  [[nodiscard]] std::span<const std::uint32_t> indexes() const { return indexes_; }

private:
  unwritten_vector<std::uint32_t> indexes_;
};

// A group_refiner sorts arrays of items further and further. One thread uses it for one array after another.
class group_refiner {
public:
  group_refiner(const suffix_string& text, const item_layout& layout) : text_(text), layout_(layout) {}

  // Starts with a bucket of fewer than 2^32 items: sorts it, and finds the groups.
  void start_bucket(std::span<std::uint64_t> items, std::uint64_t depth);

  // Starts with an array and its groups, whose suffixes agree in `depth` bits.
  void start(std::span<std::uint64_t> items, std::vector<item_group> groups, std::uint64_t depth) {
    items_ = items;
    groups_ = std::move(groups);
    depth_ = depth;
  }

  // Returns the groups that are left, in ascending order, and the bits in which their suffixes agree.
  [[nodiscard]] std::vector<item_group>& groups() { return groups_; }
  [[nodiscard]] std::uint64_t depth() const { return depth_; }

  // Sorts the groups by the next key_bits bits of the text, or fewer, up to a depth of max_depth bits.
  // Suffixes that have ended come first, the shorter one before the longer one.
  void refine_by_text(std::uint64_t max_depth = ~std::uint64_t{0});

  // Moves the suffixes of fewer than min_bits bits out of their groups, to their places before them, the
  // shorter ones first. The other members keep their order. 0 < min_bits <= depth() + 1.
  void order_ended(std::uint64_t min_bits);

  // Looks for groups that consist of chains (suffix_chains.hpp), and replaces them by the ends of their
  // chains. Appends what expand_chains() needs.
  void collapse_chains(std::vector<chain_group>& chains);

  // Orders the members of the chains of an array whose groups have been sorted.
  void expand_chains(std::span<std::uint64_t> items, std::span<const chain_group> chains) const;

  // Sorts the groups completely by comparing their suffixes, unless that takes more than max_words
  // comparisons of up to 57 bits. Takes their number off max_words. Returns whether the groups are sorted.
  [[nodiscard]] bool compare_suffixes(std::uint64_t& max_words);

private:
  // Does so for one group.
  void order_ended(item_group& group, std::uint64_t min_bits);
  // Sorts the groups by the keys of the items, and splits them into groups of equal keys.
  void sort_groups();
  // Returns whether the suffix of an item is less than that of another. Each comparison of up to 57 bits
  // takes one off max_words; the result is meaningless if that becomes 0.
  [[nodiscard]] bool is_less(std::uint64_t left, std::uint64_t right, std::uint64_t& max_words) const;

  const suffix_string& text_;
  item_layout layout_;
  std::span<std::uint64_t> items_;
  std::vector<item_group> groups_, refined_;
  member_list members_;
  std::uint64_t depth_ = 0;
};

} // namespace weft::bwt_detail
