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

  // Returns the groups that are left, in ascending order.
  [[nodiscard]] std::vector<item_group>& groups() { return groups_; }

  // Sorts the groups by the bits of the suffixes from their depth up to max_depth. A suffix that ends where
  // others go on comes before them, and leaves its group. The suffixes of the groups that are left agree in
  // max_depth bits, and have as many. If `chains` is not null, groups that consist of chains
  // (suffix_chains.hpp) are replaced by the ends of their chains, and what expand_chains() needs is appended.
  void refine(std::uint64_t max_depth, std::vector<chain_group>* chains);

  // Orders the members of the chains of an array whose groups have been sorted.
  void expand_chains(std::span<std::uint64_t> items, std::span<const chain_group> chains) const;

  // Sorts the groups completely, unless that takes more than max_reads reads of up to 57 bits. Takes their
  // number off max_reads. Returns whether the groups are sorted; otherwise their members are in any order.
  [[nodiscard]] bool sort(std::uint64_t& max_reads);

private:
  // A group whose suffixes agree in `depth` bits.
  struct pending_group {
    item_group group;
    std::uint64_t depth;
  };
  // How far groups are sorted, and where chains are listed, or null.
  struct refine_limits {
    std::uint64_t max_depth;
    std::vector<chain_group>* chains;
  };

  [[nodiscard]] std::span<std::uint64_t> members(const item_group& group) const {
    return items_.subspan(group.begin, group.end - group.begin);
  }
  // Returns the bits that the shortest suffix of a group has.
  [[nodiscard]] std::uint64_t min_suffix_bits(const item_group& group) const;
  // Moves the suffixes of fewer than min_bits bits out of a group, to their places before it, the shorter
  // ones first. The other members keep their order.
  void order_ended(item_group& group, std::uint64_t min_bits) const;
  // Asks for the memory that holds the next bits of the members.
  void prefetch(const item_group& group) const;
  // Replaces a group of chains by their ends.
  void collapse_chains(item_group& group, std::uint64_t depth, std::vector<chain_group>& chains) const;
  // Sorts a group by key_bits bits. The groups of equal keys become pending.
  void split(const item_group& group, std::uint64_t depth, unsigned key_bits);
  // Refines a group until it is sorted, split or as deep as wanted. Takes the reads off max_reads, and sets
  // it to 0 if they are too many.
  void refine(pending_group from, const refine_limits& limits, std::uint64_t& max_reads);
  // Refines all groups. Returns false once max_reads is 0.
  bool refine(const refine_limits& limits, std::uint64_t& max_reads);

  const suffix_string& text_;
  item_layout layout_;
  std::span<std::uint64_t> items_;
  std::vector<item_group> groups_, refined_, parts_;
  std::vector<pending_group> pending_; // the next one last
  std::uint64_t depth_ = 0;
};

} // namespace weft::bwt_detail
