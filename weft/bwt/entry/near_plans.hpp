// How a device searches for patterns with differences: the plans of their strands
// (core/near_batch_steps.hpp), and the patterns that are left to the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>
#include <weft/base/sequences.hpp>
#include <weft/base/unwritten_allocator.hpp>
#include <weft/bwt/core/near_batch_steps.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/bwt/near_search.hpp>

namespace weft::bwt_detail {

// The plans of the strands of a batch.
struct near_plans {
  std::vector<near_plan> plans;            // the first one is of strands that are not searched
  unwritten_vector<std::uint32_t> plan_of; // of each strand
  std::vector<std::uint64_t> left;         // the patterns whose strands are left to the CPU, in order
};

// Returns the plans of the patterns of a batch. Leaves to the CPU the patterns that are found sooner by a
// scan of the text, those with errors and exact letters or more than max_error_letters letters, and very long
// ones.
[[nodiscard]] near_plans plan_patterns(const fm_index& index, const sequences_view& patterns,
                                       const near_options& options);

// Returns how the hits in records of num_symbols letters in all are packed.
[[nodiscard]] near_key_layout key_layout_of(std::uint64_t num_symbols);

// Receives the hits of patterns [first, first + is_left.size()) in order. Their numbers in the keys are
// relative to `first`. Called for one piece after the other, but on any thread. Where is_left is not 0, the
// pattern is left to the CPU, and some of its hits are missing.
using near_key_taker = std::function<void(std::uint64_t first, std::span<const std::uint64_t> keys,
                                          std::span<const std::uint8_t> is_left)>;

// Patterns are to be searched with differences by their plans on a GPU.
struct near_device_problem {
  const fm_index& index;
  std::span<const std::uint64_t> record_offsets;
  fm_device_cache& device_cache;
  sequences_view patterns;
  const near_options& options;
  const near_plans& plans;
  near_key_layout keys;
  const near_key_taker& take;
};

// Solves a problem by plans: `search` solves the device problem and returns the number of the GPU, and the
// CPU finds what it leaves out. Throws what `search` throws, memory_error and cancelled_error.
void search_by_plans(near_problem& problem, const std::function<int(const near_device_problem&)>& search);

// Searches on a GPU, which is chosen as by search_on_gpu(), and returns its number. Linked only with CUDA.
// Throws memory_error, device_error.
[[nodiscard]] int search_plans_on_gpu(const near_device_problem& problem);

} // namespace weft::bwt_detail
