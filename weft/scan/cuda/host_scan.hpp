// The engines that scan sequences in host memory on a GPU, and the scan in stages (staged_scan.cpp), which
// applies all rules on the device and returns the matches to host memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>
#include <weft/scan/cuda/gpu_searcher.hpp>
#include <weft/scan/cuda/searcher_cache.hpp>
#include <weft/scan/engines.hpp>
#include <weft/scan/scan.hpp>

namespace weft::scan_detail {

// Scans in stages (staged_scan()) or, if the GPU's memory is too small for that, piece by piece with host
// threads that apply the rule (piece_scanner.hpp).
class gpu_scan_engine final : public base_detail::engine<scan_problem> {
public:
  // `maker` compiles motifs for the engine; it is `slowness` times as slow as bit-stream.
  gpu_scan_engine(std::string_view name, std::string_view needs, gpu_searcher_maker maker, double slowness)
      : engine(name, needs, device_kind::gpu), make_(maker), slowness_(slowness) {}

  [[nodiscard]] gpu_searcher_maker searcher_maker() const noexcept { return make_; }
  [[nodiscard]] std::string why_not(const scan_problem& problem) const override;
  [[nodiscard]] double estimated_seconds(const scan_problem& problem) const override {
    return estimated_scan_seconds(problem, true, slowness_);
  }
  void run(scan_problem& problem) const override;

private:
  gpu_searcher_maker make_;
  double slowness_;
};

// Returns the engine that the options name, or the best one. `options` must not ask for the CPU.
[[nodiscard]] const gpu_scan_engine& engine_for(const motif_set::compiled& motifs, scan_options options);

// Returns about how many residues a piece should have: a quarter of the batch, so that all three stages are
// busy, within limits.
[[nodiscard]] constexpr std::uint64_t default_piece_residues(std::uint64_t residues) {
  return std::clamp(residues / 4, std::uint64_t{1} << 20, std::uint64_t{1} << 23);
}

// Returns all matches of the batch, which has residues, on the strands that options.strands names, in the
// memory of `spare` if they fit there. Returns nothing, and leaves the monitor as it was, if that takes more
// device memory than the options allow or if a match key needs more than 63 bits: a sequence or its matches
// are then too large for one piece, and piece_scanner can divide them. Callers that share motifs and a device
// take turns, one batch at a time. Throws device_error, cancelled_error, bad_alloc.
[[nodiscard]] std::optional<match_vector>
staged_scan(const motif_set::compiled& motifs, const searcher_key& key, const sequences_view& sequences,
            const scan_options& options, std::uint64_t preferred_piece, match_vector spare = {});

} // namespace weft::scan_detail
