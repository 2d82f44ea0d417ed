// The engines on a GPU as scan.cpp uses them; compiles also where there is no CUDA toolkit.
#pragma once

#include <memory>
#include <optional>
#include <vector>
#include <weft/scan/core/compiled.hpp>
#include <weft/scan/entry/engine_choice.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// From so many residues times motifs on device auto takes a GPU: to take one up costs a process a quarter of
// a second, and to bring the text there and the matches back has its price as well.
inline constexpr double gpu_work = 2e13;

// The GPU to scan on, or -1 for the CPU. Throws error(invalid_input) for too many motifs on device gpu.
[[nodiscard]] int gpu_for(const engine_choice& choice, std::uint64_t motifs, std::uint64_t residues,
                          const scan_options& options);

// scan() on that GPU, of a batch with residues: in stages (cuda/staged_scan.hpp) or, where its memory is too
// small for that, with threads of the host that apply the rule (cuda/piece_scanner.hpp). Nothing where device
// is auto and the memory too small for that as well.
[[nodiscard]] std::optional<match_vector> scan_on_gpu(const engine_choice& choice, int gpu,
                                                      const motif_set::compiled& motifs,
                                                      const sequence_batch& sequences,
                                                      const scan_options& options);

// For motif_set::compiled. Null without CUDA.
[[nodiscard]] std::shared_ptr<scan_cuda::engine_cache> make_engine_cache();

} // namespace weft::scan_detail
