// Computes the longest common subsequence (LCS), the indel distance, the Levenshtein distance or the least
// penalty with affine gaps of two sequences: either the number, or a path (an edit script) that reaches it.
//
//   const weft::edit_script path = weft::lcs("ABCBDAB", "BDCABA");
//   path.matches;                                   // == 4
//   weft::common_subsequence(path, "ABCBDAB");      // == "BDAB"
//   weft::lcs_length("ABCBDAB", "BDCABA");          // == 4
//   weft::edit_distance("kitten", "sitting");       // == 3
//
// For sequences in the memory of a GPU see weft/lcs/lcs.cuh.
//
// The canonical path. A path leads through the grid whose rows are the symbols of a and whose columns are
// the symbols of b. Several paths can be optimal. Every engine returns the leftmost one: in each row, the
// canonical path has the smallest column that an optimal path can have in that row. Hirschberg's recursion
// returns the same path if it chooses the smallest k at each split. Let R be the optimum for the suffixes
// a[i..) and b[j..). From the point (i, j) the canonical path goes
//     down (delete a[i])                 if that keeps R optimal, else
//     diagonal (match, or substitute)    if that keeps R optimal, else
//     right (insert b[j]).
// With metric affine the same rule holds, and R is the least penalty of the suffixes after the step by which
// the path has come to (i, j): after a deletion another deletion costs no gap_open, and so for insertions.
// So where two optimal paths first part, the canonical one deletes, else it takes the diagonal. (Two optimal
// paths with affine gaps can cross where one deletes and the other inserts, so there need not be one that is
// leftmost in every row.)
//
// Engines. Every engine computes values and paths of every metric, for bytes and for 32-bit numbers, on any
// processor, with these exceptions: affine-wavefront, affine-table and affine-batch compute metric affine,
// and no other engine does; affine-batch computes no paths; hunt-szymanski and wavefront do not compute
// metric edit; systolic, wavefront and affine-batch need a CUDA GPU, and take up to 256 different symbols.
// (All bytes qualify. Among numbers, the symbols that occur in a only count as one symbol, and so do the
// symbols that occur in b only.) docs/design/lcs.md gives their time and memory.
//   auto               Chooses: removes what needs no table, runs furthest-reaching for as long as that is
//                      surely faster, and then hunt-szymanski, bit-sliced, bit-parallel or systolic,
//                      whichever is estimated to be fastest.
//   furthest-reaching  Searches by increasing distance; for texts that differ little.
//   hunt-szymanski     Visits only the pairs of equal symbols; for texts with few of them, such as lines.
//   bit-sliced         Fills the table, hundreds of cells with each vector instruction, on all threads.
//   bit-parallel       Fills the table, 64 cells in a machine word (Crochemore et al.; for edit Myers and
//                      Hyyro); a path needs linear space.
//   systolic           Fills the table in the registers of a GPU; for large tables, of texts of up to 2^33
//                      symbols.
//   affine-wavefront   Metric affine: searches by increasing penalty; for texts that differ little.
//   affine-table       Metric affine: fills the table, 8 or 16 cells with each vector instruction; a path
//                      needs linear space.
//   affine-batch       Metric affine: penalties of all pairs of a batch on a GPU, two in each thread, for
//                      sequences of up to 4096 symbols, or fewer with penalties that exceed 16 bits earlier.
//   hirschberg-dp      Published: fills the table cell by cell.
//   wavefront          Published: fills tiles of the table on a GPU, an anti-diagonal at a time.
//
// Devices. Device auto lets the engine decide. Device cpu never touches a GPU. Device gpu works with the
// engines systolic, wavefront and affine-batch, and with auto, which then computes every table by systolic,
// and all pairs with metric affine by affine-batch. (A single pair with metric affine is computed on a GPU
// only if engine affine-batch is named.)
//
// Sources: Hirschberg, CACM 18 (1975) 341-343; Hunt & Szymanski, CACM 20 (1977) 350-353; Crochemore et al.,
// Inf. Process. Lett. 80 (2001) 279-285; Myers, J. ACM 46 (1999) 395-415; Hyyro, Nordic J. Comput. 10 (2003)
// 29-39; Myers, Algorithmica 1 (1986) 251-266 (O(nd)); Kawanami & Fujimoto, Computing the Longest Common
// Subsequence with Bit-Parallelism on a GPU; Gotoh, J. Mol. Biol. 162 (1982) 705-708; Myers & Miller, CABIOS
// 4 (1988) 11-17; Marco-Sola et al., Bioinformatics 37 (2021) 456-463 and 39 (2023) btad074.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/base/sequences.hpp>

namespace weft {

namespace lcs_detail {
class table_helpers;
}

// A metric says what a path optimises.
//   lcs    maximises matches; there are no substitutions.
//   indel  has the same paths as lcs; its value is m + n - 2 LCS.
//   edit   minimises insertions + deletions + substitutions (the Levenshtein distance).
//   affine minimises the penalty: `mismatch` for each substitution, and gap_open + k gap_extend for each gap,
//          which is a run of k deletions or of k insertions (affine_penalties).
enum class lcs_metric { lcs, indel, edit, affine };

// The penalties of metric affine. gap_open may be 0; gap_extend and mismatch must be positive; none may
// exceed max_affine_penalty.
struct affine_penalties {
  std::uint32_t gap_open = 6;   // of each gap, whatever its length
  std::uint32_t gap_extend = 2; // of each symbol in a gap
  std::uint32_t mismatch = 4;   // of each substitution
};

// The largest penalty that a call accepts.
inline constexpr std::uint32_t max_affine_penalty = 1'000'000;

// The options of all functions in this header. Meaning of run_options for these functions:
//   run.engine   see lcs_engines()
//   run.memory   bytes for tables, checkpoints and paths
//   run.monitor  work unit: 2^20 cells of the table
//   run.info     work: the cells m n of the table (of all tables), whether or not they had to be computed;
//                engine: the one that did most of the work, or "auto" if none was needed, because the texts
//                differ by one gap at most
struct lcs_options {
  lcs_metric metric = lcs_metric::lcs; // what lcs(), lcs_value() and lcs_all_pairs() optimise
  // Bytes that equal every byte, such as "N" for an unknown letter. If a text contains one, the call needs
  // engine auto or bit-parallel on the CPU, and throws an error for any other. O(m n / 64) time, less on
  // similar texts. (Metric affine: every engine supports them.)
  std::string wildcards = {};
  // Bytes that equal no byte, not even themselves. Every engine supports them. `unmatched` and `wildcards`
  // exclude each other, and both are for texts of bytes.
  std::string unmatched = {};
  affine_penalties penalties = {}; // of metric affine; other metrics ignore them
  // A share of the pairs of a batch, for processes that compute all pairs together.
  struct pair_share {
    std::uint64_t index = 0; // number of the share, less than `count`
    std::uint64_t count = 1; // number of shares
  };
  // lcs_all_pairs() computes the pairs of this share only, which have about as many cells as those of any
  // other share, and leaves the other values 0, so that the sums of the values of all shares are those of all
  // pairs. All shares must be computed with the same options but for their index, the number of the GPU and
  // what concerns threads and memory: a GPU divides the pairs otherwise than a CPU.
  pair_share share = {};
  // Other processes that fill large tables together with this one, or null: multi::lcs_team
  // (weft/multi/lcs.hpp). lcs() and lcs_value() use them by the engines auto and bit-sliced, for tables that
  // no GPU fills. If run.device names a GPU, lcs_value() lets one helper fill half of a large table on
  // another GPU, by the engines auto and systolic and the metrics lcs and indel. No two threads may use the
  // same helpers at the same time.
  lcs_detail::table_helpers* helpers = nullptr;
  run_options run = {}; // how the call runs
};

// What a step of a path does. The character is the one that the command `weft lcs` prints.
enum class edit_op : char { match = '=', substitute = 'X', insert = 'I', remove = 'D' };

// A run: `length` consecutive steps of one kind.
struct edit_run {
  // The kind of the steps, and their number.
  edit_op op;
  std::uint64_t length;
  friend bool operator==(const edit_run&, const edit_run&) = default;
};

// Describes how a becomes b: the runs of a path from the first symbols to the last. Adjacent runs differ in
// op. D takes symbols of a, I takes symbols of b. Between two diagonal runs, D stands before I.
struct edit_script {
  // The runs, and the total number of steps of each kind.
  std::vector<edit_run> runs;
  std::uint64_t matches = 0, substitutions = 0, insertions = 0, deletions = 0;
};

// Returns the number that options.metric names: the length of the LCS, the indel distance m + n - 2 LCS, the
// Levenshtein distance or the least penalty with affine gaps, with m = a.size() and n = b.size(). Symbols are
// bytes, or 32-bit numbers (lines, tokens); only their equality counts. Time and memory depend on the engine;
// auto needs O(m + n) bytes for a number. Throws error (the engine is unknown, does not run on the device, or
// does not support this number of symbols, this metric or wildcards; a penalty is out of range),
// unavailable_error (there is no such GPU), memory_error, device_error, cancelled_error.
[[nodiscard]] std::uint64_t lcs_value(std::string_view a, std::string_view b,
                                      const lcs_options& options = {});
[[nodiscard]] std::uint64_t lcs_value(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                      const lcs_options& options = {});

// Return what lcs_value() returns for one metric. These functions ignore options.metric.
[[nodiscard]] std::uint64_t lcs_length(std::string_view a, std::string_view b,
                                       const lcs_options& options = {});
[[nodiscard]] std::uint64_t lcs_length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                       const lcs_options& options = {});
[[nodiscard]] std::uint64_t indel_distance(std::string_view a, std::string_view b,
                                           const lcs_options& options = {});
[[nodiscard]] std::uint64_t indel_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                           const lcs_options& options = {});
[[nodiscard]] std::uint64_t edit_distance(std::string_view a, std::string_view b,
                                          const lcs_options& options = {});
[[nodiscard]] std::uint64_t edit_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                          const lcs_options& options = {});

// Returns the canonical path. Uses as much memory as options.run.memory allows, at least O(m + n) bytes and
// sizeof(edit_run) bytes for each run. If run.memory is set and is too small for the largest number of runs
// that texts of these lengths can have, the distance is computed first. If run.memory is too small for the
// largest number of runs at that distance, bit-sliced counts the runs and throws memory_error once they do
// not fit; the other engines throw it at once. Engine auto takes linear space before it gives up.
[[nodiscard]] edit_script lcs(std::string_view a, std::string_view b, const lcs_options& options = {});
[[nodiscard]] edit_script lcs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                              const lcs_options& options = {});

// Returns the common subsequence itself, which are the symbols of a at the matches of the path.
// O(a.size()). Throws std::invalid_argument unless the path consumes exactly a.
[[nodiscard]] std::string common_subsequence(const edit_script& path, std::string_view a);

// Returns the number that options.metric names for each pair of a batch of sequences. The result is the
// strictly lower triangle by rows: pair (i, j) with j < i is at index i (i - 1) / 2 + j. Threads share the
// pairs. On the CPU, engine auto computes eight sequences of up to 32768 symbols at once; on a GPU it
// computes all pairs at once by systolic, or with metric affine by affine-batch, which leaves pairs with
// longer sequences than it takes to the CPU. Memory: the values, a copy of the text (two copies with
// unmatched letters), and match masks for each thread. Throws like lcs_value(), and std::invalid_argument if
// the batch is not valid (check_sequences()).
[[nodiscard]] std::vector<std::uint64_t> lcs_all_pairs(const sequences_view& batch,
                                                       const lcs_options& options = {});

// Throw what the functions above throw for these options regardless of the texts: check_all_pairs_options()
// what lcs_all_pairs() throws, and check_lcs_options() what the others do.
void check_lcs_options(const lcs_options& options);
void check_all_pairs_options(const lcs_options& options);

// Returns the engines, and for each one whether it can run on this machine.
[[nodiscard]] std::vector<engine_info> lcs_engines();

} // namespace weft
