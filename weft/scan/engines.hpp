// The list of the scan engines `bit-stream`, `shift-and` and `nfa-array`, each for the CPU and for GPUs, and
// the problem that an engine solves.
#pragma once

#include <memory>
#include <optional>
#include <weft/base/engines.hpp>
#include <weft/scan/core/engine.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/scanner.hpp>

namespace weft::scan_detail {

// A scan_problem is the input of an engine, and says where the engine puts the matches:
// - An engine of the CPU passes parts to *visit if `limits` is set; then part_residues must be set, too. If
//   `counts` is set as well, matches are only counted there, and *visit gets just the matches of sequences
//   longer than limits->residues and of circular sequences, which cannot be counted one range at a time.
// - An engine of the CPU puts all matches into `matches`, in the order of scan(), if `limits` is not set.
// - An engine of a GPU always puts all matches into `matches`.
struct scan_problem {
  const motif_set::compiled& motifs;
  const sequences_view& sequences; // has residues
  const scan_options& options;
  std::uint64_t task_residues; // residues of all calls of the task, on which the choice of a device depends
  const part_limits* limits = nullptr;
  std::uint64_t* part_residues = nullptr; // residues of the next part; only with `limits`
  const scanner::visitor* visit = nullptr;
  std::vector<std::uint64_t>* counts = nullptr; // number of matches of each motif; only with `limits`
  match_vector spare = {}; // an engine of a GPU may put the matches into the memory of this
  std::optional<match_vector> matches = {};
};

using scan_engine = base_detail::engine<scan_problem>;

// Returns the one list of engines.
[[nodiscard]] const base_detail::engine_list<scan_problem>& scan_engine_list();

// Returns the time that the task takes with an engine that is `slowness` times as slow as bit-stream. A
// problem with `limits` is taken as a part of a task whose residues are read from files.
[[nodiscard]] double estimated_scan_seconds(const scan_problem& problem, bool on_gpu, double slowness);

// Throws the errors of scan() that do not depend on an engine.
void check_scan(const motif_set& motifs, const sequences_view& sequences, const scan_options& options);

// Returns an empty cache of GPU searchers for a motif set; null without CUDA.
[[nodiscard]] std::shared_ptr<searcher_cache> make_searcher_cache();

// Compiles the motifs for a scan on a GPU as far as that needs no GPU, so that it can be done while CUDA
// starts. The first scan on a GPU uses the result. Takes 25 ms for the 1,309 motifs of PROSITE. Does nothing
// for many motifs, because on some GPUs the result is of no use.
void prepare_gpu_scan(const motif_set& motifs, const scan_options& options);

// Returns the matches on one strand (entry/ranges.cpp): `search` finds the occurrences in pieces within
// `limits`, and threads of the host apply the rule. `search` must be for edge_of(options.rule). Throws
// memory_error as cut_pieces().
[[nodiscard]] match_vector scan_with_host_rules(const motif_set::compiled& motifs,
                                                const sequences_view& sequences, const scan_options& options,
                                                const piece_limits& limits, piece_searcher& search);

} // namespace weft::scan_detail
