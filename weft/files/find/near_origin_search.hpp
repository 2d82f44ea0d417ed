// Searches circular records of DNA with differences.
//
// The hits in circular records follow from those in the same records, taken as linear, and from the stretches
// over an origin:
//   - with mismatches, the hits over the origin are added;
//   - with errors, a stretch over the origin can have fewer errors than the stretch of the linear record that
//     ends at the same letter, or as few and more letters, and takes its place. It can then take precedence
//     over stretches that overlap it, which in turn may have left out others. All of these lie between two
//     positions, before and after the origin, that no stretch extends over. The hits between these positions
//     are selected once for the circular record, and once for the linear one, whose hits they replace.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/files/find/near_changes.hpp>
#include <weft/files/find/origin_search.hpp>

namespace weft::files {

// A near_origin_search searches an index whose records are circular. Every thread has its own; the junctions
// are shared.
class near_origin_search {
public:
  near_origin_search(const fm_index& index, origin_search& junctions)
      : index_(index), junctions_(junctions) {}

  // Returns the hits of the patterns, which include those over origins, in the order of near_hits. Throws as
  // fm_index::locate_near(); memory_error also if the letters around origins do not fit options.run.memory.
  [[nodiscard]] near_hits locate(const sequences_view& patterns, const near_options& options);

private:
  // A record in which a pattern has stretches over the origin, and the strands that have them: bit 0 for the
  // pattern, bit 1 for its reverse complement.
  struct candidate {
    std::uint64_t record;
    unsigned strands;
  };
  // The last and the first `side` letters of a record, or the whole record twice. Positions in this text are
  // called offsets; the origin is at offset `side`.
  struct window {
    std::uint64_t record, side, length;
    [[nodiscard]] bool is_whole() const { return side == length; }
  };

  // Returns the changes to the hits of each pattern.
  [[nodiscard]] std::vector<near_changes> find_changes(const sequences_view& patterns,
                                                       const near_options& options);
  // Adds the changes to the hits with errors of one pattern in the candidates.
  void add_changes(std::string_view pattern, std::vector<candidate> candidates, near_changes& to);
  // Does the same for as many candidates as fit the memory, from `first` on, by windows of up to `side`
  // letters of each side of the origin. Appends the candidates whose windows are too small to `left`. Returns
  // the first candidate that has not been searched.
  [[nodiscard]] std::size_t search_windows(std::string_view pattern, const std::vector<candidate>& candidates,
                                           std::size_t first, std::uint64_t side,
                                           std::vector<candidate>& left, near_changes& to);
  // Adds the changes in one window. `circular` and `linear` are the stretches of one strand in the window and
  // in its letters after the origin, with offsets in these. Returns false if the window is too small.
  [[nodiscard]] bool compare_ends(const window& at, std::vector<near_stretch> circular,
                                  const std::vector<near_stretch>& linear, near_changes& to) const;
  // Replaces the stretches that are longer than the record, in a window of a whole record, by the best ones
  // that are not.
  void shorten(std::string_view pattern, const window& at, std::vector<near_stretch>& circular) const;
  // Returns the stretches with errors of a pattern for each end in the texts.
  [[nodiscard]] near_hits locate_ends(std::string_view pattern, const sequences& texts) const;
  [[nodiscard]] std::uint64_t window_side(std::uint64_t record, std::uint64_t side) const;

  const fm_index& index_;
  origin_search& junctions_;
  near_options options_;          // those of the search, for all ends
  bool all_ends_ = false;         // whether all ends are listed
  std::uint64_t max_size_ = 0;    // letters of a stretch of the current pattern
  std::uint64_t max_letters_ = 0; // letters of windows that may be in memory
};

} // namespace weft::files
