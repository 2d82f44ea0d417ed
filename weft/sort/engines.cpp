#include <weft/sort/engines.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/sort/cpu/numbers.hpp>
#include <weft/sort/published/sample_merge.hpp>
#include <weft/sort/sort.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/sort/cuda/run_sort.hpp>
#include <weft/sort/cuda/whole_lines.hpp>
#endif

namespace weft {

namespace sort_detail {

namespace {

// The estimates, in seconds an item. The CPU's are for one core of the machine of README.md: u64 by vqsort
// (167 M/s), records of 16 bytes by merge (35 M/s, on a Zen 4) and by sample-merge (9.2 M/s). The GPU's
// estimate is its initialization, and copying the items in both directions. A GPU wins from min_gpu_items on.
// It never wins for numbers of 8 and 16 bits, because the CPU sorts them by counting in less time than the
// copies take.
constexpr double vqsort_rate = 6e-9, merge_rate = 2.9e-8, sample_merge_rate = 1.1e-7;
constexpr double gpu_start = 0.25, gpu_rate = 1e-9;
constexpr double never = std::numeric_limits<double>::infinity();

constexpr const char* natural_orders_only = "it sorts only numbers, in ascending or descending order";

double seconds_for(double rate, const sort_problem& problem) {
  return rate * static_cast<double>(problem.num_items);
}

// Returns whether the task computes the positions of all items in sorted order. So does argsort, and so does
// top_k if k is so large that selecting the first k items would cost as much.
bool needs_full_argsort(const sort_problem& problem) {
  return problem.task == sort_task::argsort ||
         (problem.task == sort_task::top_k && is_full_sort_cheaper(problem.k, problem.num_items));
}

class vqsort_engine final : public base_detail::engine<sort_problem> {
public:
  vqsort_engine()
      : engine("vqsort", "numbers in their own order; any processor, vectors help", device_kind::cpu) {}
  [[nodiscard]] std::string why_not(const sort_problem& problem) const override {
    if (needs_full_argsort(problem) && (!problem.type || problem.type->bytes > 8))
      return "it can argsort only numbers of up to 64 bits, in ascending or descending order";
    return problem.type ? "" : natural_orders_only;
  }
  [[nodiscard]] double estimated_seconds(const sort_problem& problem) const override {
    return seconds_for(vqsort_rate, problem);
  }
  void run(sort_problem& problem) const override { sort_numbers_by_vqsort(problem); }
};

class merge_engine final : public base_detail::engine<sort_problem> {
public:
  merge_engine() : engine("merge", "any type and comparator; n items of extra memory", device_kind::cpu) {}
  [[nodiscard]] std::string why_not(const sort_problem&) const override { return ""; }
  [[nodiscard]] double estimated_seconds(const sort_problem& problem) const override {
    return seconds_for(merge_rate, problem);
  }
  void run(sort_problem& problem) const override {
    if (problem.type)
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
    return problem.type || problem.sample_merge
               ? ""
               : "it sorts only trivially copyable types of at most 64 bytes";
  }
  [[nodiscard]] double estimated_seconds(const sort_problem& problem) const override {
    return seconds_for(sample_merge_rate, problem);
  }
  void run(sort_problem& problem) const override {
    if (!problem.type) return problem.sample_merge();
    with_number(*problem.type, [&](auto* type_tag, const auto& less) {
      sample_merge_sort(std::span(static_cast<decltype(type_tag)>(problem.items), problem.num_items), less,
                        {.monitor = problem.run.monitor}, problem.run.threads);
    });
  }
};

// Returns why no GPU can solve the problem; empty if one can.
std::string why_no_gpu(const sort_problem& problem) {
  if (problem.task == sort_task::segments)
    return "segmented_sort of host memory has no GPU engine (weft::gpu::segmented_sort sorts device memory)";
  return problem.type ? "" : natural_orders_only;
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
    const bool selects = problem.task == sort_task::top_k && !needs_full_argsort(problem);
    if (!problem.type || problem.type->bytes < 4 || problem.num_items < min_gpu_items || selects)
      return never;
    return gpu_start + seconds_for(gpu_rate, problem);
  }
  void run(sort_problem& problem) const override { sort_host_numbers_on_gpu(problem); }
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

// Solves a short problem on the CPU without asking the engines, which takes as long as sorting some dozen
// items. Returns false if the engines must be asked: for more items, a chosen engine or device, a report.
bool solve_short_sort(sort_problem& problem) {
  constexpr std::uint64_t max_items = 4096; // the engines would choose the same ones
  const run_options& run = problem.run;
  if (problem.num_items > max_items || problem.task != sort_task::sort || run.engine != "auto" ||
      run.device.kind == device_kind::gpu || run.info != nullptr)
    return false;
  if (problem.type)
    sort_numbers_by_vqsort(problem);
  else
    problem.merge();
  return true;
}

} // namespace

void check_segments(std::uint64_t num_items, std::span<const std::uint64_t> offsets) {
  const bool covers = offsets.empty() ? num_items == 0
                                      : offsets.front() == 0 && offsets.back() == num_items &&
                                            std::is_sorted(offsets.begin(), offsets.end());
  if (!covers)
    throw std::invalid_argument("segmented_sort: the offsets must ascend from 0 to the number of items");
}

void solve_sort(sort_problem& problem) {
  if (solve_short_sort(problem)) return;
  const run_options& run = problem.run;
  base_detail::run_record record(run, "items");
  record.set_work(problem.num_items);
  // Refuses what no GPU can do before it looks for a GPU.
  if (const std::string reason = why_no_gpu(problem); !reason.empty()) {
    if (run.engine == "gpu" && run.device.kind != device_kind::cpu)
      base_detail::refuse_problem("sort", run.engine, reason);
    if (run.engine == "auto" && run.device.kind == device_kind::gpu)
      throw error(errc::invalid_input, fmt::format("a GPU cannot run this sort: {}; use device cpu", reason));
  }
  base_detail::report_engine(record, engines().solve(problem, run), run);
}

namespace {

// Returns the engine of a GPU that the options choose for the numbers; null if they choose another, or if
// there are no numbers.
const base_detail::engine<sort_problem>* gpu_engine_for(const sort_problem& problem) {
  if (problem.num_items == 0) return nullptr;
  const base_detail::engine<sort_problem>& chosen = engines().choose(problem, problem.run);
  return chosen.on_gpu() ? &chosen : nullptr;
}

#if defined(WEFT_WITH_CUDA)
// Calls sort() if the options choose a GPU for the numbers, and reports it. Returns what sort() returns, and
// false if the options choose another engine or the memory does not suffice.
template <class Sort> bool sort_on_gpu(const sort_problem& numbers, const char* unit, const Sort& sort) {
  const base_detail::engine<sort_problem>* const chosen = gpu_engine_for(numbers);
  if (chosen == nullptr) return false;
  base_detail::run_record record(numbers.run, unit);
  record.set_work(numbers.num_items);
  if (!base_detail::try_within_memory(false, numbers.run.monitor, sort).value_or(false)) return false;
  base_detail::report_engine(record, *chosen, numbers.run);
  return true;
}
#endif

} // namespace

bool is_for_gpu(const sort_problem& problem) { return gpu_engine_for(problem) != nullptr; }

bool sort_in_pieces([[maybe_unused]] const sort_problem& problem, [[maybe_unused]] const piece_taker& take) {
#if defined(WEFT_WITH_CUDA)
  return sort_on_gpu(problem, "items", [&] { return sort_pieces_on_gpu(problem, take), true; });
#else
  return false;
#endif
}

bool sort_lines([[maybe_unused]] const line_sort_problem& problem, [[maybe_unused]] const run_options& run) {
#if defined(WEFT_WITH_CUDA)
  const std::span<uint128> entries = problem.entries;
  const sort_problem numbers{.task = sort_task::sort,
                             .run = run,
                             .num_items = entries.size(),
                             .type = number_type_of<uint128>(false),
                             .items = entries.data()};
  return sort_on_gpu(numbers, "lines", [&] {
    return sort_lines_on_gpu(
        problem, {base_detail::gpu_index(run.device), run.device_memory, run.threads, run.monitor});
  });
#else
  return false;
#endif
}

} // namespace sort_detail

void check_sort_options(const sort_options& options) { sort_detail::engines().check(options.run); }

std::vector<engine_info> sort_engines() { return sort_detail::engines().list(); }

} // namespace weft
