// Sorts stretches of the texts of all ranks by their letters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/files/ranks/segment_text.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A stretch of the text of a rank, from a position to the end of its segment.
struct text_stretch {
  std::uint64_t position; // in the text of all ranks, which are end to end
  // How many letters are known to be equal to those of the stretch before, which is of the same rank if this
  // is not 0. Ranks do not send these letters.
  std::uint64_t shared;
  // Two stretches with the same name and the same number of letters are equal, unless the name is `unnamed`.
  std::uint64_t name = unnamed, size = 0;

  static constexpr std::uint64_t unnamed = ~std::uint64_t{0};
};

// Stretches [begin, end) of an order. If only the first ones are wanted, they are those before `wanted`, and
// nothing is done to order those before or behind `wanted` among themselves.
struct stretch_range {
  std::uint64_t begin, end, wanted = 0;
};

// The order of stretches: their numbers, and ranges in it of stretches that are equal up to their ends.
struct stretch_order {
  std::vector<std::uint64_t> numbers;
  std::vector<stretch_range> equal;
};

// A letter_order lets a rank sort stretches, whose letters the other ranks send it piece by piece: at first
// 32 of each stretch, then more of those that are not in order. The known letters double in each round if the
// memory allows it, so that at most twice the letters travel that tell the stretches apart. No letters travel
// of stretches that have the same name and size.
class letter_order {
public:
  // All ranks construct it together, each with its text.
  letter_order(multi::communicator& ranks, const segment_text& own);

  // Returns where the text of this rank begins in the text of all ranks.
  [[nodiscard]] std::uint64_t own_begin() const { return begins_[static_cast<std::size_t>(ranks_.rank())]; }
  // Returns the stretches of each of the ranges in order, while the other ranks are in help(). With
  // `is_whole`, all of each range is ordered, otherwise what is wanted; `equal` then has only the ranges in
  // which the last wanted stretch is. Each rank has its stretches in the order of their numbers. Letters take
  // at most `memory` bytes, or 32 bytes for each stretch.
  [[nodiscard]] stretch_order sort(const std::vector<text_stretch>& stretches,
                                   std::vector<stretch_range> ranges, bool is_whole, std::uint64_t memory);
  // Sends letters to the rank that sorts, until it needs no more.
  void help(int sorting_rank);

private:
  // A question for `size` letters from a position on, of which the first `known` ones are not sent.
  struct question {
    std::uint64_t position, known;
  };

  // Returns the letters that answer questions about the text of this rank. The end of a segment is a zero
  // byte, and no letters follow it.
  [[nodiscard]] std::string answer(const std::vector<question>& questions, std::uint64_t size) const;
  // Sets `letters` to `size` letters of each open stretch behind its first `known` ones, and zero bytes from
  // the end of the segment on.
  void fetch(const std::vector<text_stretch>& stretches, const std::vector<std::uint64_t>& open,
             std::uint64_t known, std::uint64_t size, std::string& letters);

  multi::communicator& ranks_;
  const segment_text& own_;
  std::vector<std::uint64_t> begins_; // where the text of each rank begins, and the end of all
};

} // namespace weft::files
