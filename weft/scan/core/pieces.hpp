// A batch in pieces of text that fit a device's memory, and what searches them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// What engines are asked for.
[[nodiscard]] constexpr edge edge_of(match_rule rule) {
  return rule == match_rule::ends ? edge::ends : edge::starts;
}

// The occurrences at [begin, end) (starts) or (begin, end] (ends) are asked for of the text [text_begin,
// text_end): that range alone, or, where it cuts a sequence, with as much of the sequence around it as
// matches reach. All index sequence_batch::residues.
struct text_piece {
  std::uint64_t text_begin, text_end, begin, end;
  friend bool operator==(const text_piece&, const text_piece&) = default;
};

// Residues of the longest match of the motifs that engines are asked of for this edge; at least 1.
inline constexpr std::uint64_t no_longest_match = ~std::uint64_t{0};
[[nodiscard]] std::uint64_t reach_of(std::span<const motif> motifs, edge which);

// Bytes that a piece may take, and does: fixed_bytes, and those of each residue and each sequence of its
// text.
struct piece_limits {
  std::uint64_t allowed, fixed_bytes, residue_bytes, sequence_bytes;
};

// Pieces in the order of the text, each range of them once; cut between sequences where these fit. Throws
// memory_error for a sequence that does not fit and cannot be cut: matches reach as far as a piece, or
// without a bound.
[[nodiscard]] std::vector<text_piece> cut_pieces(const sequence_batch& sequences, std::uint64_t reach,
                                                 const piece_limits& limits);

// The text of a piece; its offsets are kept in `offsets`.
[[nodiscard]] sequence_batch text_of(const sequence_batch& sequences, const text_piece& piece,
                                     std::vector<std::uint64_t>& offsets);

// The sequences [first, last) of a batch.
struct sequence_range {
  std::uint64_t first, last;
  friend bool operator==(const sequence_range&, const sequence_range&) = default;
};

// Pieces of whole sequences in the order of the batch, those with residues: each of at most `preferred`
// residues, or of one longer sequence. A residue takes a byte of `max_bytes`, a sequence 8, a piece 8 more;
// none where a sequence does not fit. O(pieces * log(sequences)).
[[nodiscard]] std::vector<sequence_range>
cut_between_sequences(const sequence_batch& sequences, std::uint64_t preferred, std::uint64_t max_bytes);

// Finds the occurrences of motifs, for one edge, in one text after another.
class piece_searcher {
public:
  virtual ~piece_searcher() = default;
  // Takes the text that find() is asked of from now on; it has been read when load() returns.
  virtual void load(const sequence_batch& text) = 0;
  // The occurrences at [begin, part.end) (starts) or (begin, part.end] (ends), where begin < part.end <= end:
  // as far as goes at once. Ascending, each once; they stay until the next call.
  struct part {
    std::uint64_t end;
    std::span<const std::uint64_t> found;
  };
  [[nodiscard]] virtual part find(std::uint64_t begin, std::uint64_t end) = 0;
};

} // namespace weft::scan_detail
