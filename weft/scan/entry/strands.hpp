// The text of one strand as engines read it, and the conversion of its matches to positions of the given
// sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Returns the number of residues of the longest match of the motifs, or ~0 if there is no limit.
[[nodiscard]] std::uint64_t longest_match(std::span<const motif> motifs);

// The sequences of a batch, or their reverse complements. A circular sequence is followed by as much of its
// own beginning as a match across the origin can reach.
class strand_text {
public:
  // `longest_circular` is 0 for linear sequences, and otherwise the number of residues of the longest match.
  // The batch must outlive the object. O(residues); memory: a copy of the residues, except for the forward
  // strand of linear sequences.
  strand_text(const sequences_view& sequences, strand which, std::uint64_t longest_circular);
  strand_text(const strand_text&) = delete;
  strand_text& operator=(const strand_text&) = delete;

  // Returns the text that engines scan.
  [[nodiscard]] const sequences_view& batch() const noexcept { return batch_; }
  // Converts matches in batch() to matches in the sequences. For circular sequences, drops matches that begin
  // after the end, because the same matches are also found at the beginning, and matches longer than the
  // sequence.
  void to_sequences(match_vector& matches) const;

private:
  sequences_view sequences_, batch_;
  strand which_;
  bool circular_;
  std::string residues_;
  std::vector<std::uint64_t> offsets_;
};

// Returns the matches on the requested strands, ordered. `scan_strand` is called with the text of each strand
// and returns its matches.
using strand_scanner = std::function<match_vector(const sequences_view&)>;
[[nodiscard]] match_vector scan_strands(const sequences_view& sequences, strand_choice strands,
                                        const strand_scanner& scan_strand,
                                        std::uint64_t longest_circular = 0);

} // namespace weft::scan_detail
