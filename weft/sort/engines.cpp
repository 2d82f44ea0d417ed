#include <weft/sort/engines.hpp>

#include <fmt/format.h>
#include <limits>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/sort/cpu/numbers.hpp>
#include <weft/sort/published/sample_merge.hpp>
#include <weft/sort/sort.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/sort/cuda/host_sort.hpp>
#endif

namespace weft {

namespace sort_detail {

namespace {

// The estimates, in seconds an item. Of the CPU: one core of the machine of README.md, u64 by vqsort (167
// M/s), records of 16 bytes by merge (18.2 M/s) and sample-merge (9.2 M/s). Of a GPU: its initialization, and
// the way there and back. They are worth it from min_gpu_items on; narrower numbers are counted by the CPU in
// less time than they travel.
constexpr double vqsort_rate = 6e-9, merge_rate = 5.5e-8, sample_merge_rate = 1.1e-7;
constexpr double gpu_start = 0.25, gpu_rate = 1e-9;
constexpr double never = std::numeric_limits<double>::infinity();

double times(double rate, const sort_problem& problem) {
  return rate * static_cast<double>(problem.num_items);
}

// Returns whether the task includes finding the order of all items, or of none but the first k.
bool finds_order(const sort_problem& problem) {
  return problem.task == sort_task::argsort ||
         (problem.task == sort_task::top_k && is_full_sort_cheaper(problem.k, problem.num_items));
}

class vqsort_engine final : public base_detail::engine<sort_problem> {
public:
  vqsort_engine()
      : engine("vqsort", "numbers in their own order; any processor, vectors help", device_kind::cpu) {}
  [[nodiscard]] std::string why_not(const sort_problem& problem) const override {
    if (finds_order(problem) && (!problem.numbers || problem.numbers->bytes > 8))
      return "it orders numbers of up to 64 bits in their own order only";
    return problem.numbers ? "" : "it sorts numbers in their own order only";
  }
  [[nodiscard]] double estimated_seconds(const sort_problem& problem) const override {
    return times(vqsort_rate, problem);
  }
  void run(sort_problem& problem) const override { sort_numbers_by_vqsort(problem); }
};

class merge_engine final : public base_detail::engine<sort_problem> {
public:
  merge_engine() : engine("merge", "any type and comparator; n items of extra memory", device_kind::cpu) {}
  [[nodiscard]] std::string why_not(const sort_problem&) const override { return ""; }
  [[nodiscard]] double estimated_seconds(const sort_problem& problem) const override {
    return times(merge_rate, problem);
  }
  void run(sort_problem& problem) const override {
    if (problem.numbers)
      sort_numbers_by_merge(problem);
    else
      problem.merge();
  }
};

class sample_merge_engine final : public base_detail::engine<sort_problem> {
public:
  sample_merge_engine()
      : engine("sample-merge", "trivially copyable types, any comparator, not stable; 2 n items",
               device_kind::cpu) {}
  [[nodiscard]] std::string why_not(const sort_problem& problem) const override {
    if (problem.stable) return "it is not stable";
    return problem.numbers || problem.sample_merge
               ? ""
               : "it sorts trivially copyable types of at most 64 bytes only";
  }
  [[nodiscard]] double estimated_seconds(const sort_problem& problem) const override {
    return times(sample_merge_rate, problem);
  }
  void run(sort_problem& problem) const override {
    if (!problem.numbers) return problem.sample_merge();
    with_number(*problem.numbers, [&](auto* null, const auto& less) {
      sample_merge_sort(std::span(static_cast<decltype(null)>(problem.items), problem.num_items), less,
                        {.monitor = problem.run.monitor}, problem.run.threads);
    });
  }
};

// Returns why no GPU can solve the problem; empty if one can.
std::string why_no_gpu(const sort_problem& problem) {
  if (problem.task == sort_task::segments)
    return "of segments it sorts those in its own memory only (weft/sort/sort.cuh)";
  return problem.numbers ? "" : "it sorts numbers in their own order only";
}

#if defined(WEFT_WITH_CUDA)
class gpu_engine final : public base_detail::engine<sort_problem> {
public:
  gpu_engine()
      : engine("gpu", "a CUDA GPU; numbers in their own order, by radix or by samples", device_kind::gpu) {}
  [[nodiscard]] std::string why_not(const sort_problem& problem) const override {
    return why_no_gpu(problem);
  }
  [[nodiscard]] double estimated_seconds(const sort_problem& problem) const override {
    const bool selects = problem.task == sort_task::top_k && !finds_order(problem);
    if (!problem.numbers || problem.numbers->bytes < 4 || problem.num_items < min_gpu_items || selects)
      return never;
    return gpu_start + times(gpu_rate, problem);
  }
  void run(sort_problem& problem) const override { sort_detail::sort_numbers_of_host(problem); }
};
#endif

const base_detail::engine_list<sort_problem>& engines() {
  static const vqsort_engine vqsort;
  static const merge_engine merge;
  static const sample_merge_engine sample_merge;
#if defined(WEFT_WITH_CUDA)
  static const gpu_engine gpu;
#endif
  static const base_detail::engine_list<sort_problem> list("sort", {
    &vqsort, &merge, &sample_merge,
#if defined(WEFT_WITH_CUDA)
        &gpu
#endif
  });
  return list;
}

} // namespace

void solve_sort(sort_problem& problem) {
  const run_options& run = problem.run;
  base_detail::run_record record(run, "items");
  record.set_work(problem.num_items);
  // What no GPU can do is refused before a GPU is looked for.
  if (const std::string reason = why_no_gpu(problem); !reason.empty()) {
    if (run.engine == "gpu" && run.device.kind != device_kind::cpu)
      base_detail::refuse_problem("sort", run.engine, reason);
    if (run.engine == "auto" && run.device.kind == device_kind::gpu)
      throw error(errc::invalid_input, fmt::format("a GPU cannot do this: {} (device cpu can)", reason));
  }
  base_detail::report_engine(record, engines().solve(problem, run), run);
}

} // namespace sort_detail

void check_sort_options(const sort_options& options) { sort_detail::engines().check(options.run); }

std::vector<engine_info> sort_engines() { return sort_detail::engines().list(); }

} // namespace weft
