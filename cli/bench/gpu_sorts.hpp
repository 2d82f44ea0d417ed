// Sorts of device memory that weft bench holds beside weft's own.
#pragma once

#include <cli/bench/sample_merge_switches.hpp>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>

namespace weft::cli::bench {

// CUB's radix and merge sort as weft calls them, and the published sample-merge.
enum class gpu_sort { cub_radix, cub_merge, sample_merge };

// Sorts n unsigned numbers of 4 or 8 bytes, in two phases as weft/sort/sort.cuh. switches: of sample_merge.
[[nodiscard]] cudaError_t sort_by(gpu_sort how, const sample_merge_switches& switches, std::size_t item_bytes,
                                  void* d_temp_storage, std::size_t& temp_storage_bytes, void* d_items,
                                  std::uint64_t n, cudaStream_t stream) noexcept;

// Starts to add to d_sum, which is 0, what makes two arrays of so many words that differ, be it in their
// order, differ but for a chance of 2^-64 or so.
[[nodiscard]] cudaError_t enqueue_fingerprint(const std::uint32_t* d_words, std::uint64_t num_words,
                                              unsigned long long* d_sum, cudaStream_t stream) noexcept;

// A single sample_merge of such numbers, at most 2^30, step by step in their order.
class sample_merge_steps {
public:
  virtual ~sample_merge_steps() = default;
  sample_merge_steps() = default;
  sample_merge_steps(const sample_merge_steps&) = delete;
  sample_merge_steps& operator=(const sample_merge_steps&) = delete;

  // The temporary storage; null: only how much it is.
  [[nodiscard]] virtual cudaError_t set_memory(void* d_temp_storage,
                                               std::size_t& temp_storage_bytes) noexcept = 0;
  [[nodiscard]] virtual cudaError_t run(sort_step step) noexcept = 0;
};
[[nodiscard]] std::unique_ptr<sample_merge_steps> make_sample_merge_steps(std::uint32_t num_buckets,
                                                                          std::size_t item_bytes,
                                                                          void* d_items, std::uint64_t n,
                                                                          cudaStream_t stream);

} // namespace weft::cli::bench
