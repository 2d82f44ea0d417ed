// Sorts numbers of host memory on a GPU: the engine gpu of the functions of weft/sort/sort.hpp
// (host_sort.cpp), and the sorter of runs that fit the GPU's memory, which it uses (run_sort.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>
#include <weft/base/monitor.hpp>
#include <weft/sort/core/number_key.hpp>
#include <weft/sort/engines.hpp>

namespace weft::sort_detail {

// Solves a problem of numbers, other than of segments, on the GPU that its options name, or on the first one.
// If the options ask for a GPU and the numbers do not fit its memory, sorts them in runs, which are merged on
// the host; merging takes as much memory again as the result. Throws memory_error if the numbers do not fit
// otherwise, having done nothing.
void sort_host_numbers_on_gpu(const sort_problem& problem);

// Sorts numbers on that GPU without writing to their array: hands the sorted ones to `take`. Throws
// memory_error if they do not fit the GPU's memory at once.
void sort_pieces_on_gpu(const sort_problem& problem, const piece_taker& take);

// The options of a sort on a GPU.
struct gpu_options {
  int device = 0;
  std::uint64_t device_memory = 0; // bytes; 0: as much as gpu::device_memory_allowed takes of the free memory
  int threads = 0;                 // threads of the host that copy
  task_monitor* monitor = nullptr; // its work is counted in items
};

// The resources of a device that a host thread keeps between calls; see gpu::context_of.
struct gpu_context {
  explicit gpu_context(int device) : staging(device) {}
  gpu::staged_copy staging;
  gpu::stream work; // declared last, so that it is destroyed before the memory that it copies from and to
};

// An object of this type sorts the runs of one input. It makes options.device current while it lives. Its
// functions wait for the device; a function that throws cancelled_error has not written its result.
class run_sorter {
public:
  // Plans the runs of num_items items, as few as the device memory allows, and allocates that memory.
  // `has_positions`: the caller will call order(), not sort(). Throws memory_error, device_error.
  run_sorter(const number_type& type, std::uint64_t num_items, bool has_positions,
             const gpu_options& options);

  // Run r consists of the items [bounds()[r], bounds()[r + 1]).
  [[nodiscard]] const std::vector<std::uint64_t>& bounds() const noexcept { return bounds_; }
  [[nodiscard]] std::size_t num_runs() const noexcept { return bounds_.size() - 1; }

  // Sorts a run and writes the first `count` of its sorted items to `sorted`. `items` points to all items,
  // not to the run.
  void sort(std::size_t run, const void* items, void* sorted, std::uint64_t count);
  // Sorts a run likewise, and hands all of its sorted items to `take`.
  void sort(std::size_t run, const void* items, const piece_taker& take);
  // Writes the positions, among all items, of the run's items in sorted order; stable.
  void order(std::size_t run, const void* items, std::uint64_t* positions);

private:
  // Copies a run to the device and enqueues its sort. Returns how many items have been reported to the
  // monitor.
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
  std::size_t temp_bytes_ = 0; // enough for every run
  gpu::device_buffer<std::byte> items_, temp_;
  gpu::device_buffer<std::uint32_t> d_positions_;
};

} // namespace weft::sort_detail
