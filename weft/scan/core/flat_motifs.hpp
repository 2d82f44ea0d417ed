// Motifs as tables of plain numbers, for code that runs on a device as well as on the host.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

struct alignas(16) flat_element { // of a motif, as motif_element
  enum flag : std::uint32_t {
    any = 1,
    lazy = 2,
    counts_unknown = 4,
    or_start = 8,
    or_end = 16,
    flexible = 32
  };
  static constexpr int order_shift = 8; // flags >> order_shift: which of the motif's flexible elements it is
  std::uint32_t min, max, cls, flags;
};

struct flat_motif {
  enum flag : std::uint32_t { anchor_n = 1, anchor_c = 2, from_start = 4 }; // from_start: has [<M]
  std::uint32_t first_element, last_element;
  std::uint32_t flexible;     // elements that are
  std::uint32_t fixed_length; // of all matches; 0: they differ in length
  std::uint32_t flags;
  std::uint64_t max_length; // ~0: there is no bound, or it is too long to tell
};

struct flat_motifs {
  const flat_element* elements;
  const flat_motif* motifs;
  const std::uint32_t* classes; // 8 words each: a bit a byte
};

// Owns them.
struct flat_motif_tables {
  std::vector<flat_element> elements;
  std::vector<flat_motif> motifs;
  std::vector<std::uint32_t> classes;
  std::vector<std::uint32_t> from_start;                      // motifs with [<M]
  std::uint32_t max_flexible = 0;                             // of a motif
  std::vector<std::pair<std::uint32_t, std::uint64_t>> walks; // flexible and max_length of motifs, each once

  explicit flat_motif_tables(const std::vector<motif>& from);
  [[nodiscard]] flat_motifs view() const { return {elements.data(), motifs.data(), classes.data()}; }
  // Bits that a walk may need to remember failures, in sequences of up to so many residues.
  [[nodiscard]] std::uint64_t failure_bits(std::uint64_t longest) const;
};

// Automata of the reversed motifs (nfa_masks), for what reads matches from their ends.
struct flat_automaton {
  std::uint64_t
      masks; // where they begin: flat_automata::masks_before_rows of `words` each, then a row a code
  std::uint32_t words;
};
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
  const std::uint32_t* code_of; // of a byte: 0, 1, ...
};

struct flat_automaton_tables {
  std::vector<flat_automaton> automata;
  std::vector<std::uint64_t> masks;
  std::vector<std::uint32_t> code_of;
  std::uint32_t max_words = 1;

  explicit flat_automaton_tables(const std::vector<motif>& from);
  [[nodiscard]] flat_automata view() const { return {automata.data(), masks.data(), code_of.data()}; }
};

} // namespace weft::scan_detail
