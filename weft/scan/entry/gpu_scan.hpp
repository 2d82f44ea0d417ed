// Scanning on a GPU, as scan.cpp uses it. Also compiles without the CUDA toolkit.
#pragma once

#include <memory>
#include <optional>
#include <vector>
#include <weft/scan/core/compiled.hpp>
#include <weft/scan/entry/engine_choice.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Smallest product of residues and motifs for which device automatic uses a GPU. A smaller scan does not pay,
// because starting to use a GPU costs a process a quarter of a second, and text and matches have to be
// copied.
inline constexpr double gpu_work = 2e13;

// Returns the GPU to scan on, or -1 for the CPU. Throws error(invalid_input) if there are too many motifs for
// a GPU and the options require one.
[[nodiscard]] int gpu_for(const engine_choice& choice, std::uint64_t motifs, std::uint64_t residues,
                          const scan_options& options);

// Returns the matches of scan(), found on the GPU `gpu`, for a batch that has residues. Scans in stages
// (cuda/staged_scan.hpp) or, if the GPU's memory is too small for that, with host threads that apply the rule
// (cuda/piece_scanner.hpp). Returns nothing if the memory is too small for either and the device is
// automatic.
[[nodiscard]] std::optional<match_vector> scan_on_gpu(const engine_choice& choice, int gpu,
                                                      const motif_set::compiled& motifs,
                                                      const sequences_view& sequences,
                                                      const scan_options& options);

// Returns the cache of GPU engines for motif_set::compiled; null without CUDA.
[[nodiscard]] std::shared_ptr<scan_cuda::engine_cache> make_engine_cache();

} // namespace weft::scan_detail
