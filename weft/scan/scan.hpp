// Thousands of motifs over many sequences: every match, with begin and end.
//
//   const weft::motif_set motifs({weft::parse_motif("N-{P}-[ST]-{P}")});
//   const std::vector<std::uint64_t> offsets = {0, 5};
//   weft::scan(motifs, {"MNGSA", offsets});         // == {{0, 0, 1, 5}}
//
// That is one match: of sequence 0 and motif 0, residues [1, 5).
//
// Methods: Navarro & Raffinot, Flexible Pattern Matching in Strings, ch. 4 (shift-and with gaps); Sasakawa,
// Kaneta & Arimura, GPU Acceleration of Large-scale Parallel String Matching (nfa-array, shift-and over many
// patterns); bit streams over text positions as in Cameron et al., Bitwise data parallelism in regular
// expression matching, PACT 2014.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/monitor.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/scan/motif.hpp>

namespace weft {

// Concatenated sequences: sequence i is residues[offsets[i], offsets[i + 1]). offsets has one more entry than
// there are sequences (none: empty or one entry), ascends, begins at 0 and ends at residues.size(). A view:
// owns nothing.
struct sequence_batch {
  // As above.
  std::string_view residues;
  std::span<const std::uint64_t> offsets;
  // How many sequences there are, and one of them.
  [[nodiscard]] std::uint64_t count() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] std::string_view operator[](std::uint64_t i) const noexcept {
    return residues.substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// Forward: as given. Reverse: of the reverse complement.
enum class strand : std::uint8_t { forward, reverse };

// Positions are 0-based, half-open, in the sequence as given (also on the reverse strand).
struct scan_match {
  std::uint32_t sequence; // index in the batch
  std::uint32_t motif;    // index in the set
  // Its residues are [begin, end).
  std::uint64_t begin, end;
  weft::strand strand = strand::forward; // on which it matches
  friend auto operator<=>(const scan_match&,
                          const scan_match&) = default; // sequence, motif, begin, end, strand
};

// Many matches: a std::vector whose resize() and match_vector(count) leave new items unwritten.
using match_vector = std::vector<scan_match, unwritten_allocator<scan_match>>;

// Which matches are reported; an empty one never is.
//   ps_scan  what ps_scan.pl 1.90 reports: at each start the first alternative of greedy backtracking; then
//            those with too many X are dropped, then those that end no later than the last reported one (see
//            included). [<M] may be left out at the start of the sequence and, as in ps_scan.pl, wherever the
//            search goes on after a match: a residue behind its begin; without overlap at its end.
//   starts   every distinct start, with the end that ps_scan's alternative has there; none where that one is
//            empty (with greediness off it may be). X as in ps_scan with max_x < 0.
//   ends     every distinct end (the notion of shift-and and of Hyperscan), of all alternatives; begin = the
//            largest start that reaches it. X likewise.
// For starts and ends [<M] may be left out at the start of the sequence alone; for all, [G>] at its end.
enum class match_rule { ps_scan, starts, ends };

// Strands to search.
enum class strand_choice { forward, reverse, both }; // other than forward: dna only

// What computed a result: the engine, and its GPU, or -1 for the CPU.
struct scan_used {
  // Its name, and the CUDA device.
  std::string engine;
  int gpu = -1;
};

// Devices. cpu: no GPU is touched. gpu: every engine has a form for a CUDA GPU as well, with the same
// matches; whole sequences go there in pieces that fit its memory, and their matches come back. Where a
// sequence, or what is found in a piece, is too much for that memory, sequences are cut as well, and threads
// of the host apply the rule. auto: a GPU where there is one with memory enough, and so much text and so many
// motifs that it pays (see scan_takes_gpu); else the CPU.
struct scan_options {
  match_rule rule = match_rule::ps_scan; // which matches are reported
  bool overlap = true;   // false (ps_scan -v): the next match starts at or after the end of this one
  bool included = false; // true (ps_scan -i): also matches that end no later than the one before
  int max_x = 0;         // X of the text accepted by letters and [..]; negative: any number (ps_scan -x)
  strand_choice strands = strand_choice::forward; // where they are looked for
  // dna only: sequences are circles. Matches go over the origin, and then end behind the sequence's size;
  // they are those of the sequence followed by its own beginning, and none is longer than the sequence.
  // Motifs with '<' or '>' are an error.
  bool circular = false;
  std::string engine = "auto";     // see scan_engines()
  device_choice device = {};       // where it may run
  std::uint64_t all_residues = 0;  // device auto decides by so many, of all calls of a task; 0: by the call's
  int threads = 0;                 // 0: all
  std::uint64_t device_memory = 0; // bytes of the GPU beside the motifs; 0: what is free
  task_monitor* monitor = nullptr; // work unit: one residue
  scan_used* used = nullptr;       // if not null, set by each call
};

// Motifs compiled for scanning. Immutable, cheap to copy (shares its data), safe to use from many threads;
// calls on one GPU take turns. For each GPU, engine and edge (starts or ends) that it has been used with it
// keeps what the engine has made of the motifs, and for copies up to 128 MiB of page-locked memory and 14
// threads. All motifs must have been parsed with the same motif_syntax.
class motif_set {
public:
  motif_set() = default;
  // Motifs, all of this syntax.
  explicit motif_set(std::vector<motif> motifs, const motif_syntax& syntax = {});
  // As the constructor was given them.
  [[nodiscard]] std::span<const motif> motifs() const noexcept;
  [[nodiscard]] const motif_syntax& syntax() const noexcept;
  struct compiled; // shared by the engines
  [[nodiscard]] const compiled& data() const noexcept { return *data_; }

private:
  std::shared_ptr<const compiled> data_;
};

// All matches, ordered by sequence, then motif, then begin, then end. Same result on every engine, device and
// thread count. Time O(residues * motifs / word) in the worst case; memory O(matches) beside the inputs.
// Throws std::invalid_argument (offsets; more than 2^32 - 1 sequences or motifs), error (unknown engine,
// strands or circular without dna, circular with anchors, more than 2^24 motifs for a GPU), unavailable_error
// (no such GPU), memory_error, device_error, cancelled_error.
[[nodiscard]] match_vector scan(const motif_set& motifs, const sequence_batch& sequences,
                                const scan_options& options = {});

// Some of the matches of scan().
struct scan_part {
  // Of whole sequences, or of one sequence longer than part_limits::residues.
  match_vector matches;
  // True where the sequences of this part and of those since the last complete one have no further matches.
  bool complete = true;
};

// Bounds on the parts.
struct part_limits {
  std::uint64_t residues = std::uint64_t{1} << 20; // scanned at once, at most; fewer where more match
  std::uint64_t matches = std::uint64_t{1} << 20;  // of a part, about
};

// Hands the matches of scan() to `visit`, in parts, so that memory does not grow with their number. A part
// holds matches of some sequences, or some matches of one sequence longer than limits.residues; `visit` has
// been given all matches of a sequence when it is given a complete part. Complete parts come in order of
// sequences; the matches up to a complete part are in no stated order. On a GPU there is one part. Time as
// scan(); memory O(limits.residues + matches of a part), and a copy of the sequences that are scanned at once
// for the reverse strand and for circles. Throws as scan(), and what `visit` throws.
void scan_in_parts(const motif_set& motifs, const sequence_batch& sequences, const scan_options& options,
                   const part_limits& limits, const std::function<void(scan_part)>& visit);

// Number of matches of each motif over all sequences: what scan() would return, not kept. Memory as
// scan_in_parts().
[[nodiscard]] std::vector<std::uint64_t> scan_count(const motif_set& motifs, const sequence_batch& sequences,
                                                    const scan_options& options = {});

// The match of `m` that begins at `begin` of a sequence and ends at `end`, as ps_scan.pl prints it: upper
// case, but lower case for what x took; what an element with a range (n,m) lacks to its most, as dots, but
// none for a set with '<' or '>'. If the
// first alternative at `begin` ends elsewhere: the residues as they are.
[[nodiscard]] std::string aligned_match(const motif& m, std::string_view sequence, std::uint64_t begin,
                                        std::uint64_t end);

// Throws what scan() throws for these options whatever motifs and texts are.
void check_scan_options(const scan_options& options);

// Whether scan() goes to a GPU with so many residues in all, unless its memory is too small. Throws as
// check_scan_options().
[[nodiscard]] bool scan_takes_gpu(const motif_set& motifs, std::uint64_t residues,
                                  const scan_options& options);

// The engines, and whether each can run here.
[[nodiscard]] std::vector<engine_info> scan_engines();

} // namespace weft
