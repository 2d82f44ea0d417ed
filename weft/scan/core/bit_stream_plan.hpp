// What the scan engine `bit-stream` compiles motifs into. docs/scan-cpu.md tells the method.
//
// motif -> rows (alternatives without "nothing at the end" and without empty matches)
//       -> segments (fixed runs of elements, with a variable gap before each)
//       -> variants: the first gaps of a row written out, so that its first elements stand at fixed offsets.
//    A variant may also begin at a later segment; then starts are looked for in the few places it allows.
// A variant's filter is the AND of a few class streams, each shifted by its offset. A position that passes is
// checked exactly: the rest of the variant's elements, then, if gaps are left, the whole row.
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

// A set of bytes with a fast test.
struct byte_class {
  std::array<std::uint64_t, 4> bits{};
  [[nodiscard]] bool has(unsigned char byte) const noexcept { return (bits[byte >> 6] >> (byte & 63)) & 1; }
  [[nodiscard]] bool inside(const byte_class& other) const noexcept {
    const auto outside = [&](std::size_t word) { return (bits[word] & ~other.bits[word]) != 0; };
    return !outside(1) && !outside(0) && !outside(2) && !outside(3); // letters tell first
  }
  friend auto operator<=>(const byte_class&, const byte_class&) = default;
};

struct stream_check {
  std::uint32_t offset; // from the segment's or the variant's first residue
  std::uint32_t cls;    // index of bit_stream_plan::classes
  friend bool operator==(const stream_check&, const stream_check&) = default;
};

struct stream_segment {
  std::uint64_t gap_min,
      gap_max;            // residues between the segment before and this one; max may be unbounded_gap
  std::int32_t gap_class; // what those residues are: index of classes, or -1: anything
  std::uint64_t length;   // residues of the segment
  std::uint32_t first_check, last_check;
};

inline constexpr std::uint64_t unbounded_gap = ~std::uint64_t{0};

struct stream_row {
  std::uint32_t motif;
  std::uint32_t first_segment, last_segment;
  std::uint64_t min_length, max_length; // max may be unbounded_gap
  bool anchor_n, anchor_c;
};

struct stream_variant {
  std::uint32_t row, motif;
  std::uint32_t next_segment;            // the row's first segment that is not written out
  std::uint32_t first_element, filters;  // addresses of streams, the rarest first: `filters` make the filter,
                                         // the next second_elements are asked of what passes it
  std::uint32_t first_check, last_check; // what those do not decide, the rarest first
  std::uint32_t length;                  // residues written out
  bool complete;                         // no gap left: the checks decide
  bool late; // begins at a later segment: it passes where a match may start up to `slack` before `lead`
             // residues before
  std::uint32_t slack, lead;
  bool anchor_n;
  std::uint64_t interior, last_boundary; // of the boundaries at 1 .. 64 residues from the start: those that
                                         // must not be there, and the one that must (0: none must)
};

// dst = a & b, a | b, a | b | c, (a & b) | c or ~a, over a piece of the tile. Operands and results are
// addresses in words; those with `moving` set go along with the piece, the others are scratch of one piece.
enum class stream_operation : std::uint32_t { both, either, any_of_three, both_or, not_a };
struct stream_step {
  static constexpr std::uint32_t moving = 0x80000000U;
  stream_operation operation;
  std::uint32_t dst, a, b, c;
  std::uint32_t words; // computed for words [0, words) of the tile
};

// A tile has 64 words (and up to as many again, the halo) of q 64-bit lanes. Bit r of lane l of word w is the
// residue at position l * 4096 + r * 64 + w of the tile. Word 64 + w is the same residues one bit further, so
// that the residue d < 64 after each residue of word w is found in word w + d, at the same bit.
inline constexpr std::uint32_t tile_words = 64, max_halo = 64, piece_words = 8;
inline constexpr std::uint32_t second_elements = 3;

struct bit_stream_plan {
  edge which = edge::starts; // ends: everything here is of the reversed motifs, for the reversed text
  std::uint32_t motifs = 0;
  std::vector<byte_class> classes;
  std::vector<double> class_rates; // how often a residue is in it; the last: a sequence starts there
  std::vector<stream_check> checks;
  std::vector<stream_segment> segments;
  std::vector<stream_row> rows;
  struct late_row {
    std::uint32_t row, slack;
  };
  std::vector<late_row> late_rows;       // those with late variants
  std::vector<std::uint32_t> dense_rows; // rows whose matches are too long for checks one by one
  std::vector<stream_variant> variants;
  std::vector<stream_check> filter_elements; // of all variants; the class behind the last: sequence starts
  std::vector<std::uint32_t> elements;       // the same as word addresses
  std::vector<stream_step> steps;            // by descending `words`
  std::uint32_t arena_words = 0;             // streams, planes and scratch
  std::uint32_t plane_words = 0; // address of the planes: 8 of the bytes' bits, 1 of sequence starts
  std::uint32_t zero_words = 0;  // a constant piece
};

// What things cost, in any unit, for a word of 512 positions, and what an engine can do.
struct stream_costs {
  double load = 0.8, variant = 0.7, candidate = 30, late_candidate = 400; // cycles of a CPU
  // More for a candidate with gaps left, and for one start of a late one; half of the second elements of a
  // tile that is not empty yet. With tile_words = 0 what the second elements save is not counted, else
  // late_candidate is not.
  double row = 0, second = 0, tile_words = 0;
  double late = 4; // for each place at the end of a tile that a late variant leaves open
  std::size_t max_streams = 128, min_filters = 1, max_filters = max_halo,
              second_elements = scan_detail::second_elements;
  std::uint32_t offsets = max_halo;    // of a filter's elements: fewer than this
  bool leads = false;                  // whether a late variant may begin at its own first residue
  std::uint64_t max_row_length = 4096; // of a row; longer ones are dense
  bool anchored_of_any_length = true;
};

// Everything but steps and addresses. If `fits` is given: with as many streams, up to costs.max_streams, as
// it lets be.
[[nodiscard]] bit_stream_plan
plan_variants(std::span<const motif> motifs, alphabet letters, edge which, const stream_costs& costs,
              const std::function<bool(const bit_stream_plan&)>& fits = nullptr);

// A step of the compiler.
struct byte_class_hash {
  std::size_t operator()(const byte_class& cls) const noexcept {
    std::uint64_t mixed = 0;
    for (const std::uint64_t bits : cls.bits)
      mixed = (mixed ^ bits) * 0x9e3779b97f4a7c15U, mixed ^= mixed >> 29;
    return mixed;
  }
};
using class_ids = std::unordered_map<byte_class, std::uint32_t, byte_class_hash>;
void append_stream_rows(const motif& m, std::uint32_t index, class_ids& ids, bit_stream_plan& plan);

} // namespace weft::scan_detail
