#include <weft/scan/entry/gpu_scan.hpp>

#if defined(WEFT_WITH_CUDA)
#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/if_it_fits.hpp>
#include <weft/scan/cuda/engine_makers.hpp>
#include <weft/scan/cuda/piece_scanner.hpp>
#include <weft/scan/cuda/staged_scan.hpp>
#include <weft/scan/entry/ranges.hpp>
#include <weft/scan/entry/strands.hpp>

namespace weft::scan_detail {

int gpu_for(const engine_choice& choice, std::uint64_t motifs, std::uint64_t residues,
            const scan_options& options) {
  const bool fits_gpu = motifs <= max_found_motifs;
  if (choice.device.kind == device_kind::cpu) return -1;
  if (choice.device.kind == device_kind::gpu) {
    if (!fits_gpu)
      throw error(errc::invalid_input,
                  fmt::format("a GPU takes at most 2^24 motifs, not {} (device cpu does)", motifs));
    return choice.device.index;
  }
  const double strands = options.strands == strand_choice::both ? 2 : 1;
  const double work = strands * static_cast<double>(residues) * static_cast<double>(motifs);
  return fits_gpu && work >= gpu_work && !known_gpus().devices.empty() ? known_gpus().devices.front().index
                                                                       : -1;
}

namespace {

match_vector scan_in_pieces(const scan_cuda::engine_key& key, const motif_set::compiled& motifs,
                            const sequences_view& sequences, const scan_options& options) {
  const scan_cuda::gpu_options device_options{key.device, options.run.device_memory, options.run.threads};
  return scan_strands(sequences, options.strands, [&](const sequences_view& strand) {
    scan_cuda::piece_scanner scanner(motifs, key, device_options);
    const std::vector<text_piece> pieces =
        cut_pieces(strand, reach_of(motifs.motifs, edge_of(options.rule)), scanner.limits());
    return join_ranges(options, scan_pieces(motifs, strand, options, pieces, scanner,
                                            range_size(strand.data.size(), options.run.threads)));
  });
}

} // namespace

std::optional<match_vector> scan_on_gpu(const engine_choice& choice, int gpu,
                                        const motif_set::compiled& motifs, const sequences_view& sequences,
                                        const scan_options& options) {
  const scan_cuda::engine_key key{gpu, scan_cuda::maker_of(choice.id), edge_of(options.rule)};
  auto matches = base_detail::if_it_fits(choice.device.kind == device_kind::gpu, options.run.monitor, [&] {
    auto staged = scan_cuda::staged_scan(motifs, key, sequences, options,
                                         scan_cuda::default_piece_residues(sequences.data.size()));
    return staged ? *std::move(staged) : scan_in_pieces(key, motifs, sequences, options);
  });
  return matches;
}

std::shared_ptr<scan_cuda::engine_cache> make_engine_cache() {
  return std::make_shared<scan_cuda::engine_cache>();
}

} // namespace weft::scan_detail

#else

namespace weft::scan_detail {

// choose_engine() has already thrown if a GPU is required.
int gpu_for(const engine_choice&, std::uint64_t, std::uint64_t, const scan_options&) { return -1; }

std::optional<match_vector> scan_on_gpu(const engine_choice&, int, const motif_set::compiled&,
                                        const sequences_view&, const scan_options&) {
  return std::nullopt;
}

std::shared_ptr<scan_cuda::engine_cache> make_engine_cache() { return nullptr; }

} // namespace weft::scan_detail

#endif
