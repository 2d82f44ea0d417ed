#include <weft/sort/cuda/run_sort.hpp>

#include <algorithm>
#include <memory>
#include <vector>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/core/merge_runs.hpp>

namespace weft::sort_detail {

namespace {

template <class T, class Less>
void merge(T* from, T* other, const std::vector<std::uint64_t>& bounds, const Less& less,
           const run_options& run) {
  merge_runs(from, other, bounds, less, thread_count(run.threads), run.monitor);
}

// Sorts the runs on the GPU, then merges them.
template <class T, class Less>
void sort_runs(run_sorter& runs, T* items, const Less& less, const run_options& run) {
  const std::vector<std::uint64_t>& bounds = runs.bounds();
  const auto buffer = std::make_unique_for_overwrite<T[]>(bounds.back());
  T* const sorted = num_merge_rounds(runs.num_runs()) % 2 == 0 ? items : buffer.get();
  for (std::size_t r = 0; r < runs.num_runs(); ++r)
    runs.sort(r, items, sorted + bounds[r], bounds[r + 1] - bounds[r]);
  merge(sorted, sorted == items ? buffer.get() : items, bounds, less, run);
}

// Writes the stable order of the items to `order`: finds the orders of the runs on the GPU, then merges them.
template <class T, class Less>
void argsort_runs(run_sorter& runs, const T* items, std::uint64_t* order, const Less& less,
                  const run_options& run) {
  const std::vector<std::uint64_t>& bounds = runs.bounds();
  const auto buffer = std::make_unique_for_overwrite<std::uint64_t[]>(bounds.back());
  std::uint64_t* const sorted = num_merge_rounds(runs.num_runs()) % 2 == 0 ? order : buffer.get();
  for (std::size_t r = 0; r < runs.num_runs(); ++r) runs.order(r, items, sorted + bounds[r]);
  merge(
      sorted, sorted == order ? buffer.get() : order, bounds,
      [less, items](std::uint64_t a, std::uint64_t b) { return less(items[a], items[b]); }, run);
}

// Writes the first k items of the sorted order to `first`: merges the first k items of each run.
template <class T, class Less>
void top_k_of_runs(run_sorter& runs, const T* items, T* first, std::uint64_t k, const Less& less,
                   const run_options& run) {
  const std::vector<std::uint64_t>& bounds = runs.bounds();
  std::vector<std::uint64_t> kept_bounds = {0};
  for (std::size_t r = 0; r < runs.num_runs(); ++r)
    kept_bounds.push_back(kept_bounds.back() + std::min(k, bounds[r + 1] - bounds[r]));
  const auto buffer = std::make_unique_for_overwrite<T[]>(kept_bounds.back()),
             other = std::make_unique_for_overwrite<T[]>(kept_bounds.back());
  for (std::size_t r = 0; r < runs.num_runs(); ++r)
    runs.sort(r, items, buffer.get() + kept_bounds[r], kept_bounds[r + 1] - kept_bounds[r]);
  merge(buffer.get(), other.get(), kept_bounds, less, run);
  std::copy_n(num_merge_rounds(runs.num_runs()) % 2 == 0 ? buffer.get() : other.get(), k, first);
}

// Solves a problem that fits in one run, without knowing the type of the numbers.
void solve_at_once(run_sorter& run, const sort_problem& problem) {
  if (problem.task == sort_task::argsort)
    run.order(0, problem.items, problem.order->data());
  else if (problem.task == sort_task::top_k)
    run.sort(0, problem.items, problem.top_items, problem.k);
  else
    run.sort(0, problem.items, problem.items, problem.num_items);
}

void solve_in_runs(run_sorter& runs, const sort_problem& problem) {
  with_number(*problem.type, [&](auto* type_tag, const auto& less) {
    auto* const items = static_cast<decltype(type_tag)>(problem.items);
    if (problem.task == sort_task::argsort)
      argsort_runs(runs, items, problem.order->data(), less, problem.run);
    else if (problem.task == sort_task::top_k)
      top_k_of_runs(runs, items, static_cast<decltype(type_tag)>(problem.top_items), problem.k, less,
                    problem.run);
    else
      sort_runs(runs, items, less, problem.run);
  });
}

run_sorter plan_runs(const sort_problem& problem) {
  const run_options& run = problem.run;
  return {*problem.type,
          problem.num_items,
          problem.task == sort_task::argsort,
          {base_detail::gpu_index(run.device), run.device_memory, run.threads, run.monitor}};
}

constexpr const char* does_not_fit = "the numbers do not fit the memory of the GPU at once";

} // namespace

void sort_pieces_on_gpu(const sort_problem& problem, const piece_taker& take) {
  run_sorter runs = plan_runs(problem);
  if (runs.num_runs() > 1) throw memory_error(does_not_fit);
  runs.sort(0, problem.items, take);
}

void sort_host_numbers_on_gpu(const sort_problem& problem) {
  const run_options& run = problem.run;
  const bool argsort = problem.task == sort_task::argsort;
  if (problem.num_items == 0 || (problem.task == sort_task::top_k && problem.k == 0)) return;
  run_sorter runs = plan_runs(problem);
  const bool required = run.device.kind == device_kind::gpu || run.engine == "gpu";
  // No user sees this message: engine_list::solve() then continues on the CPU.
  if (runs.num_runs() > 1 && !required) throw memory_error(does_not_fit);
  if (argsort) problem.order->resize(problem.num_items);
  if (runs.num_runs() == 1)
    solve_at_once(runs, problem);
  else
    solve_in_runs(runs, problem);
}

} // namespace weft::sort_detail
