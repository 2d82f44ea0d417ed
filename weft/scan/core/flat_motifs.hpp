// Motifs as tables of plain numbers, for code that runs on a device as well as on the host.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

struct alignas(16) flat_element { // an element of a motif, as motif_element
  enum flag : std::uint32_t {
    any = 1,
    lazy = 2,
    counts_unknown = 4,
    or_start = 8,
    or_end = 16,
    flexible = 32
  };
  static constexpr int order_shift = 8; // flags >> order_shift: index among the motif's flexible elements
  std::uint32_t min, max, cls, flags;
};

// A motif: the elements [first_element, last_element) and its properties.
struct flat_motif {
  enum flag : std::uint32_t { anchor_n = 1, anchor_c = 2, optional_start = 4 }; // optional_start: has [<M]
  std::uint32_t first_element, last_element;
  std::uint32_t flexible;     // number of flexible elements
  std::uint32_t fixed_length; // length of all matches; 0: matches differ in length
  std::uint32_t flags;
  std::uint64_t max_length; // ~0: no bound, or too long to represent
};

// A view of the tables of a set of motifs, in host or device memory.
struct flat_motifs {
  const flat_element* elements;
  const flat_motif* motifs;
  const std::uint32_t* classes; // 8 words for each class, one bit for each byte
};

// The tables of a set of motifs in host memory. Owns that memory.
struct flat_motif_tables {
  std::vector<flat_element> elements;
  std::vector<flat_motif> motifs;
  std::vector<std::uint32_t> classes;
  std::vector<std::uint32_t> optional_start; // indices of the optional-start motifs
  std::uint32_t max_flexible = 0;            // maximum over the motifs
  // The distinct pairs (flexible, max_length) of motifs with flexible elements.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> walks;

  flat_motif_tables() = default;
  explicit flat_motif_tables(const std::vector<motif>& from);
  [[nodiscard]] flat_motifs view() const { return {elements.data(), motifs.data(), classes.data()}; }
  // Returns how many bits a walk may need to remember failures, in sequences of up to `longest` residues.
  [[nodiscard]] std::uint64_t failure_bits(std::uint64_t longest) const;
};

// Automata of the reversed motifs (nfa_masks.hpp), for finding the begin of a match from its end.
struct flat_automaton {
  // Index of the automaton's first mask word. Its masks are flat_automata::masks_before_rows masks of
  // `words` words each, then a mask of accepted residues for each code.
  std::uint64_t masks;
  std::uint32_t words;
};
// A view of the automata of a set of motifs, in host or device memory.
struct flat_automata {
  enum mask : std::uint32_t {
    before,
    last,
    repeats,
    entry,
    entry_first,
    accept,
    accept_last,
    masks_before_rows
  };
  const flat_automaton* automata;
  const std::uint64_t* masks;
  const std::uint32_t* code_of; // code of each byte: 0, 1, ...
};

// The automata of a set of motifs in host memory. Owns that memory.
struct flat_automaton_tables {
  std::vector<flat_automaton> automata;
  std::vector<std::uint64_t> masks;
  std::vector<std::uint32_t> code_of;
  std::uint32_t max_words = 1;

  explicit flat_automaton_tables(std::span<const motif> from);
  [[nodiscard]] flat_automata view() const { return {automata.data(), masks.data(), code_of.data()}; }
};

} // namespace weft::scan_detail
