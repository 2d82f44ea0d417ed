// Metric affine: its two engines as objects of the list, and how auto chooses between them.
#include <weft/lcs/engines.hpp>

#include <algorithm>
#include <optional>
#include <weft/lcs/cpu/affine_table.hpp>
#include <weft/lcs/cpu/affine_wavefront.hpp>
#include <weft/lcs/cpu/furthest_reaching.hpp>
#include <weft/lcs/estimates.hpp>

namespace weft::lcs_detail {

namespace {

// Writes the result to the problem, and returns true. Returns false if affine-wavefront is not expected to
// end within max_steps.
bool run_wavefront(lcs_problem& problem, std::uint64_t max_steps) {
  return std::visit(
      [&](const auto& texts) {
        if (problem.wants_path) {
          auto found = affine_wavefront_path(texts.a, texts.b, problem.call, max_steps);
          if (found) problem.path = std::move(*found);
          return found.has_value();
        }
        const auto found = affine_wavefront_penalty(texts.a, texts.b, problem.call, max_steps);
        if (found) problem.distance = *found;
        return found.has_value();
      },
      problem.texts);
}

void run_table(lcs_problem& problem) {
  with_dense_symbols(problem, [&](auto a, auto b, std::uint64_t) {
    if (problem.wants_path)
      problem.path = affine_table_path(a, b, problem.call);
    else
      problem.distance = affine_table_penalty(a, b, problem.call);
  });
}

class wavefront_engine final : public lcs_engine {
public:
  wavefront_engine()
      : lcs_engine("affine-wavefront",
                   "any processor; metric affine; time by the penalty, memory linear in it",
                   device_kind::cpu) {}
  [[nodiscard]] bool is_affine() const override { return true; }
  // The worst case, in which the texts have nothing in common.
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    return table_cells(problem.m(), problem.n()) / affine_wavefront_steps_per_second;
  }
  void run(lcs_problem& problem) const override { (void)run_wavefront(problem, unlimited_steps); }

protected:
  [[nodiscard]] std::string why_not_texts(const lcs_problem& problem) const override {
    return is_short_window(problem.call.options.penalties)
               ? ""
               : fmt::format("it supports penalties of at most {} times their greatest common divisor",
                             max_wave_window);
  }
};

class table_engine final : public lcs_engine {
public:
  table_engine()
      : lcs_engine("affine-table", "any processor; metric affine; vectors of anti-diagonal cells",
                   device_kind::cpu) {}
  [[nodiscard]] bool is_affine() const override { return true; }
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    return affine_table_seconds(problem.m(), problem.n(), problem.wants_path);
  }
  void run(lcs_problem& problem) const override { run_table(problem); }
};

} // namespace

const lcs_engine& affine_wavefront_engine() {
  static const wavefront_engine engine;
  return engine;
}

const lcs_engine& affine_table_engine() {
  static const table_engine engine;
  return engine;
}

void solve_affine(lcs_problem& problem) {
  const double seconds = affine_table_seconds(problem.m(), problem.n(), problem.wants_path);
  const auto steps = static_cast<std::uint64_t>(std::min(1e18, seconds * affine_wavefront_steps_per_second));
  const run_options& run = problem.call.options.run;
  if (affine_wavefront_engine().why_not(problem).empty()) {
    report_engine(run, affine_wavefront_engine().name());
    if (run_wavefront(problem, steps)) return;
  }
  report_engine(run, affine_table_engine().name());
  run_table(problem);
}

} // namespace weft::lcs_detail
