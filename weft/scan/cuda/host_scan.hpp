// The engines that scan sequences in host memory on a GPU.
#pragma once

#include <weft/scan/cuda/gpu_engine.hpp>
#include <weft/scan/engines.hpp>

namespace weft::scan_cuda {

// Scans in stages (staged_scan.hpp) or, if the GPU's memory is too small for that, piece by piece with host
// threads that apply the rule (piece_scanner.hpp).
class gpu_scan_engine final : public detail::engine<scan_detail::scan_problem> {
public:
  // `maker` compiles motifs for the engine; it is `slowness` times as slow as bit-stream.
  gpu_scan_engine(std::string_view name, std::string_view needs, gpu_engine_maker maker, double slowness)
      : engine(name, needs, device_kind::gpu), make_(maker), slowness_(slowness) {}

  [[nodiscard]] gpu_engine_maker make() const noexcept { return make_; }
  [[nodiscard]] std::string why_not(const scan_detail::scan_problem& problem) const override;
  [[nodiscard]] double estimated_seconds(const scan_detail::scan_problem& problem) const override {
    return scan_detail::estimated_scan_seconds(problem, true, slowness_);
  }
  void run(scan_detail::scan_problem& problem) const override;

private:
  gpu_engine_maker make_;
  double slowness_;
};

// Returns the engine that the options name, or the best one. `options` must not ask for the CPU.
[[nodiscard]] const gpu_scan_engine& engine_for(const motif_set::compiled& motifs, scan_options options);

} // namespace weft::scan_cuda
