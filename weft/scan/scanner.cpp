#include <weft/scan/scanner.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <weft/base/parallel.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/engines.hpp>

namespace weft {

using namespace scan_detail;

scanner::scanner(motif_set motifs, const scan_options& options, const part_limits& limits,
                 std::uint64_t expected_residues)
    : motifs_(std::move(motifs)), options_(options), limits_(limits), expected_residues_(expected_residues) {
  if (limits.residues == 0 || limits.matches == 0)
    throw std::invalid_argument("scanner: limits of parts must be at least 1");
  check_scan_options(options);
  totals_.by_motif.resize(motifs_.motifs().size());
}

void scanner::feed(const sequences_view& sequences, const visitor& visit) { run(sequences, &visit); }

void scanner::feed(std::string_view sequence, const visitor& visit) {
  const std::array<std::uint64_t, 2> offsets{0, sequence.size()};
  run({sequence, offsets}, &visit);
}

void scanner::count(const sequences_view& sequences) { run(sequences, nullptr); }

void scanner::run(const sequences_view& sequences, const visitor* visit) {
  base_detail::run_record record(options_.run, "residues");
  check_scan(motifs_, sequences, options_);
  record.set_work(sequences.data.size());
  totals_.sequences += sequences.count();
  totals_.residues += sequences.data.size();
  const std::uint64_t task_residues = std::max<std::uint64_t>(expected_residues_, sequences.data.size());
  if (motifs_.motifs().empty() || sequences.data.empty()) {
    const scan_problem none{motifs_.data(), sequences, options_, task_residues, &limits_};
    return record.set_engine(scan_engine_list().choose(none, options_.run).name());
  }
  std::uint64_t first_sequence = 0; // index in the batch of the first sequence that is scanned now
  const visitor emit = [&](scan_part part) {
    add_to_totals(part.matches);
    if (first_sequence != 0)
      for (scan_match& match : part.matches) match.sequence += static_cast<std::uint32_t>(first_sequence);
    if (visit != nullptr) (*visit)(std::move(part));
  };
  std::vector<std::uint64_t> offsets;
  for (const sequence_range& range :
       cut_between_sequences(sequences, max_residues_at_once_, ~std::uint64_t{0})) {
    first_sequence = range.first;
    const sequences_view some = sequences_of(sequences, range, offsets);
    scan_problem problem{motifs_.data(), some, options_, task_residues, &limits_, &part_residues_, &emit};
    problem.spare = std::move(spare_);
    if (visit == nullptr) problem.counts = &totals_.by_motif;
    const scan_engine& used = scan_engine_list().solve(problem, options_.run);
    base_detail::report_engine(record, used, options_.run);
    if (!problem.matches) continue;                  // the engine has emitted them itself
    if (problem.matches->size() > limits_.matches) { // fewer residues have fewer matches
      constexpr std::uint64_t min_residues = std::uint64_t{1} << 16;
      max_residues_at_once_ = std::max<std::uint64_t>(some.data.size() / 2, min_residues);
    }
    emit({*std::move(problem.matches), true, true});
  }
  if (visit == nullptr)
    totals_.matches = std::accumulate(totals_.by_motif.begin(), totals_.by_motif.end(), std::uint64_t{0});
}

// Each thread counts the matches of ranges, because a GPU finds matches faster than one thread reads them.
void scanner::add_to_totals(const match_vector& matches) {
  const std::uint64_t grain = std::max<std::uint64_t>(std::uint64_t{1} << 15, 4 * totals_.by_motif.size());
  std::mutex mutex;
  parallel_for(0, matches.size(), grain, options_.run.threads, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> found(totals_.by_motif.size());
    for (std::uint64_t i = first; i < last; ++i) ++found[matches[i].motif];
    const std::lock_guard lock(mutex);
    for (std::size_t motif = 0; motif < found.size(); ++motif) totals_.by_motif[motif] += found[motif];
  });
  totals_.matches += matches.size();
}

} // namespace weft
