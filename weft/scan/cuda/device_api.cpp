// Implements weft::gpu::scan (weft/scan/scan.cuh) with the engines for the GPU.
#include <weft/scan/scan.cuh>

#include <stdexcept>
#include <string>
#include <weft/base/cuda/device_call.hpp>
#include <weft/base/error.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cuda/host_scan.hpp>
#include <weft/scan/cuda/resident_scan.hpp>

namespace weft::gpu {

namespace {

using namespace scan_detail;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("weft::gpu::scan: ") + what);
}

void validate(const motif_set& motifs, const sequences_view& text, const scan_options& options) {
  require(text.count <= 0xffffffffU, "at most 2^32 - 1 sequences in a call");
  require(text.size >> scan_detail::position_bits == 0, "at most 2^40 - 1 residues in a call");
  require(text.count != 0 || text.size == 0, "offsets must ascend from 0 to the number of residues");
  require(text.count == 0 || text.d_offsets != nullptr, "offsets are null");
  require(text.size == 0 || text.d_data != nullptr, "residues are null");
  require(motifs.motifs().size() <= scan_detail::max_code_motifs, "at most 2^24 motifs in a call");
  if (options.strands != strand_choice::forward && motifs.syntax().alphabet != alphabet::dna)
    throw error(errc::invalid_input, "the reverse strand needs alphabet dna");
  if (options.circular)
    throw error(errc::invalid_input, "weft::gpu::scan does not support circular sequences: use weft::scan");
}

} // namespace

scan_matches scan(const motif_set& motifs, const sequences_view& sequences, const scan_options& options,
                  cudaStream_t stream) {
  validate(motifs, sequences, options);
  device_call call("weft::gpu::scan", options.run, "residues");
  const gpu_scan_engine& engine = engine_for(motifs.data(), options);
  call.begin(engine.name(), sequences.size);
  if (motifs.motifs().empty() || sequences.count == 0) return {};
  base_detail::check_cancelled(options.run);
  searcher_context& context = motifs.data().gpu_searchers->at(
      {call.device(), engine.searcher_maker(), scan_detail::edge_of(options.rule)});
  const std::lock_guard lock(context.busy);
  context.make_ready(motifs.data());
  // Waits for the stream before returning, also after an exception: the caller may free the text then, and
  // the next call may use the engine.
  const quiet_at_end quiet(stream);
  scan_matches matches = resident_scan(motifs.data(), context, sequences, options, stream).run();
  base_detail::add_work(options.run, sequences.size * (options.strands == strand_choice::both ? 2 : 1));
  return matches;
}

} // namespace weft::gpu
