// The sorts of device memory to which `weft-bench` compares weft's engines.
#pragma once

#include <bench/sort/sample_merge_switches.hpp>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>

namespace weft::bench {

// CUB's radix sort and merge sort, called as weft calls them, and the published sample-merge.
enum class gpu_sort { cub_radix, cub_merge, sample_merge };

// Sorts n unsigned numbers of 4, 8 or (not by sample_merge) 16 bytes in two phases, as the functions of
// weft/sort/sort.cuh do: the first call, with null storage, returns the size of the temporary storage.
// `switches` are used by sample_merge only.
[[nodiscard]] cudaError_t sort_by(gpu_sort how, const sample_merge_switches& switches, std::size_t item_bytes,
                                  void* d_temp_storage, std::size_t& temp_storage_bytes, void* d_items,
                                  std::uint64_t n, cudaStream_t stream) noexcept;

// Starts to add the fingerprint of the words to `*d_sum`, which must be 0. Two arrays of the same size that
// differ, even if only in their order, have different fingerprints except with a probability of about 2^-64.
[[nodiscard]] cudaError_t enqueue_fingerprint(const std::uint32_t* d_words, std::uint64_t num_words,
                                              unsigned long long* d_sum, cudaStream_t stream) noexcept;

// Runs a single sample_merge of at most 2^30 numbers step by step. The steps must be run in their order.
class sample_merge_steps {
public:
  virtual ~sample_merge_steps() = default;
  sample_merge_steps() = default;
  sample_merge_steps(const sample_merge_steps&) = delete;
  sample_merge_steps& operator=(const sample_merge_steps&) = delete;

  // Sets the temporary storage, or, if it is null, only returns its size.
  [[nodiscard]] virtual cudaError_t set_memory(void* d_temp_storage,
                                               std::size_t& temp_storage_bytes) noexcept = 0;
  [[nodiscard]] virtual cudaError_t run(sort_step step) noexcept = 0;
};
[[nodiscard]] std::unique_ptr<sample_merge_steps> make_sample_merge_steps(std::uint32_t num_buckets,
                                                                          std::size_t item_bytes,
                                                                          void* d_items, std::uint64_t n,
                                                                          cudaStream_t stream);

} // namespace weft::bench
