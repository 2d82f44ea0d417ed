// Motifs: patterns of residue classes and bounded gaps in PROSITE syntax, as data.
//
// A motif is a row of elements; each element is a set of residues, repeated between min and max times.
// "C-x(2,4)-[DE]-{P}(2)>" has four elements: {C}x1, any x2..4, {D,E}x1, not{P}x2, and the C-terminal anchor.
//
//   const weft::motif motif = weft::parse_motif("C-x(2,4)-[DE]-{P}(2)>");
//   motif.elements.size();                          // == 4
//   motif.min_length();                             // == 6
//   motif.anchor_c;                                 // == true
//
// Syntax: Sigrist et al., PROSITE: a documented database using patterns and profiles as motif descriptors,
// Brief. Bioinform. 3 (2002) 265-274, and the PROSITE user manual, section "PA line".
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// What the letters of motifs and texts mean.
// protein: case-blind; B = N or D, Z = Q or E, X = unknown.  dna: IUPAC codes, case-blind.  bytes: exact.
enum class alphabet { protein, dna, bytes };

using residue_set = std::bitset<256>; // by byte of the text, upper and lower case both set where case-blind

// A set of residues, repeated.
struct motif_element {
  static constexpr std::uint32_t unbounded = 0xffffffffU; // any number of repeats
  residue_set accepts; // the letters written, and what the alphabet adds (see compile rules in motif.cpp)
  // Repeats; max may be unbounded ("{C}*").
  std::uint32_t min = 1, max = 1;

  bool any = false;               // x: any text byte
  bool negated = false;           // {..}
  bool or_sequence_start = false; // [<M]: M, or nothing at the start of the sequence
  bool or_sequence_end = false;   // [G>]: G, or nothing at the end of the sequence
  bool lazy = false;              // tries few repeats first (greediness off; never with "*")
};

// A pattern, parsed, and what a file says of it.
struct motif {
  std::string name;        // ID of a PROSITE entry, or the name of a pattern list, or the pattern itself
  std::string accession;   // PS00001; empty if none
  std::string description; // DE lines of a PROSITE entry; empty if none
  std::string pattern;     // as written, joined over lines, without the closing period
  std::vector<motif_element> elements; // as parsed
  bool anchor_n = false;               // "<": begins at the first residue
  bool anchor_c = false;               // ">": ends at the last residue
  bool skip_flag = false;              // frequent, unspecific (CC /SKIP-FLAG=TRUE)

  // Fewest and most residues a match can have; most is motif_element::unbounded if there is no bound.
  [[nodiscard]] std::uint64_t min_length() const noexcept;
  [[nodiscard]] std::uint64_t max_length() const noexcept;
};

// How a pattern is read.
struct motif_syntax {
  weft::alphabet alphabet = weft::alphabet::protein; // what letters mean
  bool greedy = true;                                // false: every element is lazy
  bool unknown_in_sets = true; // X in a text is accepted by letters and [..] (then counted against max_x)
};

// Where a pattern is wrong: 1-based column, and what was expected there.
struct motif_fault {
  // Where, and what.
  std::size_t column;
  std::string expected;
};

// Parses one pattern. Returns true and fills elements and anchors of `result`, or false and fills `fault`.
// O(length of the pattern). Never throws but std::bad_alloc.
[[nodiscard]] bool parse_motif(std::string_view pattern, const motif_syntax& syntax, motif& result,
                               motif_fault& fault);

// As above; throws parse_error(source "pattern", line 1, column) where parse_motif returns false.
[[nodiscard]] motif parse_motif(std::string_view pattern, const motif_syntax& syntax = {});

} // namespace weft
