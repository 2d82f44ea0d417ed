#include <weft/lcs/engines.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/lcs/cpu/bit_parallel.hpp>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/cpu/furthest_reaching.hpp>
#include <weft/lcs/cpu/hunt_szymanski.hpp>
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/estimates.hpp>
#include <weft/lcs/published/hirschberg_dp.hpp>

namespace weft::lcs_detail {

namespace {

// Calls use(a, b) with the texts as the caller has them.
template <class Use> auto with_raw_symbols(const lcs_problem& problem, const Use& use) {
  return std::visit([&](const auto& texts) { return use(texts.a, texts.b); }, problem.texts);
}

class hirschberg_dp_engine final : public lcs_engine {
public:
  hirschberg_dp_engine()
      : lcs_engine("hirschberg-dp", "any processor; two rows of the table", device_kind::cpu) {}
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    return (problem.wants_path ? 2 : 1) * hirschberg_dp_seconds(problem.m(), problem.n());
  }
  void run(lcs_problem& problem) const override {
    const lcs_call& call = problem.call;
    with_raw_symbols(problem, [&]<class Symbol>(text<Symbol> a, text<Symbol> b) {
      const std::uint64_t memory = hirschberg_dp_rows<Symbol>::memory(b.size());
      require_memory("engine hirschberg-dp", memory, call.options.run.memory);
      hirschberg_dp_rows<Symbol> rows(call.edit(), call.work);
      if (!problem.wants_path) {
        problem.distance = rows.distance(a, b);
        return;
      }
      call.work.expect_more(cells(a.size(), b.size())); // Hirschberg's recursion computes the table twice
      problem.path = hirschberg_path("engine hirschberg-dp", rows, a, b, call.threads(a.size(), b.size()),
                                     memory, call.options.run.memory);
    });
  }
};

class bit_parallel_engine final : public lcs_engine {
public:
  bit_parallel_engine() : lcs_engine("bit-parallel", "any processor; 64 cells a word", device_kind::cpu) {}
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    const lcs_call& call = problem.call;
    return (problem.wants_path ? 2 : 1) * bit_parallel_seconds(problem.m(), problem.n(), call.edit(),
                                                               call.threads(problem.m(), problem.n()));
  }
  void run(lcs_problem& problem) const override {
    with_raw_symbols(problem, [&]<class Symbol>(text<Symbol> a, text<Symbol> b) {
      require_memory("engine bit-parallel", bit_parallel_rows<Symbol>::memory(a.size(), b.size()),
                     problem.call.options.run.memory);
      if (problem.wants_path)
        problem.path = bit_parallel_path(a, b, problem.call);
      else
        problem.distance = bit_parallel_distance(a, b, problem.call);
    });
  }
};

class bit_sliced_engine final : public lcs_engine {
public:
  bit_sliced_engine()
      : lcs_engine("bit-sliced", "any processor; vectors of anti-diagonal cells: AVX-512, AVX2, SSE4, NEON",
                   device_kind::cpu) {}
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    const std::uint64_t sigma = std::visit([](const auto& texts) { return texts.sigma; }, problem.texts);
    return bit_sliced_seconds(problem.m(), problem.n(), std::max<std::uint64_t>(sigma, 2),
                              problem.call.edit(), problem.call.threads(problem.m(), problem.n()));
  }
  void run(lcs_problem& problem) const override {
    with_dense_symbols(problem, [&](auto a, auto b, std::uint64_t sigma) {
      const auto [x, y] = symbol_planes(a, b, sigma, problem.call.threads(a.size(), b.size()));
      if (problem.wants_path)
        problem.path = solve_bit_sliced<edit_script>(x, y, problem.call);
      else
        problem.distance = solve_bit_sliced<std::uint64_t>(x, y, problem.call);
    });
  }
};

class furthest_reaching_engine final : public lcs_engine {
public:
  furthest_reaching_engine()
      : lcs_engine("furthest-reaching", "any processor; time and memory by the distance", device_kind::cpu) {}
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    return furthest_reaching_seconds(problem.m(), problem.n());
  }
  void run(lcs_problem& problem) const override {
    with_raw_symbols(problem, [&](auto a, auto b) {
      if (problem.wants_path)
        problem.path = *furthest_reaching_path(a, b, problem.call);
      else
        problem.distance = *furthest_reaching_distance(a, b, problem.call);
    });
  }
};

class hunt_szymanski_engine final : public lcs_engine {
public:
  hunt_szymanski_engine()
      : lcs_engine("hunt-szymanski",
                   "any processor; metrics lcs and indel; time by the pairs of equal symbols",
                   device_kind::cpu) {}
  [[nodiscard]] bool computes_edit() const override { return false; }
  [[nodiscard]] double estimated_seconds(const lcs_problem& problem) const override {
    return with_dense_symbols(problem, [&](auto a, auto b, std::uint64_t sigma) {
      return hunt_szymanski_seconds(a.size(), b.size(), matching_pairs(a, b, sigma), problem.wants_path);
    });
  }
  void run(lcs_problem& problem) const override {
    with_dense_symbols(problem, [&]<class Symbol>(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
      using solver = hunt_szymanski<Symbol>;
      require_memory("engine hunt-szymanski",
                     problem.wants_path
                         ? solver::memory(a.size(), b.size(), sigma, matching_pairs(a, b, sigma))
                         : solver::value_memory(b.size(), sigma),
                     problem.call.options.run.memory);
      if (problem.wants_path)
        problem.path = hunt_szymanski_path(a, b, sigma, problem.call);
      else
        problem.distance = hunt_szymanski_distance(a, b, sigma, problem.call);
    });
  }

protected:
  [[nodiscard]] std::string why_not_texts(const lcs_problem& problem) const override {
    constexpr std::uint64_t max_columns = hunt_szymanski<std::uint8_t>::max_columns;
    return problem.n() > max_columns ? fmt::format("it supports at most {} symbols", max_columns) : "";
  }
};

const std::vector<const lcs_engine*>& all_engines() {
  static const hirschberg_dp_engine hirschberg_dp;
  static const bit_parallel_engine bit_parallel;
  static const bit_sliced_engine bit_sliced;
  static const furthest_reaching_engine furthest_reaching;
  static const hunt_szymanski_engine hunt_szymanski;
  static const std::vector<const lcs_engine*> all = {
    &hirschberg_dp,
    &bit_parallel,
    &bit_sliced,
    &furthest_reaching,
    &hunt_szymanski,
    &affine_wavefront_engine(),
    &affine_table_engine(),
#if defined(WEFT_WITH_CUDA)
    &systolic(),
    &wavefront(bit_parallel),
    &affine_batch_of_gpu(),
#endif
  };
  return all;
}

} // namespace

const base_detail::engine_list<lcs_problem>& engines() {
  static const base_detail::engine_list<lcs_problem> list("lcs",
                                                          {all_engines().begin(), all_engines().end()});
  return list;
}

const lcs_engine* find_engine(std::string_view name) {
  const auto found = std::ranges::find(all_engines(), name, &lcs_engine::name);
  return found == all_engines().end() ? nullptr : *found;
}

template <class Result>
Result solve_bit_sliced(const bit_planes& a, const bit_planes& b, const lcs_call& call) {
  constexpr bool wants_path = std::is_same_v<Result, edit_script>;
  table_helpers* const helpers = call.options.helpers;
  if (helpers != nullptr && helpers->is_worthwhile(a.length, b.length))
    if (auto found = base_detail::try_within_memory(false, call.options.run.monitor, [&]() -> Result {
          if constexpr (wants_path)
            return helpers->path(a, b, call);
          else
            return helpers->distance(a, b, call);
        }))
      return std::move(*found);
  if constexpr (wants_path)
    return bit_sliced_path(a, b, call);
  else
    return bit_sliced_distance(a, b, call);
}
template std::uint64_t solve_bit_sliced(const bit_planes&, const bit_planes&, const lcs_call&);
template edit_script solve_bit_sliced(const bit_planes&, const bit_planes&, const lcs_call&);

bool gpu_batch_engine::is_worthwhile_for_pairs(double cells, int) const { return cells >= min_gpu_cells; }

const gpu_batch_engine* find_gpu_batch_engine(lcs_metric metric) {
  for (const lcs_engine* each : all_engines())
    if (const auto* found = dynamic_cast<const gpu_batch_engine*>(each);
        found != nullptr && found->why_not_metric(metric).empty())
      return found;
  return nullptr;
}

const gpu_table_engine* find_gpu_table_engine() {
  for (const lcs_engine* each : all_engines())
    if (const auto* found = dynamic_cast<const gpu_table_engine*>(each)) return found;
  return nullptr;
}

} // namespace weft::lcs_detail
