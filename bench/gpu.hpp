// The methods of `weft-bench` that work on texts and items in the memory of the first GPU. The header also
// compiles without a CUDA toolkit; each method then reports that it is unavailable.
#pragma once

#include <bench/bench.hpp>
#include <bench/sort/sample_merge_switches.hpp>
#include <memory>
#include <span>
#include <string>
#include <weft/sort/core/number_key.hpp>

namespace weft::bench {

// Returns the first GPU as a device choice, or GPU 0 if there is none.
[[nodiscard]] device_choice first_gpu();

// Returns the GPU's ceiling for measure_ceilings(). There must be a GPU.
[[nodiscard]] double gpu_ceiling(ceiling_kind kind);

// The following methods read device memory and write device memory. Each asks for its input when it is first
// prepared; for the digest, the output is copied to the host.
//
// Returns methods that sort: weft's engine and, for unsigned numbers of 32 bits or more, CUB's radix sort and
// merge sort as yardsticks, and of 32 and 64 bits the published sample-merge. A result with the same
// fingerprint as the last one that was copied to the host is not copied again.
using item_source = std::function<std::span<const std::byte>()>;
[[nodiscard]] std::vector<method> sorts_in_gpu_memory(const std::string& engine,
                                                      const std::string& unavailable_reason,
                                                      const item_source& items, number_type type);
// Returns methods that sort each segment of `num_items` numbers of 64 bits by itself: weft's segmented sort,
// and CUB's two segmented sorts as yardsticks. Results are copied to the host as above.
using offset_source = std::function<std::span<const std::uint64_t>()>;
[[nodiscard]] std::vector<method>
segment_sorts_in_gpu_memory(const item_source& items, const offset_source& offsets, std::uint64_t num_items);
// Both functions return methods that sort unsigned numbers of 4 or 8 bytes with the published sample-merge:
// the first one a method for each set of switches, the second one a method for each step of the sort. The
// steps are timed one by one in the stream.
[[nodiscard]] std::vector<method>
sample_merges_in_gpu_memory(const std::vector<std::pair<std::string, sample_merge_switches>>& named,
                            const item_source& items, std::size_t item_bytes);
[[nodiscard]] std::vector<method>
sample_merge_steps_in_gpu_memory(std::uint32_t num_buckets, const item_source& items, std::size_t item_bytes);

} // namespace weft::bench
