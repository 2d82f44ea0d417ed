#include <weft/sort/cuda/run_sort.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <weft/base/cuda/device_call.hpp>
#include <weft/base/memory.hpp>
#include <weft/sort/cuda/number_sort.hpp>

namespace weft::sort_detail {

namespace {

constexpr std::uint64_t min_run = std::uint64_t{1} << 12; // items; shorter runs are not worth a launch

} // namespace

run_sorter::run_sorter(const number_type& type, std::uint64_t num_items, bool has_positions,
                       const gpu_options& options)
    : scope_(options.device), context_(gpu::context_of<gpu_context>(options.device)), type_(type),
      has_positions_(has_positions), options_(options) {
  plan(num_items, gpu::device_memory_allowed(options.device_memory));
  const std::uint64_t longest = bounds_[1];
  const cudaStream_t stream = context_.work.get();
  items_ = {longest * type.bytes, stream};
  temp_ = {temp_bytes_, stream};
  if (has_positions) d_positions_ = {longest, stream};
}

std::uint64_t run_sorter::device_bytes(std::uint64_t items, std::size_t& temp_bytes) const {
  // Runs differ by one item, and a shorter run can need more temporary memory because another engine sorts
  // it.
  std::size_t bytes_for_shorter_run = 0;
  for (auto [count, bytes] : {std::pair{items, &temp_bytes}, std::pair{items - 1, &bytes_for_shorter_run}})
    gpu::check(sort_typed_numbers(nullptr, *bytes, nullptr, has_positions_, nullptr, count, type_, nullptr),
               "plan a sort");
  temp_bytes = std::max(temp_bytes, bytes_for_shorter_run);
  return items * (type_.bytes + (has_positions_ ? sizeof(std::uint32_t) : 0)) + temp_bytes;
}

void run_sorter::plan(std::uint64_t num_items, std::uint64_t allowed) {
  const std::uint64_t max_run =
      has_positions_ ? std::numeric_limits<std::uint32_t>::max() : std::numeric_limits<std::uint64_t>::max();
  std::uint64_t runs = (num_items - 1) / max_run + 1;
  for (;;) {
    const std::uint64_t longest = (num_items - 1) / runs + 1, needed = device_bytes(longest, temp_bytes_);
    if (needed <= allowed) break;
    if (longest <= min_run) base_detail::require_device_memory(needed, allowed, "sorting on the GPU");
    const double times =
        static_cast<double>(needed) / static_cast<double>(std::max<std::uint64_t>(allowed, 1));
    const std::uint64_t max_runs = (num_items - 1) / min_run + 1;
    runs = std::min(max_runs, std::max(runs + 1, static_cast<std::uint64_t>(
                                                     std::min(static_cast<double>(runs) * times, 1e18))));
  }
  for (std::uint64_t r = 0; r <= runs; ++r)
    bounds_.push_back(num_items / runs * r + std::min(r, num_items % runs));
}

std::uint64_t run_sorter::start(std::size_t run, const void* items, std::uint32_t* d_positions) {
  std::atomic<std::uint64_t> reported{0};
  const cudaStream_t stream = context_.work.get();
  const std::uint64_t first = bounds_[run], count = bounds_[run + 1] - first;
  context_.staging.to_device(items_.data(), static_cast<const std::byte*>(items) + first * type_.bytes,
                             count * type_.bytes, stream, options_.threads, [&](std::uint64_t bytes) {
                               if (options_.monitor == nullptr) return;
                               options_.monitor->check();
                               options_.monitor->add(bytes / type_.bytes / 2);
                               reported += bytes / type_.bytes / 2;
                             });
  std::size_t temp_bytes = temp_bytes_;
  gpu::check(sort_typed_numbers(temp_.data(), temp_bytes, items_.data(), has_positions_, d_positions, count,
                                type_, stream),
             "sort");
  return reported;
}

void run_sorter::finish(std::size_t run, std::uint64_t reported) {
  if (options_.monitor != nullptr) options_.monitor->add(bounds_[run + 1] - bounds_[run] - reported);
}

void run_sorter::sort(std::size_t run, const void* items, void* sorted, std::uint64_t count) {
  const std::uint64_t reported = start(run, items, nullptr);
  context_.staging.from_device(sorted, items_.data(), count * type_.bytes, context_.work.get(),
                               options_.threads);
  finish(run, reported);
}

void run_sorter::sort(std::size_t run, const void* items, const piece_taker& take) {
  const std::uint64_t reported = start(run, items, nullptr), count = bounds_[run + 1] - bounds_[run];
  context_.staging.from_device(items_.data(), count * type_.bytes, context_.work.get(), options_.threads,
                               take);
  finish(run, reported);
}

void run_sorter::order(std::size_t run, const void* items, std::uint64_t* positions) {
  const std::uint64_t reported = start(run, items, d_positions_.data());
  const std::uint64_t first = bounds_[run], count = bounds_[run + 1] - first;
  context_.staging.from_device(d_positions_.data(), count * sizeof(std::uint32_t), context_.work.get(),
                               options_.threads, [&](std::uint64_t at, std::span<const std::byte> piece) {
                                 const auto* run_positions =
                                     reinterpret_cast<const std::uint32_t*>(piece.data());
                                 const std::uint64_t size = piece.size() / sizeof(std::uint32_t);
                                 std::uint64_t* const to = positions + at / sizeof(std::uint32_t);
                                 for (std::uint64_t i = 0; i < size; ++i) to[i] = first + run_positions[i];
                               });
  finish(run, reported);
}

} // namespace weft::sort_detail
