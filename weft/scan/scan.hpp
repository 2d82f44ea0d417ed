// Finds all matches of thousands of motifs in many sequences, with begin and end.
//
//   const weft::motif_set motifs({weft::parse_motif("N-{P}-[ST]-{P}")});
//   weft::scan(motifs, "MNGSA");                    // == {{0, 0, 1, 5}}
//
// The result is one match: of sequence 0 and motif 0, at residues [1, 5). For many sequences in a call, see
// weft/base/sequences.hpp.
//
// Methods: shift-and with gaps: Navarro & Raffinot, Flexible Pattern Matching in Strings, ch. 4; nfa-array,
// and shift-and over many patterns: Sasakawa, Kaneta & Arimura, GPU Acceleration of Large-scale Parallel
// String Matching; bit streams over text positions: Cameron et al., Bitwise data parallelism in regular
// expression matching, PACT 2014.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/run.hpp>
#include <weft/base/sequences.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/scan/motif.hpp>

namespace weft {

// The strand on which a motif matches: the sequence as given (forward), or its reverse complement (reverse).
enum class strand : std::uint8_t { forward, reverse };

// A match of a motif in a sequence. Positions are 0-based, half-open, and in the sequence as given, also for
// matches on the reverse strand.
struct scan_match {
  std::uint32_t sequence; // index in the batch
  std::uint32_t motif;    // index in the motif set
  // The match consists of the residues [begin, end) of the sequence.
  std::uint64_t begin, end;
  weft::strand strand = strand::forward; // the strand on which the motif matches
  // Orders by sequence, motif, begin, end, strand.
  friend auto operator<=>(const scan_match&, const scan_match&) = default;
};

// A std::vector of matches whose resize() and match_vector(count) leave new items unwritten.
using match_vector = unwritten_vector<scan_match>;

// The rule that decides which matches are reported. An empty match is never reported.
//   ps_scan  The matches that ps_scan.pl 1.90 reports: at each start the first alternative of greedy
//            backtracking, but no matches with too many X, and of the remaining ones no match that ends no
//            later than the last reported one (see scan_options::included). [<M] may match nothing at the
//            start of the sequence and, as in ps_scan.pl, at each position where the search goes on after a
//            match: one residue after its begin or, if overlap is false, at its end.
//   starts   One match for every distinct start, with the end that ps_scan's alternative has. A start whose
//            alternative is empty, which is possible if greedy is false, has no match. X are accepted as in
//            ps_scan with max_x < 0.
//   ends     One match for every distinct end of any alternative (as shift-and and Hyperscan define matches),
//            with the largest begin from which a match reaches that end. X are accepted likewise.
// With the rules starts and ends, [<M] may match nothing only at the start of the sequence; with every rule,
// [G>] may match nothing only at its end.
enum class match_rule { ps_scan, starts, ends };

// The strands to search.
enum class strand_choice { forward, reverse, both }; // reverse and both: only for the dna alphabet

// Options of scan(). Meaning of `run` for scanning:
//   device         cpu: no GPU is touched. gpu: every engine also has a form for a CUDA GPU, with the same
//                  matches; the GPU gets whole sequences in pieces that fit its memory, and returns their
//                  matches. If a sequence, or the matches of a piece, need more memory than that, sequences
//                  are cut as well, and host threads apply the rule. automatic: a GPU if there is one with
//                  enough memory and if there are so many residues and motifs that using it saves time,
//                  otherwise the CPU.
//   memory         is ignored: the result is as large as the matches. To bound host memory, use `scanner`
//                  with `part_limits` (weft/scan/scanner.hpp).
//   device_memory  does not count the motifs.
//   monitor, info  count residues; the monitor counts those of both strands.
struct scan_options {
  match_rule rule = match_rule::ps_scan; // which matches are reported
  bool overlap = true;   // false (ps_scan -v): a match starts at or after the end of the previous one
  bool included = false; // true (ps_scan -i): also report matches that end no later than the previous one
  // How many X of the text letters and [..] may accept in a match; negative: any number (ps_scan -x).
  int max_x = 0;
  strand_choice strands = strand_choice::forward; // the strands to search
  // Only for dna: the sequences are circles. Matches may cross the origin, and then end after the sequence's
  // size; they are the matches in the sequence followed by its own beginning, but no match is longer than the
  // sequence. Motifs with '<' or '>' are an error.
  bool circular = false;
  run_options run = {};
};

// Motifs compiled for scanning; all must have been parsed with the same motif_syntax. Immutable, cheap to
// copy (copies share the data), and safe to use from many threads; calls on one GPU take turns. For each GPU,
// engine and edge (starts or ends) with which the set has been used, it keeps the engine's tables of the
// motifs and, for copies, up to 128 MiB of page-locked memory and 14 threads.
class motif_set {
public:
  motif_set() = default;
  // Compiles motifs, which must all have been parsed with `syntax`.
  explicit motif_set(std::vector<motif> motifs, const motif_syntax& syntax = {});
  // Return the constructor's arguments.
  [[nodiscard]] std::span<const motif> motifs() const noexcept;
  [[nodiscard]] const motif_syntax& syntax() const noexcept;
  struct compiled; // data that the engines share
  [[nodiscard]] const compiled& data() const noexcept;

private:
  std::shared_ptr<const compiled> data_;
};

// Returns all matches, ordered by sequence, then motif, then begin, then end. The result is the same for
// every engine, device and number of threads. Time O(residues * motifs / word) in the worst case; memory
// O(matches) beside the inputs. Throws std::invalid_argument (offsets; more than 2^32 - 1 sequences or
// motifs), error (unknown engine, strands or circular without dna, circular with anchors, more than 2^24
// motifs for a GPU), unavailable_error (no such GPU), memory_error, device_error, cancelled_error.
[[nodiscard]] match_vector scan(const motif_set& motifs, const sequences_view& sequences,
                                const scan_options& options = {});
// Returns all matches in one sequence, as sequence 0.
[[nodiscard]] match_vector scan(const motif_set& motifs, std::string_view sequence,
                                const scan_options& options = {});

// Returns the number of matches of each motif over all sequences, without keeping the matches. Time and
// memory as scanner::count() (weft/scan/scanner.hpp).
[[nodiscard]] std::vector<std::uint64_t> scan_count(const motif_set& motifs, const sequences_view& sequences,
                                                    const scan_options& options = {});
// Counts the matches in one sequence.
[[nodiscard]] std::vector<std::uint64_t> scan_count(const motif_set& motifs, std::string_view sequence,
                                                    const scan_options& options = {});

// Returns the match of a motif of a set that begins at `begin` of a sequence and ends at `end`, as ps_scan.pl
// prints it: residues that x matched are in lower case and all others in upper case. An element with a range
// (n,m) that matched fewer than m residues is filled up with dots, unless its set has '<' or '>'. If the
// first alternative at `begin` ends elsewhere, returns the residues as they are.
[[nodiscard]] std::string aligned_match(const motif_set& motifs, std::uint32_t motif,
                                        std::string_view sequence, std::uint64_t begin, std::uint64_t end);

// Throws the errors of scan() that depend only on the options.
void check_scan_options(const scan_options& options);

// Returns the engines, and for each the reason why it cannot run on this machine, if there is one.
[[nodiscard]] std::vector<engine_info> scan_engines();

} // namespace weft
