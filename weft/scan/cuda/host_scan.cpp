#include <weft/scan/cuda/host_scan.hpp>

#include <utility>
#include <weft/scan/cuda/piece_scanner.hpp>
#include <weft/scan/entry/strands.hpp>

namespace weft::scan_detail {

namespace {

// Scans linear sequences: in stages or, if the memory of the GPU is too small for that, piece by piece with
// threads of the host that apply the rule.
match_vector scan_on_gpu(const searcher_key& key, const motif_set::compiled& motifs,
                         const sequences_view& sequences, const scan_options& options,
                         match_vector spare = {}) {
  auto staged = staged_scan(motifs, key, sequences, options, default_piece_residues(sequences.data.size()),
                            std::move(spare));
  if (staged) return *std::move(staged);
  const piece_scanner_options device_options{key.device, options.run.device_memory, options.run.threads};
  return scan_strands(sequences, options.strands, [&](const sequences_view& strand) {
    piece_scanner scanner(motifs, key, device_options);
    return scan_with_host_rules(motifs, strand, options, scanner.limits(), scanner);
  });
}

} // namespace

std::string gpu_scan_engine::why_not(const scan_problem& problem) const {
  return problem.motifs.motifs.size() <= max_code_motifs
             ? ""
             : "a GPU supports at most 2^24 motifs: use device cpu";
}

void gpu_scan_engine::run(scan_problem& problem) const {
  const motif_set::compiled& motifs = problem.motifs;
  const scan_options& options = problem.options;
  const searcher_key key{base_detail::gpu_index(options.run.device), make_, edge_of(options.rule)};
  if (!options.circular) {
    problem.matches = scan_on_gpu(key, motifs, problem.sequences, options, std::move(problem.spare));
    return;
  }
  scan_options strand_options = options;
  strand_options.strands = strand_choice::forward;
  problem.matches = scan_strands(
      problem.sequences, options.strands,
      [&](const sequences_view& strand) { return scan_on_gpu(key, motifs, strand, strand_options); },
      longest_match(motifs.motifs));
}

const gpu_scan_engine& engine_for(const motif_set::compiled& motifs, scan_options options) {
  options.run.device.kind = device_kind::gpu;
  const sequences_view none;
  const scan_problem problem{motifs, none, options, 0};
  // Every engine of a GPU is a gpu_scan_engine.
  return static_cast<const gpu_scan_engine&>(scan_engine_list().choose(problem, options.run));
}

} // namespace weft::scan_detail
