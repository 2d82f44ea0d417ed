// Compares two genomes: aligns what they have in common in blocks, and lists the variants that make B out
// of A.
//
//   weft::sequences a, b;
//   a.add("ACGTTGCATCAGGCTAAGTCCTAGACTTGACCATGGTAC", "chr");
//   b.add("ACGTTGCATCAGGCTAAGTCGTAGACTTGACCATGGTAC", "strain");
//   const weft::genome_comparison found = weft::compare_genomes(a, b, {.min_match = 12});
//   found.blocks.size();                            // == 1
//   found.variants.size();                          // == 1
//   found.variants[0].begin;                        // == 20
//   found.variants[0].reference;                    // == "C"
//   found.variants[0].alternative;                  // == "G"
//
// Each genome is a batch of records, such as chromosomes and plasmids, or the contigs of an assembly. Letters
// are A, C, G, T and U (the same as T), of either case; every other letter is treated as N, which matches
// nothing and is in no variant.
//
// Anchors. An alignment begins with an exact match that contains a sampled k-mer of min_match letters: each
// k-mer of A below 2^20 letters, and else one of four. A k-mer that occurs more than 32 times in A is left
// out, except in stretches of B of 256 letters and more that consist of such k-mers: there, 32 of its
// occurrences begin alignments, those that agree best with the order of the copies in both genomes.
//
// Placement. Each record of B is placed on the record of A with which it has the most exact matches, on the
// strand on which it has them; if records of A are equal, on the one with the fewest records of B so far. If
// exactly one record of B is placed on a record of A, the two are partners. If the partner in B is a circular
// sequence that begins at another letter, it is compared from the letter at which the record of A begins
// (genome_placement::origin).
//
// Blocks. The matches that are in the same order in a record of A and in a record of B that is placed on it
// are the backbone of the two: collinear blocks. What the backbone leaves out of B is looked for elsewhere in
// A, on both strands; this finds the inverted, moved and duplicated blocks. A letter of A or B is in at most
// one collinear, inverted or moved block; the letters of B in a duplicated block are in no other aligned
// stretch, but they can be an insertion of a collinear block. Every alignment has the least penalty with
// affine gaps (lcs_metric::affine) between exact matches; where the sequences are too different to be
// aligned, the block has deletions that an insertion follows.
//
// Variants. A variant is a substitution of one letter, an insertion, a deletion or a replacement. Insertions
// and deletions begin at the leftmost equivalent position that no other variant of the block is at. If no
// block is inverted or moved, neither genome has an N, and every record has a partner on the forward strand
// with the same origin, then the variants of the collinear blocks make exactly B out of A.
//
// Sources: Kurtz et al., Genome Biol. 5 (2004) R12 (MUMmer: exact matches, clusters, alignment between them);
// Li, Bioinformatics 34 (2018) 3094-3100 (minimap2: sampled k-mers, chaining); Gusfield, Algorithms on
// Strings, Trees, and Sequences, Cambridge 1997 (heaviest increasing subsequence); Tan et al., Bioinformatics
// 31 (2015) 2202-2204 (normalised variants).
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/sequences.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft {

namespace search_detail {
class comparison_helpers;
}

// Options of compare_genomes().
struct comparison_options {
  std::uint64_t min_match = 15; // letters of an exact match that can begin an alignment, 8 to 31
  std::uint64_t min_block =
      100; // letters of A and of B in an inverted, moved or duplicated block, at least 1
  affine_penalties penalties = {}; // of the alignments
  // The comparison runs on the CPU, by the engine "anchors". The memory includes the results, but not the
  // genomes. Work and progress are counted in letters of both genomes.
  run_options run = {};
  // Other processes that help with large genomes, such as those of multi::comparison_team (which must outlive
  // the call); null: none. No two threads may use the same helpers at the same time.
  search_detail::comparison_helpers* helpers = nullptr;
};

// What a block is:
//   collinear  in the same order as in A
//   inverted   reversed, at the place where it is in A
//   moved      at another place than in A, on either strand
//   duplicated an additional copy in B of letters of A that another block aligns, or of letters of the block
//              itself
enum class block_kind : std::uint8_t { collinear, inverted, moved, duplicated };

// A block: the letters [a_begin, a_end) of a record of A aligned with the letters [b_begin, b_end) of a
// record of B, or with their reverse complement if `reverse`. Positions are 0-based, on the forward strands.
struct genome_block {
  block_kind kind = block_kind::collinear; // what the block is
  // The record of A, and the first letter and the end of the block in it.
  std::uint64_t a_record = 0, a_begin = 0, a_end = 0;
  // The same of B.
  std::uint64_t b_record = 0, b_begin = 0, b_end = 0;
  bool reverse = false; // relative to the record of B as it was given
  edit_script path;     // makes the letters of B out of those of A; an N counts as a substitution
};

// A variant: `reference` at [begin, begin + reference.size()) of a record of A is `alternative` in B. The two
// strings share neither the first nor the last letter, and one of them may be empty.
struct genome_variant {
  std::uint64_t block = 0;    // number of the block that contains it, which is not a duplicated one
  std::uint64_t a_record = 0; // record of A
  std::uint64_t begin = 0;    // position in the record of A
  std::uint64_t b_begin = 0;  // position of the alternative in the record of B, on its forward strand
  // The letters of A and of B, on the forward strand of A.
  std::string reference, alternative;
};

// A stretch of a record that is in no block.
struct genome_stretch {
  // The record, and the letters [begin, end) of it.
  std::uint64_t record = 0, begin = 0, end = 0;
};

// Where a record of B was placed.
struct genome_placement {
  bool is_placed = false;     // false: it has no chain of matches with A
  std::uint64_t a_record = 0; // the record of A
  bool reverse = false;       // whether the reverse complement of the record was placed
  std::uint64_t origin = 0;   // the comparison begins at this letter of the strand that was placed
  bool is_partner = false;    // whether it is the only record of B that is placed on this record of A
};

// The result of a comparison.
struct genome_comparison {
  std::vector<genome_block> blocks;         // by a_record and a_begin
  std::vector<genome_variant> variants;     // by a_record, begin and length of the reference
  std::vector<genome_stretch> missing;      // the stretches of A that are in no block
  std::vector<genome_stretch> added;        // the stretches of B that are in no block
  std::vector<genome_placement> placements; // an entry for each record of B
};

// Compares two genomes. The result does not depend on the number of threads. O(n) for genomes of n letters
// that are similar; dissimilar stretches between two matches of the backbone take time by their area, at most
// 2^22 cells each. Takes about 7 bytes a letter of A, 3 a letter of B, up to 144 for each match, and the
// results. Throws std::invalid_argument as check_sequences() and for options out of range;
// error(invalid_input) for an unknown engine or penalties out of range, and if run asks for a GPU;
// memory_error if run.memory is too small; cancelled_error.
[[nodiscard]] genome_comparison compare_genomes(const sequences_view& a, const sequences_view& b,
                                                const comparison_options& options = {});

// Returns the engines of compare_genomes(), and whether each can run on this machine.
[[nodiscard]] std::vector<engine_info> comparison_engines();

} // namespace weft
