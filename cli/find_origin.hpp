// Occurrences over the origin of circular records of DNA.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <weft/bwt/fm_index.hpp>

namespace weft::cli {

// An origin_search finds the occurrences that begin before the end of a record and go on at its begin. The
// occurrences of a pattern of n letters lie in the last n - 1 letters of a record and its first n - 1. So
// there is an index of such junctions for each power of two, made when a pattern that long is searched: with
// 2^k - 1 letters of each side for patterns of up to 2^k letters. A pattern longer than a record does not
// occur in it. Thread-safe.
class origin_search {
public:
  // memory: bytes that the indexes of junctions may take together.
  origin_search(const fm_index& index, std::uint64_t memory) : index_(index), memory_(memory) {}

  // For each pattern, text[offsets[p], offsets[p + 1]), the rows of its junctions: at least its number of
  // occurrences over an origin, and about how much memory locate() takes. Throws memory_error.
  [[nodiscard]] std::vector<std::uint64_t> count_candidates(std::string_view text,
                                                            std::span<const std::uint64_t> offsets);
  // The occurrences over an origin, with positions in the record, by record and position; totals as well.
  [[nodiscard]] fm_hits locate(std::string_view text, std::span<const std::uint64_t> offsets);

private:
  static constexpr std::size_t max_levels = 64;

  // Patterns of one level, copied together.
  struct level_patterns;
  template <class Each>
  void each_level(std::string_view text, std::span<const std::uint64_t> offsets, const Each& each);
  const fm_index& junctions(std::size_t level);
  [[nodiscard]] fm_index build(std::uint64_t side) const;

  const fm_index& index_;
  std::uint64_t memory_;
  std::array<std::unique_ptr<fm_index>, max_levels> levels_;
  std::mutex mutex_;
};

} // namespace weft::cli
