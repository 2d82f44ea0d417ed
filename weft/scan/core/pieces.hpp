// Division of a batch of sequences into pieces of text that fit into a device's memory, and the interface of
// the class that searches a piece.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Returns the edge of matches that engines search for a rule.
[[nodiscard]] constexpr edge edge_of(match_rule rule) {
  return rule == match_rule::ends ? edge::ends : edge::starts;
}

// A piece is what a device searches at once: the occurrences in the range [begin, end) (core/occurrences.hpp)
// are found by searching the text [text_begin, text_end). The text is that range alone or, where the range
// cuts a sequence, also the residues around it that a match may reach. All members index
// sequences_view::data.
struct text_piece {
  std::uint64_t text_begin, text_end, begin, end;
  friend bool operator==(const text_piece&, const text_piece&) = default;
};

// Returns the number of residues of the longest match of the motifs that engines search for this edge, at
// least 1; or no_longest_match if there is no bound.
inline constexpr std::uint64_t no_longest_match = ~std::uint64_t{0};
[[nodiscard]] std::uint64_t reach_of(std::span<const motif> motifs, edge which);

// The memory for a piece, in bytes: a piece may take `allowed`; it takes fixed_bytes, and residue_bytes and
// sequence_bytes for each residue and sequence of its text.
struct piece_limits {
  std::uint64_t allowed, fixed_bytes, residue_bytes, sequence_bytes;
};

// Returns pieces in the order of the text that cover each position once. Pieces are cut between sequences
// where sequences fit. Throws memory_error if a sequence does not fit and cannot be cut, because matches are
// as long as a piece or have no bound.
[[nodiscard]] std::vector<text_piece> cut_pieces(const sequences_view& sequences, std::uint64_t reach,
                                                 const piece_limits& limits);

// Returns the text of a piece as a batch. Stores the batch's offsets in `offsets`, which must outlive it.
[[nodiscard]] sequences_view text_of(const sequences_view& sequences, const text_piece& piece,
                                     std::vector<std::uint64_t>& offsets);

// The sequences [first, last) of a batch.
struct sequence_range {
  std::uint64_t first, last;
  friend bool operator==(const sequence_range&, const sequence_range&) = default;
};

// Returns pieces of whole sequences, in the order of the batch and without pieces that have no residues. A
// piece has at most `preferred` residues, or is one longer sequence. Residues take 1 byte each and sequences
// 8 bytes each, plus 8 bytes for the piece; returns no pieces if a sequence takes more than `max_bytes`.
// O(pieces * log(sequences)).
[[nodiscard]] std::vector<sequence_range>
cut_between_sequences(const sequences_view& sequences, std::uint64_t preferred, std::uint64_t max_bytes);

// Returns the sequences of a range as a batch. Stores the batch's offsets in `offsets`, which must outlive
// it, unless the range is the whole batch.
[[nodiscard]] sequences_view sequences_of(const sequences_view& sequences, const sequence_range& range,
                                          std::vector<std::uint64_t>& offsets);

// The interface of a search: finds the occurrences of motifs, for one edge, in one text after another.
class piece_searcher {
public:
  virtual ~piece_searcher() = default;
  // Makes `text` the text of later calls of find(). The text may be freed when load() returns.
  virtual void load(const sequences_view& text) = 0;
  // Returns the occurrences in the range [begin, part.end) of the text, ascending and distinct, for some
  // part.end with begin < part.end <= end: as far as one search gets. They are valid until the next call.
  struct part {
    std::uint64_t end;
    std::span<const std::uint64_t> codes; // of the occurrences (core/occurrences.hpp)
  };
  [[nodiscard]] virtual part find(std::uint64_t begin, std::uint64_t end) = 0;
};

} // namespace weft::scan_detail
