// Sorting suffixes bucket by bucket: by further bits up to a depth, and then, for those that are still tied,
// by all of their text or by the anchors behind them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/bwt/cpu/suffix_anchors.hpp>
#include <weft/bwt/cpu/suffix_buckets.hpp>
#include <weft/bwt/cpu/suffix_ties.hpp>

namespace weft::bwt_detail {

// Bytes of memory for each suffix that is sorted: its item, and its share of a group.
inline constexpr std::uint64_t bytes_of_item = 12;

// Sorts the buckets of a text. The anchors are sorted when they are first needed. sort() does it all; a
// process that sorts the anchors together with others calls start(), if needed sort_anchors(), and finish().
class bucket_sorter {
public:
  // `bytes` is the memory for the items of a call of sort() and for the anchors. The object refers to the
  // other arguments.
  bucket_sorter(const suffix_string& text, std::uint64_t bytes, const run_options& run)
      : text_(text), run_(run), bytes_(bytes), depth_(std::min(depth_symbols, max_depth_bits / text.bits())) {
  }

  // Returns how many bits of a suffix items may cover.
  [[nodiscard]] std::uint64_t max_depth() const { return depth_ * text_.bits(); }

  // Sorts the items of the buckets [first, last), and adds `work` to the monitor. Returns false, and leaves
  // the items in no usable state, if the anchors are needed but do not fit into the memory beside the items.
  [[nodiscard]] bool sort(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t last,
                          std::span<std::uint64_t> items, std::uint64_t work);

  // Sorts the items as far as that takes no anchors. Returns whether the anchors are needed, and have not
  // been sorted.
  [[nodiscard]] bool start(const suffix_buckets& buckets, std::uint64_t first, std::uint64_t last,
                           std::span<std::uint64_t> items, std::uint64_t work);
  // Returns whether the anchors fit into the memory beside the items.
  [[nodiscard]] bool anchors_fit() const;
  // Sorts the anchors, if `sharing` is not null together with other processes. The items may be gone. Throws
  // memory_error if the memory does not suffice without items.
  void sort_anchors(position_sharing* sharing = nullptr);
  // Sorts the items completely.
  void finish();
  // Returns the bytes that are left for items beside the anchors, which have been sorted.
  [[nodiscard]] std::uint64_t bytes_beside_anchors() const {
    return bytes_ - std::min(bytes_, anchors_->bytes());
  }

private:
  // Ties are sorted by so many symbols of the text, but at most by a cache line of it. Anchors need no more.
  static constexpr std::uint64_t depth_symbols = 72, max_depth_bits = 512;

  // A bucket that has been sorted as far as the depth still has these groups of ties, and these chains.
  struct refined_bucket {
    std::vector<item_group> groups;
    std::vector<chain_group> chains;
  };

  [[nodiscard]] const item_layout& layout() const { return buckets_->layout(); }
  [[nodiscard]] std::span<std::uint64_t> bucket(std::uint64_t b) const {
    return items_.subspan(buckets_->begin(b) - buckets_->begin(first_),
                          buckets_->begin(b + 1) - buckets_->begin(b));
  }
  [[nodiscard]] refined_bucket& left_of(std::uint64_t b) { return left_[b - first_]; }
  [[nodiscard]] std::uint64_t share(std::uint64_t work, std::uint64_t num_items) const;
  // Calls body(b, refiner) for each bucket that is not empty.
  template <class Body> void for_each_bucket(const Body& body);
  // Sorts all buckets up to the depth. Returns the number of suffixes that are still tied.
  std::uint64_t refine_to_depth(std::uint64_t work);
  // Sorts the groups by text. Returns false if that takes too many reads; the groups are still the same.
  bool sort_by_text();
  // Returns whether two suffixes of the largest group agree so far that reading all of its suffixes is likely
  // to take more reads.
  [[nodiscard]] bool takes_long(std::span<const std::uint64_t> items, const std::vector<item_group>& groups,
                                std::uint64_t max_reads) const;
  // Returns the bytes that the anchors take while they are sorted.
  [[nodiscard]] std::uint64_t memory_for_anchors() const {
    return suffix_anchors::memory_for(text_.size(), depth_);
  }

  const suffix_string& text_;
  const suffix_buckets* buckets_ = nullptr;
  const run_options& run_;
  std::uint64_t bytes_;
  std::uint64_t depth_;                // in symbols, of ties that anchors resolve
  std::uint64_t first_ = 0, last_ = 0; // the buckets that are being sorted
  std::span<std::uint64_t> items_{};   // of these buckets
  std::vector<refined_bucket> left_;   // of each of them
  bool has_ties_ = false;              // which are left for the anchors
  std::optional<suffix_anchors> anchors_;
};

} // namespace weft::bwt_detail
