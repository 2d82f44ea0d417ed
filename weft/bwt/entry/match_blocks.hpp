// The work of finding exact matches, cut into blocks that are searched one after another or by threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <weft/base/sequences.hpp>
#include <weft/bwt/core/fm_match_steps.hpp>

namespace weft::bwt_detail {

// Records [first_record, last_record) on all strands; or, if last_record is 0, a range of first_record.
struct match_block {
  std::uint64_t first_record, last_record;
  match_range range;
};

// The blocks that have not been searched yet, in the order of their matches. A block consists of whole
// records or, of a record that is longer than a block, of some positions at which matches of one strand
// begin.
class match_blocks {
public:
  // Cuts the queries, which must outlive the object, into blocks of at most `block_letters` letters of a
  // strand.
  match_blocks(const sequences_view& queries, bool both_strands, std::uint64_t block_letters)
      : queries_(queries), both_strands_(both_strands), block_letters_(block_letters) {
    const std::uint64_t records = queries.count();
    for (std::uint64_t first = 0, last = 0; first < records; first = last) {
      last = first + 1;
      while (last < records && queries.offsets[last + 1] - queries.offsets[first] <= block_letters) ++last;
      if (queries.offsets[last] - queries.offsets[first] <= block_letters)
        blocks_.push_back({first, last, {}});
      else
        cut_record(first, blocks_);
    }
  }

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  [[nodiscard]] std::uint64_t size() const { return blocks_.size(); }
  [[nodiscard]] const match_block& operator[](std::uint64_t i) const { return blocks_[i]; }

  // Removes the first `count` blocks.
  void drop_first(std::uint64_t count) {
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  // Replaces the first block by smaller ones. Returns false if it is a single position.
  bool cut_first() {
    const match_block block = blocks_.front();
    std::deque<match_block> parts;
    if (block.last_record > block.first_record + 1) {
      const std::uint64_t middle = block.first_record + (block.last_record - block.first_record) / 2;
      parts = {{block.first_record, middle, {}}, {middle, block.last_record, {}}};
    } else if (block.last_record != 0) {
      cut_record(block.first_record, parts);
    } else if (const auto [reverse, first, last] = block.range; last - first > 1) {
      const std::uint64_t middle = first + (last - first) / 2;
      parts = {{block.first_record, 0, {reverse, first, middle}},
               {block.first_record, 0, {reverse, middle, last}}};
    } else {
      return false;
    }
    blocks_.pop_front();
    blocks_.insert(blocks_.begin(), parts.begin(), parts.end());
    return true;
  }

  // Returns the positions of records [first, last) on a strand.
  [[nodiscard]] match_range range_of(std::uint64_t first, std::uint64_t last, bool reverse) const {
    const std::uint64_t begin = queries_.offsets[first], end = queries_.offsets[last];
    if (!reverse) return {false, begin, end};
    return {true, queries_.data.size() - end, queries_.data.size() - begin};
  }
  // Calls each(range) for the ranges of a block that have positions.
  template <class Each> void for_each_range(const match_block& block, const Each& each) const {
    if (block.last_record == 0) return each(block.range);
    for (const bool reverse : {false, true}) {
      const match_range all = range_of(block.first_record, block.last_record, reverse);
      if (all.first < all.last && (!reverse || both_strands_)) each(all);
    }
  }
  // Returns the number of positions of a block on all of its strands.
  [[nodiscard]] std::uint64_t letters_of(const match_block& block) const {
    std::uint64_t letters = 0;
    for_each_range(block, [&](const match_range& range) { letters += range.last - range.first; });
    return letters;
  }

private:
  void cut_record(std::uint64_t record, std::deque<match_block>& to) const {
    for (const bool reverse : {false, true}) {
      if (reverse && !both_strands_) break;
      const match_range all = range_of(record, record + 1, reverse);
      for (std::uint64_t at = all.first; at < all.last;) {
        const std::uint64_t end = at + std::min(all.last - at, block_letters_);
        to.push_back({record, 0, {reverse, at, end}});
        at = end;
      }
    }
  }

  sequences_view queries_;
  bool both_strands_;
  std::uint64_t block_letters_;
  std::deque<match_block> blocks_;
};

} // namespace weft::bwt_detail
