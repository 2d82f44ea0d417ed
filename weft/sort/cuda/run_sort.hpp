// Sorting numbers of host memory on a GPU, by runs that fit its memory. What of the runs is to be one is the
// caller's to merge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/base/monitor.hpp>
#include <weft/sort/core/number_key.hpp>

namespace weft::sort_cuda {

struct gpu_options {
  int device = 0;
  std::uint64_t device_memory = 0; // bytes; 0: what is free
  int threads = 0;                 // of the host, for copying
  task_monitor* monitor = nullptr; // work unit: items
};

// What a thread keeps of a device between calls, see gpu::context_of.
struct gpu_context {
  explicit gpu_context(int device) : staging(device) {}
  gpu::staged_copy staging;
  gpu::stream work; // ends before the memory that it copies from and to
};

// Makes options.device current while it lives. The functions wait for the device; those that throw
// cancelled_error have not written the result.
class run_sorter {
public:
  // Plans runs of n items, as few as device memory lets, and allocates it. positions: for order(). Throws
  // memory_error, device_error.
  run_sorter(const number_type& type, std::uint64_t num_items, bool has_positions,
             const gpu_options& options);

  // Run r is of the items [bounds()[r], bounds()[r + 1]).
  [[nodiscard]] const std::vector<std::uint64_t>& bounds() const noexcept { return bounds_; }
  [[nodiscard]] std::size_t num_runs() const noexcept { return bounds_.size() - 1; }

  // The first `count` items of a sorted run to `sorted`; `items` are all.
  void sort(std::size_t run, const void* items, void* sorted, std::uint64_t count);
  // A run's positions, in all items, in the order of its items; stable.
  void order(std::size_t run, const void* items, std::uint64_t* positions);

private:
  // Copies a run to the device and enqueues its sort; returns how many items the monitor has been told.
  std::uint64_t start(std::size_t run, const void* items, std::uint32_t* d_positions);
  void finish(std::size_t run, std::uint64_t reported);
  [[nodiscard]] std::uint64_t device_bytes(std::uint64_t items, std::size_t& temp_bytes) const;
  void plan(std::uint64_t num_items, std::uint64_t allowed);

  gpu::device_scope scope_;
  gpu_context& context_;
  number_type type_;
  bool has_positions_;
  gpu_options options_;
  std::vector<std::uint64_t> bounds_;
  std::size_t temp_bytes_ = 0; // of the longest run
  gpu::device_buffer<std::byte> items_, temp_;
  gpu::device_buffer<std::uint32_t> d_positions_;
};

} // namespace weft::sort_cuda
