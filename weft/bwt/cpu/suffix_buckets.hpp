// The buckets of suffix sorting on the CPU: suffixes, partitioned by their first bits.
//
// A suffix is a 64-bit item: the next bits of its key in the high bits, and its position in the low ones. So
// an array of items can be sorted as numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/bwt/cpu/suffix_string.hpp>

namespace weft::bwt_detail {

// How items are laid out.
struct item_layout {
  unsigned position_bits; // the low bits
  unsigned key_bits;      // the next bits; the bits above them are 0

  [[nodiscard]] std::uint64_t position(std::uint64_t item) const {
    return item & ((std::uint64_t{1} << position_bits) - 1);
  }
  [[nodiscard]] std::uint64_t item(std::uint64_t key, std::uint64_t position) const {
    return key << position_bits | position;
  }
  [[nodiscard]] bool same_key(std::uint64_t a, std::uint64_t b) const {
    return ((a ^ b) >> position_bits) == 0;
  }
};

// A set of positions, one bit for each: bit i % 64 of word i / 64.
using position_set = unwritten_vector<std::uint64_t>;

// Bits that suffixes begin with. Zeros follow a suffix that ends.
struct suffix_prefix {
  std::uint64_t bits = 0;
  std::vector<std::uint64_t> windows; // suffix_string::window_bits of them in the high bits of each

  // Appends the lowest `count` bits of a number.
  void append(std::uint64_t number, unsigned count);
  [[nodiscard]] bool begins(const suffix_string& text, std::uint64_t i) const;
};

// The positions that one of several processes counts and distributes: the part-th one of `parts` ranges of
// them. sum() replaces each number by its sum over all processes; it is not called if there is one part.
struct position_share {
  std::uint64_t part = 0, parts = 1;
  std::function<void(std::span<std::uint64_t>)> sum = nullptr;
};

// Suffixes, partitioned into buckets. The suffixes of bucket b begin with the prefix_bits bits b, after the
// bits that all suffixes of the partition begin with. The keys of their items are the bits after these.
class suffix_buckets {
public:
  // Counts the suffixes of each bucket: of the selected positions, or of all if `selected` is null. Items
  // will cover at most max_depth >= 2 bits. O(n / 64 + suffixes) time on run.threads threads, for those of
  // the share. The object refers to its arguments, but to the share only while it is made.
  suffix_buckets(const suffix_string& text, const position_set* selected, std::uint64_t max_depth,
                 const run_options& run, const position_share& share = {});

  // Partitions the suffixes of bucket b of another partition, by their next bits. Needs
  // from.is_divisible(max_depth), and a partition that this process has made alone. O(n) time.
  suffix_buckets(const suffix_buckets& from, std::uint64_t b, std::uint64_t max_depth);

  [[nodiscard]] std::uint64_t size() const { return begins_.back(); } // number of suffixes
  [[nodiscard]] std::uint64_t count() const { return begins_.size() - 1; }
  [[nodiscard]] const item_layout& layout() const { return layout_; }
  // Returns the number of bits that prefixes and items cover.
  [[nodiscard]] std::uint64_t depth() const { return common_.bits + prefix_bits_ + layout_.key_bits; }
  // Returns whether a bucket can be partitioned so that items cover at most max_depth bits.
  [[nodiscard]] bool is_divisible(std::uint64_t max_depth) const {
    return common_.bits + prefix_bits_ + 2 <= max_depth;
  }
  // Returns the number of suffixes in the buckets before bucket b; b <= count().
  [[nodiscard]] std::uint64_t begin(std::uint64_t b) const { return begins_[b]; }
  // Returns the same of the suffixes in the share of this process.
  [[nodiscard]] std::uint64_t own_begin(std::uint64_t b) const { return own_begins_[b]; }
  // Returns the end of the longest range of buckets, from `first` on, that has at most `max_items` suffixes,
  // but at least one bucket.
  [[nodiscard]] std::uint64_t range_end(std::uint64_t first, std::uint64_t max_items) const;

  // Writes the items of the buckets [first, last) that are in the share of this process, in ascending order
  // of positions within each bucket, to items[0 .. own_begin(last) - own_begin(first)). Same time.
  void distribute(std::uint64_t first, std::uint64_t last, std::span<std::uint64_t> items) const;

private:
  // Chooses the layout of `num_suffixes` suffixes, and counts them.
  void partition(std::uint64_t num_suffixes, std::uint64_t max_depth, const position_share& share);
  // Calls body(window, position) for each suffix of a slice of the positions. The window has the bits after
  // those that all suffixes begin with.
  template <class Body> void for_each_suffix(std::uint64_t slice, const Body& body) const;

  const suffix_string& text_;
  const position_set* selected_;
  const run_options& run_;
  suffix_prefix common_; // of all suffixes of the partition
  item_layout layout_{};
  unsigned prefix_bits_ = 1;
  std::uint64_t first_word_, end_word_; // the share of this process, in words of 64 positions
  std::uint64_t slices_, slice_words_;  // of the share: a slice is a range of so many words
  std::vector<std::uint64_t> begins_, own_begins_;
  // For each slice and bucket, the number of suffixes in the bucket that are in the slices before it.
  std::vector<std::vector<std::uint64_t>> before_;
};

} // namespace weft::bwt_detail
