#include <weft/scan/scanner.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
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

std::uint64_t scanner::task_residues(const sequences_view& sequences) const noexcept {
  return std::max<std::uint64_t>(expected_residues_, sequences.data.size());
}

void scanner::run(const sequences_view& sequences, const visitor* visit) {
  base_detail::run_record record(options_.run, "residues");
  check_scan(motifs_, sequences, options_);
  record.set_work(sequences.data.size());
  totals_.sequences += sequences.count();
  totals_.residues += sequences.data.size();
  const scan_problem whole{motifs_.data(), sequences, options_, task_residues(sequences)};
  const scan_engine& chosen = scan_engine_list().choose(whole, options_.run);
  record.set_engine(chosen.name());
  if (motifs_.motifs().empty() || sequences.data.empty()) return;
  if (!chosen.on_gpu() || sequences.data.size() <= gpu_residues_)
    return run_batch(sequences, 0, visit, record);
  for (const sequence_range& range : cut_between_sequences(sequences, gpu_residues_, ~std::uint64_t{0})) {
    std::vector<std::uint64_t> offsets;
    const std::uint64_t begin = sequences.offsets[range.first];
    for (std::uint64_t s = range.first; s <= range.last; ++s) offsets.push_back(sequences.offsets[s] - begin);
    run_batch({sequences.data.substr(begin, offsets.back()), offsets}, range.first, visit, record);
  }
}

// Scans sequences of which the first has the number `first_sequence` in the batch that was fed.
void scanner::run_batch(const sequences_view& batch, std::uint64_t first_sequence, const visitor* visit,
                        base_detail::run_record& record) {
  const visitor take = [&](scan_part part) {
    totals_.matches += part.matches.size();
    for (const scan_match& match : part.matches) ++totals_.by_motif[match.motif];
    if (first_sequence != 0)
      for (scan_match& match : part.matches) match.sequence += static_cast<std::uint32_t>(first_sequence);
    if (visit != nullptr) (*visit)(std::move(part));
  };
  scan_problem problem{motifs_.data(), batch, options_, task_residues(batch), &limits_, &take};
  if (visit == nullptr) problem.counts = &totals_.by_motif;
  const scan_engine& used = solve_scan(problem, record);
  if (problem.matches) {
    if (used.on_gpu() && problem.matches->size() > limits_.matches) { // smaller batches have fewer matches
      constexpr std::uint64_t min_residues = std::uint64_t{1} << 16;
      gpu_residues_ = std::max<std::uint64_t>(batch.data.size() / 2, min_residues);
    }
    take({*std::move(problem.matches), true});
  }
  if (visit == nullptr)
    totals_.matches = std::accumulate(totals_.by_motif.begin(), totals_.by_motif.end(), std::uint64_t{0});
}

} // namespace weft
