// Implements weft::gpu::scan (weft/scan/scan.cuh) with the engines for the GPU.
#include <weft/scan/scan.cuh>

#include <stdexcept>
#include <string>
#include <weft/base/error.hpp>
#include <weft/scan/core/pieces.hpp>
#include <weft/scan/cuda/engine_makers.hpp>
#include <weft/scan/cuda/resident_scan.hpp>

namespace weft::gpu {

namespace {

using namespace scan_cuda;

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("weft::gpu::scan: ") + what);
}

void validate(const motif_set& motifs, const scan_text& text, const scan_device_options& options) {
  require(text.sequences <= 0xffffffffU, "at most 2^32 - 1 sequences a call");
  require(text.size >> scan_detail::found_position_bits == 0, "at most 2^40 - 1 residues a call");
  require(text.sequences != 0 || text.size == 0, "offsets must ascend from 0 to the number of residues");
  require(text.sequences == 0 || text.d_offsets != nullptr, "offsets are null");
  require(text.size == 0 || text.d_residues != nullptr, "residues are null");
  require(motifs.motifs().size() <= scan_detail::max_found_motifs, "at most 2^24 motifs");
  if (options.strands != strand_choice::forward && motifs.syntax().alphabet != alphabet::dna)
    throw error(errc::invalid_input, "the reverse strand is for the dna alphabet alone");
}

} // namespace

scan_matches scan(const motif_set& motifs, const scan_text& text, const scan_device_options& options,
                  cudaStream_t stream) {
  validate(motifs, text, options);
  scan_options named;
  named.engine = options.engine;
  const gpu_engine_maker make = maker_of(scan_detail::choose_engine(named).id);
  if (motifs.motifs().empty() || text.sequences == 0) return {};
  engine_context& context =
      motifs.data().gpu_engines->at({current_device(), make, scan_detail::edge_of(options.rule)});
  const std::lock_guard lock(context.busy);
  context.make_ready(motifs.data());
  // Waits for the stream before returning, also after an exception: the caller may free the text then, and
  // the next call may use the engine.
  const quiet_at_end quiet(stream);
  return resident_scan(motifs.data(), context, text, options, stream).run();
}

} // namespace weft::gpu
