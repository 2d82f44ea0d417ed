// Motifs as the kernels of nfa-array and shift-and read them: in classes of one kind of automaton, a class in
// groups of as many motifs as a thread block has threads, a motif a thread. What thread t reads lies beside
// what thread t + 1 reads at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
#include <weft/base/host_device.hpp>
#include <weft/scan/core/byte_codes.hpp>

namespace weft::scan_detail {

// Which loop a class is scanned by.
//   rigid   shift-and without optional or repeated positions or anchors: the flood and the edges of the
//           sequences have nothing to do
//   gaps    with optional positions
//   full    with all
//   longer  full, of any number of words, the state in memory
//   array   nfa-array
enum class nfa_kind : std::uint8_t { rigid, gaps, full, longer, array };

// Fields of the masks of a motif in nfa_class::fields.
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

// Of nfa-array: bits of a position's flags, and of the motif's.
inline constexpr std::uint32_t array_optional = 1, array_repeats = 2, array_skip_first = 4,
                               array_skip_last = 8;
inline constexpr std::uint32_t array_anchor_begin = 1, array_anchor_end = 2;

struct nfa_class_shape {
  nfa_kind kind;
  int word_bits;         // 32 or 64; array: 32
  int words;             // of the states; array: positions
  std::uint32_t threads; // motifs of a group
  std::uint32_t groups;
  std::uint32_t codes; // and one more: code 0 is the border of two sequences, which no position accepts
};

// Where a class is: in host or device memory.
//   rows     shift-and: Ch, word [group][code][word][thread]; code 0 is all 0
//   fields   shift-and: word [group][field][word][thread]
//            array: 32-bit [group][1 + positions * (set words + 1)][thread]: the motif's flags and 4 times
//            its positions; for each position its flags and its set of codes
//   motifs   [group][thread]: index in the set; idle_motif where there is none
//   longest  [group]: residues of the longest match; ~0: no bound
struct nfa_class_view : nfa_class_shape {
  const unsigned char *rows, *fields;
  const std::uint32_t* motifs;
  const std::uint64_t* longest;
};
inline constexpr std::uint32_t idle_motif = 0xffffffffU;

WEFT_HOST_DEVICE inline std::uint32_t array_set_words(std::uint32_t codes) { return codes / 32 + 1; }

struct nfa_class : nfa_class_shape {
  std::vector<unsigned char> rows, fields;
  std::vector<std::uint32_t> motifs;
  std::vector<std::uint64_t> longest;
  [[nodiscard]] nfa_class_view view() const {
    return {{*this}, rows.data(), fields.data(), motifs.data(), longest.data()};
  }
};

// Most threads of a block for a kind: registers do not suffice for more.
[[nodiscard]] std::uint32_t max_threads(nfa_kind kind, int word_bits, int words);

// How motifs are grouped.
struct nfa_grouping {
  bool reversed;         // their automata
  bool array;            // for nfa-array
  std::uint32_t threads; // most motifs of a group
  std::size_t masks;     // most bytes of a group's rows, if 32 threads' are not more; 0: any
  std::span<const std::uint32_t> only = {}; // motifs, ascending; none: all
};

// Classes of the motifs that engines are asked of. O(motifs * codes * positions).
[[nodiscard]] std::vector<nfa_class> nfa_classes(const std::vector<motif>& motifs, const byte_codes& codes,
                                                 const nfa_grouping& grouping);

} // namespace weft::scan_detail
