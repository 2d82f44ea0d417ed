// Engine wavefront as an engine of the list.
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/entry/path_memory.hpp>
#include <weft/lcs/estimates.hpp>

namespace weft::lcs_detail {

namespace {

class wavefront_engine final : public lcs_engine {
public:
  // The paper leaves small parts to the CPU; `small` solves them.
  explicit wavefront_engine(const lcs_engine& small)
      : lcs_engine("wavefront",
                   "a CUDA GPU; up to 256 symbols; metrics lcs and indel; a launch an anti-diagonal of tiles",
                   device_kind::gpu),
        small_(small) {}

  [[nodiscard]] bool computes_edit() const override { return false; }
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    return wavefront_seconds(problem.m(), problem.n());
  }
  void run(lcs_problem& problem) const override {
    const lcs_call& call = problem.call;
    const gpu_options gpu = options_for(call);
    // The parts of the CPU have no memory limit, no monitor and no report of their own.
    const lcs_options part_options{.metric = call.options.metric,
                                   .run = {.threads = call.options.run.threads}};
    cell_counter uncounted(nullptr);
    const auto solve_small = [&](codes a, codes b, bool wants_path) {
      lcs_problem part{{part_options, uncounted}, symbol_texts<std::uint8_t>{a, b}, wants_path};
      small_.run(part);
      return part;
    };
    with_byte_symbols(problem, [&](codes a, codes b, std::uint64_t) {
      const small_distance distance_of = [&](codes x, codes y) { return solve_small(x, y, false).distance; };
      if (!problem.wants_path) {
        problem.distance = wavefront_distance(a, b, gpu, distance_of);
        return;
      }
      // Runs are copied while the vector of them grows.
      (void)memory_of_runs(
          "engine wavefront", a.size(), b.size(), false, a.size() + b.size(), call.options.run.memory,
          [&] { return wavefront_distance(a, b, gpu, distance_of); }, 2 * sizeof(edit_run));
      problem.path = wavefront_path(
          a, b, gpu, [&](codes x, codes y) { return std::move(solve_small(x, y, true).path); });
    });
  }

protected:
  [[nodiscard]] std::string why_not_texts(const lcs_problem& problem) const override {
    return why_not_symbols(problem);
  }

private:
  const lcs_engine& small_;
};

} // namespace

const lcs_engine& wavefront(const lcs_engine& small) {
  static const wavefront_engine engine(small);
  return engine;
}

} // namespace weft::lcs_detail
