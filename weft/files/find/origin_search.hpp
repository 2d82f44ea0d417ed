// Finds occurrences over the origin of circular records of DNA.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/fm_index.hpp>

namespace weft::files {

// An origin_search finds the occurrences that begin before the end of a record and continue at its begin.
// Such an occurrence of a pattern of n letters lies in the last n - 1 letters of the record and its first n -
// 1 letters, which together are called a junction. There is an index of junctions for each power of two: the
// index of level k has 2^k - 1 letters of each side and serves patterns of up to 2^k letters. It is built
// when the first pattern of this length is searched. A pattern that is longer than a record does not occur in
// the record. Thread-safe.
class origin_search {
public:
  // The patterns of one level, copied into one text, and the junctions that they are searched in. Junction r
  // consists of the last `before` and the first `before` letters of record r, where `before` is the smaller
  // one of the length of the record and `side`.
  struct level_patterns {
    std::uint64_t side = 0;
    const fm_index* junctions = nullptr;
    std::vector<std::uint64_t> numbers, offsets{0}; // numbers: in the batch that was given
    std::string text;
  };

  // `memory` is the number of bytes that all indexes of junctions together may take.
  origin_search(const fm_index& index, std::uint64_t memory) : index_(index), memory_(memory) {}

  // Returns, for each pattern text[offsets[p], offsets[p + 1]), the number of its occurrences in the index of
  // junctions. This is an upper bound of the number of occurrences over an origin, and locate() takes memory
  // in proportion to it. Throws memory_error.
  [[nodiscard]] std::vector<std::uint64_t> count_candidates(std::string_view text,
                                                            std::span<const std::uint64_t> offsets);
  // Returns the occurrences over an origin by record and position in the record, and their total numbers.
  [[nodiscard]] fm_hits locate(std::string_view text, std::span<const std::uint64_t> offsets);
  // Returns the patterns by levels, those of level 0 excepted. The junctions have all stretches over an
  // origin whose length is at most that of the pattern plus `extra`. Throws memory_error.
  [[nodiscard]] std::vector<level_patterns>
  group_patterns(std::string_view text, std::span<const std::uint64_t> offsets, std::uint64_t extra = 0);

private:
  static constexpr std::size_t max_levels = 64;

  // Returns the index of a level, which it builds at the first call.
  const fm_index& junctions(std::size_t level);
  // Builds the index of junctions with up to `side` letters of each side. Throws memory_error.
  [[nodiscard]] fm_index build(std::uint64_t side) const;

  const fm_index& index_;
  std::uint64_t memory_;
  std::array<std::unique_ptr<fm_index>, max_levels> levels_;
  std::mutex mutex_;
};

} // namespace weft::files
