// Longest common subsequence, indel distance and Levenshtein distance of two sequences: the number, or the
// path.
//
//   const weft::edit_script path = weft::lcs("ABCBDAB", "BDCABA");
//   path.matches;                                   // == 4
//   weft::common_subsequence(path, "ABCBDAB");      // == "BDAB"
//   weft::lcs_length("ABCBDAB", "BDCABA");          // == 4
//
// For sequences in the memory of a GPU see weft/lcs/lcs.cuh.
//
// The canonical path. Among all optimal paths through the grid of a (rows) and b (columns) every engine
// returns the leftmost one: at each row it has the smallest column that an optimal path can have there, which
// is what Hirschberg's recursion with the smallest k at each split chooses. From (i, j), with R the optimum
// for the suffixes a[i..) and b[j..), it goes
//     down (delete a[i])                 if that keeps R optimal, else
//     diagonal (match, or substitute)    if that keeps R optimal, else
//     right (insert b[j]).
//
// Engines. Each gives the value and the path of every metric, for bytes and numbers, on any processor, but
// for the two of CUDA GPUs, which take up to 256 symbols (all bytes; of numbers, those that both texts have
// and two).
//   hirschberg-dp      the table cell by cell, Hirschberg's recursion for the path. O(m n); 16 n bytes.
//   bit-parallel       64 cells a word (Crochemore et al.; for edit Myers and Hyyro), Hirschberg's recursion
//                      for the path. O(m n / 64); m + n / 2 bytes, and match masks.
//   bit-sliced         hundreds of cells a vector instruction, all threads, the path by checkpoints.
//                      O(m n log2(symbols) / vector bits).
//   furthest-reaching  by the distance d, one thread. O(m + n + d^2) on like texts, O((m + n) d) at worst;
//                      the path keeps d^2 / 128 bytes (lcs, indel) or d^2 / 64 (edit).
//   hunt-szymanski     by the r pairs of equal symbols, one thread. O(m + n + r); 4 (m + n) bytes, and for a
//                      path up to 8 r, but about 2 sqrt(r n) if memory does not allow more. No edit.
//   systolic           GPU: strips of the table in registers of warps, one launch. O(m n / 32) bit
//                      operations; a value takes O(m + n) bytes of the device. The path by checkpoints:
//                      m n / 8 (1/R + 1/2048) bytes for strips of R = 2048 to 16384 rows (edit: 2 to 2.5
//                      times that), and up to 5 GB for traces, or less as device_memory allows, in up to
//                      twice the time. Texts of up to 2^33 symbols.
//   wavefront          GPU: tiles of 1024 x 1024, one launch an anti-diagonal of them; Hirschberg's recursion
//                      for the path, small cases by bit-parallel. O(m n / 32) bit operations, O(m + n) bytes
//                      of the device. No edit.
//   auto               takes off common affixes and, for lcs and indel, symbols of one text only; then
//                      furthest-reaching while it is surely faster than the table; then hunt-szymanski where
//                      few symbols are equal (most texts of lines); then bit-sliced, or bit-parallel for the
//                      value of a small table; or systolic, on device gpu always, on device auto where there
//                      is one, with memory enough, and the table is large enough to be worth it.
//
// Devices. auto: as the engine says. cpu: no GPU is touched. gpu: systolic and wavefront, and auto with
// systolic for every table.
//
// Sources: Hirschberg, CACM 18 (1975) 341-343; Hunt & Szymanski, CACM 20 (1977) 350-353; Crochemore et al.,
// Inf. Process. Lett. 80 (2001) 279-285; Myers, J. ACM 46 (1999) 395-415; Hyyro, Nordic J. Comput. 10 (2003)
// 29-39; Myers, Algorithmica 1 (1986) 251-266 (O(nd)); Kawanami & Fujimoto, Computing the Longest Common
// Subsequence with Bit-Parallelism on a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/monitor.hpp>

namespace weft {

// lcs: maximise matches (no substitutions). indel: same paths, reported as m + n - 2 LCS.
// edit: minimise insertions + deletions + substitutions (Levenshtein).
enum class lcs_metric { lcs, indel, edit };

// What computed a result: the engine that did the most, and its GPU, or -1 for the CPU. It is still auto if
// no engine was needed, because the texts differ by one gap at most.
struct lcs_used {
  // Its name, and the CUDA device.
  std::string engine;
  int gpu = -1;
};

// Of every function here.
struct lcs_options {
  lcs_metric metric = lcs_metric::lcs; // what is optimal
  std::string engine = "auto";         // see lcs_engines()
  device_choice device = {};           // where it may run
  int threads = 0;                     // 0: all
  std::uint64_t memory = 0;            // bytes for tables, checkpoints and paths; 0: memory_limit(0)
  std::uint64_t device_memory = 0;     // bytes of the GPU; 0: what is free
  task_monitor* monitor = nullptr;     // work unit: 2^20 cells of the table
  lcs_used* used = nullptr;            // if not null, set by each call
  // Bytes that equal every byte, such as "N" for unknown letters: on the CPU by engine auto or bit-parallel,
  // O(m n / 64), less on like texts. Others are an error if a text has such bytes.
  std::string wildcards = {};
  // Bytes that equal no byte, not even themselves: on every engine. Not together with wildcards. Both are for
  // texts of bytes.
  std::string unmatched = {};
};

// What a step of a path does; its character is what weft lcs prints.
enum class edit_op : char { match = '=', substitute = 'X', insert = 'I', remove = 'D' };

// So many steps of one kind.
struct edit_run {
  // The kind, and how many.
  edit_op op;
  std::uint64_t length;
  friend bool operator==(const edit_run&, const edit_run&) = default;
};

// How a becomes b: runs from the first symbols to the last; neighbours differ in op. D takes symbols of a, I
// of b. Between two diagonal runs, D stands before I.
struct edit_script {
  // The runs, and how many steps of each kind they have in all.
  std::vector<edit_run> runs;
  std::uint64_t matches = 0, substitutions = 0, insertions = 0, deletions = 0;
};

// Symbols are bytes, or 32-bit numbers (lines, tokens); only equality counts. m = a.size(), n = b.size().
// Time and memory by engine, as above; auto's values take O(m + n) bytes.
// Throws error (unknown engine, one of another device, too many symbols, edit or wildcards for its engine),
// unavailable_error (no such GPU), memory_error, device_error, cancelled_error.
[[nodiscard]] std::uint64_t lcs_length(std::string_view a, std::string_view b,
                                       const lcs_options& options = {});
[[nodiscard]] std::uint64_t lcs_length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                       const lcs_options& options = {});

// The number that options.metric names: LCS length, indel distance, or Levenshtein distance.
[[nodiscard]] std::uint64_t lcs_value(std::string_view a, std::string_view b, const lcs_options& options);
[[nodiscard]] std::uint64_t lcs_value(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                      const lcs_options& options);

// The canonical path. Memory: as options.memory allows, at least O(m + n), and sizeof(edit_run) bytes for
// each run. Where options.memory is set and the most runs that such texts can have do not fit it, the
// distance is found first, and memory_error is thrown unless the most runs of that distance fit.
[[nodiscard]] edit_script lcs(std::string_view a, std::string_view b, const lcs_options& options = {});
[[nodiscard]] edit_script lcs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                              const lcs_options& options = {});

// The common subsequence itself, read off a path of a: the symbols under '='. O(a.size()). Throws
// std::invalid_argument if the path does not take all of a and no more.
[[nodiscard]] std::string common_subsequence(const edit_script& path, std::string_view a);

// lcs_value of each pair of a batch (sequence i is text[offsets[i], offsets[i+1])): the strictly lower
// triangle by rows, pair (i, j < i) at index i (i - 1) / 2 + j. Threads over pairs; auto takes eight of up to
// 32768 symbols at once, or all at once on a GPU by systolic. Memory: the values, a copy of the text (with
// unmatched letters two), and match masks a thread. No offsets: no values. Throws as above, and
// std::invalid_argument if offsets fall or go past the text.
[[nodiscard]] std::vector<std::uint64_t>
lcs_all_pairs(std::string_view text, std::span<const std::uint64_t> offsets, const lcs_options& options = {});

// Throws what the functions above throw for these options whatever the texts are.
void check_lcs_options(const lcs_options& options);

// The engines, and whether each can run here.
[[nodiscard]] std::vector<engine_info> lcs_engines();

} // namespace weft
