// The text of one strand as engines read it, and its matches as positions of the sequences that were given.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Returns the residues of the longest match of the motifs; ~0 if there is no bound.
[[nodiscard]] std::uint64_t longest_match(std::span<const motif> motifs);

// The sequences of a batch, or their reverse complements. Circular sequences are followed by as much of their
// beginning as a match over the origin can reach.
class strand_text {
public:
  // longest_circular: 0 for linear sequences, else the residues of the longest match. The batch must outlive
  // the object. O(residues); memory: a copy of them, but for the forward strand of linear sequences.
  strand_text(const sequence_batch& sequences, strand which, std::uint64_t longest_circular);
  strand_text(const strand_text&) = delete;
  strand_text& operator=(const strand_text&) = delete;

  // Returns the text that engines scan.
  [[nodiscard]] const sequence_batch& batch() const noexcept { return batch_; }
  // Moves matches in batch() to positions in the sequences. Of circular sequences it drops the matches that
  // begin behind the end, because they are there from the beginning, too, and those longer than the sequence.
  void to_sequences(match_vector& matches) const;

private:
  sequence_batch sequences_, batch_;
  strand which_;
  bool circular_;
  std::string residues_;
  std::vector<std::uint64_t> offsets_;
};

// Returns the matches on the strands that are asked for, ordered, out of those of one strand: `scan_strand`
// is called with the text of each.
using strand_scanner = std::function<match_vector(const sequence_batch&)>;
[[nodiscard]] match_vector scan_strands(const sequence_batch& sequences, strand_choice strands,
                                        const strand_scanner& scan_strand,
                                        std::uint64_t longest_circular = 0);

} // namespace weft::scan_detail
