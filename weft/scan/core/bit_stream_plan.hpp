// The form into which the scan engine `bit-stream` compiles motifs. docs/design/scan.md describes the method.
//
// motif -> rows: alternatives that have no "[G>]" and cannot match the empty text
//       -> segments: runs of elements of fixed length, with a gap of variable length before each
//       -> variants: a row with its first gaps written out, so that its first elements have fixed offsets
//
// A variant may also begin at a later segment of its row (a late variant); then several positions before it
// are possible starts of a match. A variant's filter is the AND of a few class streams, each shifted by the
// offset of its element. A stream has one bit for each position of the text, which says whether the residue
// there is in the stream's class. A position that passes the filter is checked exactly: first the other
// elements of the variant, then, if gaps are left, the whole row.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>
#include <weft/scan/core/occurrences.hpp>
#include <weft/scan/motif.hpp>

namespace weft::scan_detail {

// A set of bytes with a fast test for members.
struct byte_class {
  std::array<std::uint64_t, 4> bits{};
  [[nodiscard]] bool has(unsigned char byte) const noexcept { return (bits[byte >> 6] >> (byte & 63)) & 1; }
  [[nodiscard]] bool is_subset_of(const byte_class& other) const noexcept {
    const auto has_byte_outside = [&](std::size_t word) { return (bits[word] & ~other.bits[word]) != 0; };
    // Tests the word of the letters first, because it decides most cases.
    return !has_byte_outside(1) && !has_byte_outside(0) && !has_byte_outside(2) && !has_byte_outside(3);
  }
  friend auto operator<=>(const byte_class&, const byte_class&) = default;
};

// The condition that the residue at an offset is in a class; also called an element of a variant.
struct stream_check {
  std::uint32_t offset; // from the first residue of the segment or the variant
  std::uint32_t cls;    // index in bit_stream_plan::classes
  friend bool operator==(const stream_check&, const stream_check&) = default;
};

// A run of elements of fixed length, with the gap before it. Its checks are plan.checks[first_check ..
// last_check - 1].
struct stream_segment {
  // Residues between the segment before and this one; gap_max may be unbounded_gap.
  std::uint64_t gap_min, gap_max;
  std::int32_t gap_class; // class of these residues: an index in classes, or -1: any residues
  std::uint64_t length;   // residues in the segment
  std::uint32_t first_check, last_check;
};

inline constexpr std::uint64_t unbounded_gap = ~std::uint64_t{0};

// An alternative of a motif: the segments plan.segments[first_segment .. last_segment - 1].
struct stream_row {
  std::uint32_t motif;
  std::uint32_t first_segment, last_segment;
  std::uint64_t min_length, max_length; // max_length may be unbounded_gap
  bool anchor_n, anchor_c;
};

// A row with its first gaps written out, so that the elements up to there have fixed offsets.
struct stream_variant {
  std::uint32_t row, motif;
  std::uint32_t next_segment; // the row's first segment that is not written out
  // The variant's elements in bit_stream_plan::elements, the rarest first. The first `filters` of them make
  // the filter; the second_elements after them are tested where the filter passes.
  std::uint32_t first_element, filters;
  // The checks that these elements do not cover, the rarest first.
  std::uint32_t first_check, last_check;
  std::uint32_t length; // residues written out
  bool complete;        // no gap is left: the checks decide
  // late: the elements that are written out begin at a later segment than the row's first. If the filter of a
  // late variant passes at position p, a match may start at the positions p - lead - slack .. p - lead. On
  // the CPU, lead is 0, because p is then the last possible start (see stream_costs::leads).
  bool late;
  std::uint32_t slack, lead;
  bool anchor_n;
  // Sequence boundaries at 1 .. 64 residues from the start, as bits: those that must be absent, and the one
  // that must be present (0: none).
  std::uint64_t interior, last_boundary;
};

// Computes dst = a & b, a | b, a | b | c, (a & b) | c or ~a for step_words words of the tile at a time.
// Operands and results are addresses in words. Addresses with the flag `moving` advance with these words; the
// others are scratch memory, which is reused for the next words.
enum class stream_operation : std::uint32_t { both, either, any_of_three, both_or, not_a };
// One operation on streams, see above.
struct stream_step {
  static constexpr std::uint32_t moving = 0x80000000U;
  stream_operation operation;
  std::uint32_t dst, a, b, c;
  std::uint32_t words; // the result is computed for words [0, words) of the tile
};

// A tile has 64 words of q 64-bit lanes, and up to 64 more words, the halo. Bit r of lane l of word w stands
// for position l * 4096 + r * 64 + w of the tile. Word 64 + w stands for the same positions plus 64, so that
// the residue at distance d < 64 from each residue of word w is in word w + d, at the same bit.
inline constexpr std::uint32_t tile_words = 64, max_halo = 64, step_words = 8;
inline constexpr std::uint32_t second_elements = 3;

// A compiled motif set, for one edge of matches.
struct bit_stream_plan {
  // For edge::ends, the plan is made of the reversed motifs and applies to the reversed text.
  edge which = edge::starts;
  std::uint32_t motifs = 0;
  std::vector<byte_class> classes;
  // The expected fraction of residues in each class; behind the last class, the rate of sequence starts.
  std::vector<double> class_rates;
  std::vector<stream_check> checks;
  std::vector<stream_segment> segments;
  std::vector<stream_row> rows;
  struct late_row {
    std::uint32_t row, slack;
  };
  std::vector<late_row> late_rows;       // the rows that have late variants
  std::vector<std::uint32_t> dense_rows; // rows whose matches are too long to be checked one at a time
  std::vector<stream_variant> variants;
  // The elements of all variants. Class index classes.size() stands for sequence starts.
  std::vector<stream_check> filter_elements;
  std::vector<std::uint32_t> elements; // the same as addresses in words
  std::vector<stream_step> steps;      // by descending `words`
  std::uint32_t arena_words = 0;       // words of streams, planes and scratch memory
  std::uint32_t plane_words = 0; // address of the planes: 8 for the bits of the bytes, 1 for sequence starts
  std::uint32_t zero_words = 0;  // address of step_words words whose bits are all 0
};

// The cost model and the limits by which plan_variants() plans for an engine. The defaults are those of the
// CPU; the GPU has its own (cuda/bit_stream/bit_stream_tables.cpp). All costs are in one unit, cycles of a
// CPU or of a multiprocessor, and for 512 positions of text.
struct stream_costs {
  double load = 0.8;           // of one stream in a filter
  double variant = 0.7;        // of a variant, apart from its loads
  double candidate = 30;       // of checking a position that passes the filter
  double late_candidate = 400; // of trying one start of a late variant; only if tile_words is 0
  double row = 0;    // additional, of a candidate whose row has gaps left, and of each start of a late one
  double second = 0; // of testing half of the second elements on a tile that has positions left
  double tile_words = 0; // words of 512 positions in a tile; 0: the plan ignores what second elements save
  double late = 4;       // for each possible start at the end of a tile that a late variant leaves open
  // Limits: the number of streams, the elements in the filter of a variant (fewer than the minimum only if
  // there are no more), and the second elements.
  std::size_t max_streams = 128, min_filters = 1, max_filters = max_halo,
              second_elements = scan_detail::second_elements;
  std::uint32_t offsets = max_halo; // elements of a filter have offsets below this
  // The position at which a late variant passes: true, its own first residue (lead > 0); false, the last
  // possible start of the match (lead = 0).
  bool leads = false;
  std::uint64_t max_row_length = 4096; // longer rows become dense rows
  bool anchored_of_any_length = true;  // whether rows with '<' may be longer
};

// Returns a plan without steps and addresses. If `fits` is given, the plan has as many streams, up to
// costs.max_streams, as `fits` accepts.
[[nodiscard]] bit_stream_plan
plan_variants(std::span<const motif> motifs, alphabet letters, edge which, const stream_costs& costs,
              const std::function<bool(const bit_stream_plan&)>& fits = nullptr);

struct byte_class_hash {
  std::size_t operator()(const byte_class& cls) const noexcept {
    std::uint64_t mixed = 0;
    for (const std::uint64_t bits : cls.bits)
      mixed = (mixed ^ bits) * 0x9e3779b97f4a7c15U, mixed ^= mixed >> 29;
    return mixed;
  }
};
using class_ids = std::unordered_map<byte_class, std::uint32_t, byte_class_hash>;
// Appends the rows of motif `index`, with their segments, checks and classes, to the plan. `ids`: the index
// of each class in plan.classes.
void append_stream_rows(const motif& m, std::uint32_t index, class_ids& ids, bit_stream_plan& plan);

// Chooses the classes that get a stream of their own, if there are more classes than streams. Any other class
// is served by the rarest class with a stream that contains it.
//
// Returns up to `max_streams` classes, in the order in which they were chosen, so that a prefix of the result
// is the choice for fewer streams. rates[c] is the fraction of residues in class c. uses[c] is the worth of
// testing class c exactly, for each unit of the logarithm of its rarity; a class that is served by class k
// contributes uses[c] * -log(rates[k]). The algorithm is greedy: it adds the class that increases the sum
// most. (The sum is at least 1 - 1/e of the best possible: Nemhauser, Wolsey & Fisher, An analysis of
// approximations for maximizing submodular set functions, 1978.) Time O(classes^2), for at most the 8,192
// most used classes. `rates` and `uses` have at least as many elements as `classes`.
[[nodiscard]] std::vector<std::uint32_t> choose_streams(std::span<const byte_class> classes,
                                                        std::span<const double> rates,
                                                        std::span<const double> uses,
                                                        std::size_t max_streams);

} // namespace weft::scan_detail
