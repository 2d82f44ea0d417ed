// Engine systolic as an engine of the list: symbols become codes below 256, and memory on the host is
// checked.
#include <algorithm>
#include <fmt/format.h>
#include <weft/base/engines.hpp>
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/entry/path_memory.hpp>
#include <weft/lcs/estimates.hpp>

namespace weft::lcs_detail {

namespace {

// Returns the helpers whose GPU may sweep a half of a table. A call that leaves the choice of the device to
// weft has none, because its helpers would all choose the same GPU.
table_helpers* gpu_helpers_of(const lcs_call& call) {
  return call.options.run.device.kind == device_kind::gpu ? call.options.helpers : nullptr;
}

// Returns the options of a call on the GPU that `run` names, by metric lcs.
gpu_options options_for_half(const run_options& run) {
  const lcs_options options{.run = run};
  cell_counter uncounted(nullptr);
  return options_for({options, uncounted});
}

class systolic_engine final : public gpu_table_engine {
public:
  systolic_engine() : gpu_table_engine("systolic", "a CUDA GPU; up to 256 symbols", device_kind::gpu) {}

  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    const double alone = systolic_seconds(problem.m(), problem.n(), problem.call.edit(), problem.wants_path);
    const table_helpers* const helpers = gpu_helpers_of(problem.call);
    const bool shared = !problem.wants_path && !problem.call.edit() && helpers != nullptr &&
                        helpers->is_worthwhile_on_gpu(problem.m(), problem.n());
    return shared ? alone / systolic_pair_speedup : alone;
  }
  [[nodiscard]] bool is_worthwhile(std::uint64_t m, std::uint64_t n) const override {
    return std::max(m, n) <= max_symbols && table_cells(m, n) >= min_gpu_cells;
  }
  [[nodiscard]] bool is_usable() const override { return weft::base_detail::first_usable_gpu() != nullptr; }
  [[nodiscard]] bool can_sweep_half(const half_shape& shape, const run_options& run) const override {
    return systolic_can_sweep_half(shape, options_for_half(run));
  }
  [[nodiscard]] std::vector<std::uint32_t> sweep_half(const half_shape& shape, codes a, codes b,
                                                      const run_options& run,
                                                      const sweep_check& check) const override {
    return systolic_half(shape, a, b, options_for_half(run), check);
  }

  void run(lcs_problem& problem) const override {
    const lcs_call& call = problem.call;
    const gpu_options gpu = options_for(call);
    with_byte_symbols(problem, [&](codes a, codes b, std::uint64_t sigma) {
      if (!problem.wants_path) {
        problem.distance = systolic_distance(a, b, sigma, gpu);
        return;
      }
      // Runs are copied while the vector of them grows.
      (void)memory_of_runs(
          "engine systolic", a.size(), b.size(), call.edit(), a.size() + b.size(), call.options.run.memory,
          [&] { return systolic_distance(a, b, sigma, gpu); }, 2 * sizeof(edit_run));
      problem.path = systolic_path(a, b, sigma, gpu);
    });
  }

  [[nodiscard]] std::vector<std::uint64_t> all_pairs(const sequences_view& batch,
                                                     const lcs_options& options) const override {
    const std::uint64_t count = batch.count(), pairs = count < 2 ? 0 : cells(count, count - 1) / 2;
    require_memory("engine systolic", cells(pairs, 8) + batch.data.size(), options.run.memory);
    if (pairs == 0) return {};
    const auto [symbols, sigma] = dense_codes(batch.data);
    cell_counter uncounted(nullptr);
    gpu_options gpu = options_for({options, uncounted});
    gpu.share = options.share;
    return systolic_all_pairs(symbols, batch.offsets, sigma, gpu);
  }

protected:
  [[nodiscard]] std::string why_not_texts(const lcs_problem& problem) const override {
    return why_not_symbols(problem);
  }
};

} // namespace

gpu_options options_for(const lcs_call& call) {
  const run_options& run = call.options.run;
  gpu_options options{weft::base_detail::gpu_index(run.device), run.device_memory, call.options.metric,
                      call.threads(), run.monitor};
  options.helpers = gpu_helpers_of(call);
  options.memory = run.memory;
  return options;
}

std::string why_not_symbols(const lcs_problem& problem) {
  if (std::holds_alternative<symbol_texts<std::uint8_t>>(problem.texts)) return "";
  return with_dense_symbols(problem, [&]<class Symbol>(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
    const std::uint64_t count = pair_codes<Symbol>(a, b, sigma, problem.call.threads()).count();
    return count <= 256 ? std::string()
                        : fmt::format("it supports at most 256 distinct symbols, but these texts have {} "
                                      "(use device cpu, which supports any number)",
                                      count);
  });
}

const gpu_table_engine& systolic() {
  static const systolic_engine engine;
  return engine;
}

} // namespace weft::lcs_detail
