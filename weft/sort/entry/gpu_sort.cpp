#include <weft/sort/entry/gpu_sort.hpp>

#if defined(WEFT_WITH_CUDA)
#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>
#include <weft/base/engine_table.hpp>
#include <weft/base/if_it_fits.hpp>
#include <weft/base/parallel.hpp>
#include <weft/sort/cpu/merge_sort.hpp>
#include <weft/sort/cuda/run_sort.hpp>
#include <weft/sort/entry/with_number.hpp>

namespace weft::detail {

namespace {

using sort_cuda::run_sorter;

// Returns an object that sorts the runs on a GPU, or null if the CPU is to sort.
std::unique_ptr<run_sorter> make_run_sorter(const sort_choice& choice, std::uint64_t num_items,
                                            const number_type& type, bool positions,
                                            const sort_options& options) {
  const bool required = choice.device.kind == device_kind::gpu;
  if (choice.device.kind == device_kind::cpu) return nullptr;
  if (!required && (num_items < min_gpu_items || type.bytes < 4 || known_gpus().devices.empty()))
    return nullptr;
  const int gpu = required ? choice.device.index : base_detail::first_gpu();
  const sort_cuda::gpu_options settings{gpu, options.device_memory, options.threads, options.monitor};
  auto runs = base_detail::if_it_fits(required, options.monitor, [&] {
    return std::make_unique<run_sorter>(type, num_items, positions, settings);
  });
  if (!runs || (!required && (*runs)->num_runs() > 1)) return nullptr;
  if (options.used != nullptr) *options.used = {"gpu", gpu};
  return *std::move(runs);
}

// Returns how many rounds of merges leave one of `runs` runs. Each round moves the items to the other array.
int num_merge_rounds(std::size_t runs) { return std::bit_width(runs - 1); }

// Merges the runs of `from` until one is left. The rounds write to `other` and `from` in turn.
template <class T, class Less>
void merge_runs(T* from, T* other, std::vector<std::uint64_t> bounds, const Less& less,
                const sort_options& options) {
  for (; bounds.size() > 2; std::swap(from, other)) {
    if (options.monitor != nullptr) options.monitor->check();
    bounds = merge_round<T>(from, other, bounds, less, thread_count(options.threads));
  }
}

// Sorts the runs on the GPU, then merges them into `items`.
template <class T, class Less>
void sort_runs(run_sorter& runs, T* items, const Less& less, const sort_options& options) {
  const std::vector<std::uint64_t>& bounds = runs.bounds();
  const auto buffer = std::make_unique_for_overwrite<T[]>(runs.num_runs() > 1 ? bounds.back() : 0);
  T* const sorted = num_merge_rounds(runs.num_runs()) % 2 == 0 ? items : buffer.get();
  for (std::size_t r = 0; r < runs.num_runs(); ++r)
    runs.sort(r, items, sorted + bounds[r], bounds[r + 1] - bounds[r]);
  merge_runs(sorted, sorted == items ? buffer.get() : items, bounds, less, options);
}

// Writes the stable order of the items to `order`: finds the orders of the runs on the GPU, then merges them.
template <class T, class Less>
void argsort_runs(run_sorter& runs, const T* items, std::uint64_t* order, const Less& less,
                  const sort_options& options) {
  const std::vector<std::uint64_t>& bounds = runs.bounds();
  const auto buffer =
      std::make_unique_for_overwrite<std::uint64_t[]>(runs.num_runs() > 1 ? bounds.back() : 0);
  std::uint64_t* const sorted = num_merge_rounds(runs.num_runs()) % 2 == 0 ? order : buffer.get();
  for (std::size_t r = 0; r < runs.num_runs(); ++r) runs.order(r, items, sorted + bounds[r]);
  merge_runs(
      sorted, sorted == order ? buffer.get() : order, bounds,
      [less, items](std::uint64_t a, std::uint64_t b) { return less(items[a], items[b]); }, options);
}

// Writes the first k items of the sorted order to `first`: merges the first k items of each run.
template <class T, class Less>
void top_k_of_runs(run_sorter& runs, const T* items, T* first, std::uint64_t k, const Less& less,
                   const sort_options& options) {
  const std::vector<std::uint64_t>& bounds = runs.bounds();
  if (runs.num_runs() == 1) return runs.sort(0, items, first, k);
  std::vector<std::uint64_t> kept_bounds = {0};
  for (std::size_t r = 0; r < runs.num_runs(); ++r)
    kept_bounds.push_back(kept_bounds.back() + std::min(k, bounds[r + 1] - bounds[r]));
  const auto buffer = std::make_unique_for_overwrite<T[]>(kept_bounds.back()),
             other = std::make_unique_for_overwrite<T[]>(kept_bounds.back());
  for (std::size_t r = 0; r < runs.num_runs(); ++r)
    runs.sort(r, items, buffer.get() + kept_bounds[r], kept_bounds[r + 1] - kept_bounds[r]);
  merge_runs(buffer.get(), other.get(), kept_bounds, less, options);
  std::copy_n(num_merge_rounds(runs.num_runs()) % 2 == 0 ? buffer.get() : other.get(), k, first);
}

} // namespace

bool sort_on_gpu(const sort_choice& choice, void* items, std::uint64_t num_items, const number_type& type,
                 const sort_options& options) {
  if (num_items == 0) return false;
  const std::unique_ptr<run_sorter> runs = make_run_sorter(choice, num_items, type, false, options);
  if (!runs) return false;
  with_number(type, [&](auto* null, const auto& less) {
    sort_runs(*runs, static_cast<decltype(null)>(items), less, options);
  });
  return true;
}

bool argsort_on_gpu(const sort_choice& choice, const void* items, std::uint64_t num_items,
                    const number_type& type, std::vector<std::uint64_t>& order, const sort_options& options) {
  if (num_items == 0) return false;
  const std::unique_ptr<run_sorter> runs = make_run_sorter(choice, num_items, type, true, options);
  if (!runs) return false;
  order.resize(num_items);
  with_number(type, [&](auto* null, const auto& less) {
    using item = std::remove_pointer_t<decltype(null)>;
    argsort_runs(*runs, static_cast<const item*>(items), order.data(), less, options);
  });
  return true;
}

bool top_k_on_gpu(const sort_choice& choice, const void* items, std::uint64_t num_items,
                  const number_type& type, void* first, std::uint64_t k, const sort_options& options) {
  if (k == 0) return false;
  const std::unique_ptr<run_sorter> runs = make_run_sorter(choice, num_items, type, false, options);
  if (!runs) return false;
  with_number(type, [&](auto* null, const auto& less) {
    using item = std::remove_pointer_t<decltype(null)>;
    top_k_of_runs(*runs, static_cast<const item*>(items), static_cast<item*>(first), k, less, options);
  });
  return true;
}

} // namespace weft::detail

#else

namespace weft::detail {

bool sort_on_gpu(const sort_choice&, void*, std::uint64_t, const number_type&, const sort_options&) {
  return false; // choose_sort_engine() has thrown if a GPU is required
}
bool argsort_on_gpu(const sort_choice&, const void*, std::uint64_t, const number_type&,
                    std::vector<std::uint64_t>&, const sort_options&) {
  return false;
}
bool top_k_on_gpu(const sort_choice&, const void*, std::uint64_t, const number_type&, void*, std::uint64_t,
                  const sort_options&) {
  return false;
}

} // namespace weft::detail

#endif
