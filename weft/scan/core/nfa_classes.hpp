// Motifs as tables for the kernels of nfa-array and shift-and. The motifs are divided into classes that need
// the same kind of automaton, and a class into groups: a thread block scans for one group, each thread for
// one motif. In the tables, the words that the threads of a block read at the same time are adjacent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/host_device.hpp>
#include <weft/scan/core/byte_codes.hpp>

namespace weft::scan_detail {

// The loop by which a class is scanned:
//   rigid   shift-and for motifs without optional or repeated positions and without anchors: needs no flood,
//           and the ends of sequences need no special treatment
//   gaps    shift-and with optional positions
//   full    shift-and with optional and repeated positions and anchors
//   longer  as full, with any number of words; the state is in memory
//   array   nfa-array
enum class nfa_kind : std::uint8_t { rigid, gaps, full, longer, array };

// The masks of a motif in nfa_class::fields (see nfa_masks.hpp).
enum nfa_field : int {
  field_entry,
  field_entry_first,
  field_before,
  field_last,
  field_repeats,
  field_accept,
  field_accept_last,
  nfa_fields
};

// For nfa-array: bits of a position's flags, and bits of a motif's flags.
inline constexpr std::uint32_t array_optional = 1, array_repeats = 2, array_optional_first = 4,
                               array_optional_last = 8;
inline constexpr std::uint32_t array_anchor_begin = 1, array_anchor_end = 2;

// The kind and the sizes of a class.
struct nfa_class_shape {
  nfa_kind kind;
  int word_bits;         // 32 or 64; for array: 32
  int words;             // words of a state; for array: positions
  std::uint32_t threads; // number of motifs in a group
  std::uint32_t groups;
  // Number of byte codes, without code 0, the border of two sequences, which no position accepts.
  std::uint32_t codes;
};

// The tables of a class, in host or device memory:
//   rows     for shift-and: the masks of accepted residues (the paper's table Ch), word
//            [group][code][word][thread]; those of code 0 are all 0
//   fields   for shift-and: the other masks, word [group][field][word][thread]
//            for array: 32-bit words [group][1 + positions * (set words + 1)][thread]: first the motif's
//            flags plus 4 times its number of positions; then for each position its flags and its set of
//            codes
//   motifs   [group][thread]: index of the motif in the motif set; no_motif for threads without a motif
//   longest  [group]: number of residues of the longest match; ~0: no bound
struct nfa_class_view : nfa_class_shape {
  const unsigned char *rows, *fields;
  const std::uint32_t* motifs;
  const std::uint64_t* longest;
};
inline constexpr std::uint32_t no_motif = 0xffffffffU;

WEFT_HOST_DEVICE inline std::uint32_t array_set_words(std::uint32_t codes) { return codes / 32 + 1; }

// A class and its tables in host memory.
struct nfa_class : nfa_class_shape {
  std::vector<unsigned char> rows, fields;
  std::vector<std::uint32_t> motifs;
  std::vector<std::uint64_t> longest;
  [[nodiscard]] nfa_class_view view() const {
    return {{*this}, rows.data(), fields.data(), motifs.data(), longest.data()};
  }
};

// Returns the maximal number of threads of a block for a kind of automaton. Registers do not suffice for
// more.
[[nodiscard]] std::uint32_t max_threads(nfa_kind kind, int word_bits, int words);

// Options for dividing motifs into classes and groups.
struct nfa_grouping {
  bool reversed;         // make the automata of the reversed motifs
  bool array;            // make tables for nfa-array
  std::uint32_t threads; // maximal number of motifs in a group
  // Maximal number of bytes of a group's rows; 0: any. A group of 32 motifs may always have more.
  std::size_t masks;
  std::span<const std::uint32_t> only = {}; // indices of motifs, ascending; empty: all
};

// Returns the classes of the motifs that engines search for. O(motifs * codes * positions).
[[nodiscard]] std::vector<nfa_class> nfa_classes(const std::vector<motif>& motifs, const byte_codes& codes,
                                                 const nfa_grouping& grouping);

} // namespace weft::scan_detail
