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

class suffix_buckets;

// Words of 64 positions each: [first, end).
struct word_range {
  std::uint64_t first, end;
};

// Several processes that have the same text, each of which does the work for a share of its positions. All
// processes call the functions together.
class position_sharing {
public:
  // This is process `part` of `parts`.
  position_sharing(std::uint64_t part, std::uint64_t parts) : part_(part), parts_(parts) {}
  [[nodiscard]] std::uint64_t part() const { return part_; }
  [[nodiscard]] std::uint64_t parts() const { return parts_; }

  // Calls step() in each process. If it throws in any of them, throws in all.
  virtual void run(const std::function<void()>& step) = 0;
  // Replaces each number by its sum over all processes.
  virtual void sum(std::span<std::uint64_t> numbers) = 0;
  // Returns the numbers of all processes, in the order of the processes.
  [[nodiscard]] virtual unwritten_vector<std::uint64_t> gather(std::span<const std::uint64_t> numbers) = 0;
  // Gives process p the items of the buckets [first_buckets[p], first_buckets[p + 1]), of which each process
  // has counted those in its share. Returns those of this process, bucket by bucket.
  [[nodiscard]] virtual unwritten_vector<std::uint64_t>
  exchange(const suffix_buckets& buckets, std::span<const std::uint64_t> first_buckets) = 0;

protected:
  ~position_sharing() = default;

private:
  std::uint64_t part_, parts_;
};

// Returns which of `count` words are the share of this process: all if `sharing` is null.
[[nodiscard]] word_range share_of_words(const position_sharing* sharing, std::uint64_t count);
// Calls step() in all processes; only in this one if `sharing` is null.
inline void run_in_all(position_sharing* sharing, const std::function<void()>& step) {
  sharing == nullptr ? step() : sharing->run(step);
}

// Suffixes, partitioned into buckets. The suffixes of bucket b begin with the prefix_bits bits b, after the
// bits that all suffixes of the partition begin with. The keys of their items are the bits after these.
class suffix_buckets {
public:
  // Counts the suffixes of each bucket: of the selected positions, or of all if `selected` is null. Items
  // will cover at most max_depth >= 2 bits. O(n / 64 + suffixes) time on run.threads threads, for those of
  // the share of this process, if `sharing` is not null. The object refers to its arguments, but to `sharing`
  // only while it is made.
  suffix_buckets(const suffix_string& text, const position_set* selected, std::uint64_t max_depth,
                 const run_options& run, position_sharing* sharing = nullptr);

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
  // Divides the buckets into `parts` ranges that have about as many suffixes. Returns the first bucket of
  // each range, and then count().
  [[nodiscard]] std::vector<std::uint64_t> divide(std::uint64_t parts) const;

  // Writes the items of the buckets [first, last) that are in the share of this process, in ascending order
  // of positions within each bucket, to items[0 .. own_begin(last) - own_begin(first)). Same time.
  void distribute(std::uint64_t first, std::uint64_t last, std::span<std::uint64_t> items) const;

private:
  // Chooses the layout of `num_suffixes` suffixes, and counts them.
  void partition(std::uint64_t num_suffixes, std::uint64_t max_depth, position_sharing* sharing);
  // Calls body(window, position) for each suffix of a slice of the positions. The window has the bits after
  // those that all suffixes begin with.
  template <class Body> void for_each_suffix(std::uint64_t slice, const Body& body) const;

  const suffix_string& text_;
  const position_set* selected_;
  const run_options& run_;
  suffix_prefix common_; // of all suffixes of the partition
  item_layout layout_{};
  unsigned prefix_bits_ = 1;
  word_range words_{};                 // the share of this process
  std::uint64_t slices_, slice_words_; // of the share: a slice is a range of so many words
  std::vector<std::uint64_t> begins_, own_begins_;
  // For each slice and bucket, the number of suffixes in the bucket that are in the slices before it.
  std::vector<std::vector<std::uint64_t>> before_;
};

} // namespace weft::bwt_detail
