// Motifs: patterns of residue classes and bounded gaps in PROSITE syntax, as data.
//
// A motif is a sequence of elements; each element is a set of residues, repeated between min and max times.
// "C-x(2,4)-[DE]-{P}(2)>" has four elements, {C}x1, any x2..4, {D,E}x1 and not{P}x2, and the C-terminal
// anchor.
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

// What the letters of motifs and texts mean. protein: amino acids in either case; B = N or D, Z = Q or E, X =
// unknown. dna: IUPAC codes in either case. bytes: bytes as they are.
enum class alphabet { protein, dna, bytes };

// A set of text bytes. If case does not matter, a letter is in it in both cases.
using residue_set = std::bitset<256>;

// A set of residues, repeated.
struct motif_element {
  static constexpr std::uint32_t unbounded = 0xffffffffU; // no limit on the repeats
  // The accepted text bytes: the letters written, and those that the alphabet adds (see the rules in
  // motif.cpp).
  residue_set accepts;
  // Number of repeats; max may be unbounded ("{C}*").
  std::uint32_t min = 1, max = 1;

  bool any = false;               // x: accepts any byte of the text
  bool negated = false;           // written as {..}
  bool or_sequence_start = false; // [<M]: M, or nothing at the start of the sequence
  bool or_sequence_end = false;   // [G>]: G, or nothing at the end of the sequence
  bool lazy = false;              // tries few repeats first (syntax with greedy = false; never with "*")
};

// A parsed pattern, and what a file says about it.
struct motif {
  std::string name;        // ID of a PROSITE entry, or the name of a pattern list, or the pattern itself
  std::string accession;   // PS00001; empty if none
  std::string description; // DE lines of a PROSITE entry; empty if none
  std::string pattern;     // as written, joined over lines, without the closing period
  std::vector<motif_element> elements; // the parsed pattern
  bool anchor_n = false;               // "<": matches begin at the first residue
  bool anchor_c = false;               // ">": matches end at the last residue
  bool skip_flag = false;              // the motif is frequent and unspecific (CC /SKIP-FLAG=TRUE)

  // Return the smallest and the largest number of residues of a match; the largest is
  // motif_element::unbounded if there is no limit.
  [[nodiscard]] std::uint64_t min_length() const noexcept;
  [[nodiscard]] std::uint64_t max_length() const noexcept;
};

// The rules by which patterns are read.
struct motif_syntax {
  weft::alphabet alphabet = weft::alphabet::protein; // the meaning of letters
  bool greedy = true;                                // false: every element is lazy
  bool unknown_in_sets = true; // letters and [..] accept X in a text (which is then counted against max_x)
};

// An error in a pattern.
struct motif_fault {
  // The 1-based column, and what was expected there.
  std::size_t column;
  std::string expected;
};

// Parses one pattern. Returns true and fills elements and anchors of `result`, or returns false and fills
// `fault`. O(length of the pattern). Throws nothing but std::bad_alloc.
[[nodiscard]] bool parse_motif(std::string_view pattern, const motif_syntax& syntax, motif& result,
                               motif_fault& fault);

// Parses one pattern and returns it. Throws parse_error(source "pattern", line 1, column) for a fault.
[[nodiscard]] motif parse_motif(std::string_view pattern, const motif_syntax& syntax = {});

} // namespace weft
