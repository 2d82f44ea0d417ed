// What weft bench does with texts and items that are in the memory of the first GPU; compiles also where
// there is no CUDA toolkit: then each way says so.
#pragma once

#include <cli/bench/bench.hpp>
#include <cli/bench/sample_merge_switches.hpp>
#include <memory>
#include <span>
#include <string>
#include <weft/bwt/bwt.hpp>
#include <weft/scan/scan.hpp>
#include <weft/sort/core/number_key.hpp>

namespace weft::cli::bench {

// The first GPU, as a choice; that of number 0 if there is none.
[[nodiscard]] device_choice first_gpu();

// As measure_ceilings() has it; there is a GPU.
[[nodiscard]] double gpu_ceiling(ceiling_kind kind);

// Ways from device memory to device memory. What they read is asked for when they are first prepared, and
// what comes out is copied to the host for its digest.
// sort: by weft's engine, and unsigned numbers of 32 and 64 bits by CUB's radix and merge sort, which are
// yardsticks, and by the published sample-merge. Items with the fingerprint of those that were copied last
// are not copied again.
using item_source = std::function<std::span<const std::byte>()>;
[[nodiscard]] std::vector<way> sorts_in_gpu_memory(const std::string& engine, const std::string& not_here,
                                                   const item_source& items, number_type type);
// Unsigned numbers of 4 or 8 bytes by the published sample-merge: by its switches, and by its steps, which
// are timed one by one in the stream.
[[nodiscard]] std::vector<way>
sample_merges_in_gpu_memory(const std::vector<std::pair<std::string, sample_merge_switches>>& named,
                            const item_source& items, std::size_t item_bytes);
[[nodiscard]] std::vector<way>
sample_merge_steps_in_gpu_memory(std::uint32_t num_buckets, const item_source& items, std::size_t item_bytes);
[[nodiscard]] way bwt_in_gpu_memory(const std::string& engine, const std::string& not_here,
                                    std::function<std::string_view()> text);
// The first kernels of the levels of `ternary-quicksort`, and both, timed in the stream.
inline constexpr const char* quicksort_kernels[] = {"first kernel", "both kernels"};
[[nodiscard]] std::vector<way> quicksort_kernels_in_gpu_memory(std::function<std::string_view()> text);
// transformed: null before the first prepare().
[[nodiscard]] way unbwt_in_gpu_memory(const std::string& name, const std::string& not_here,
                                      std::function<const bwt_text&()> transformed);
struct scan_input {
  motif_set motifs;
  sequence_batch text;
};
[[nodiscard]] way scan_in_gpu_memory(const std::string& engine, const std::string& not_here, match_rule rule,
                                     std::function<const scan_input&()> input);
// All ends of matches by the paper's engines, so many motifs of a block of threads, and by NFA-BPL its masks
// in shared memory.
enum class paper_nfa { nfa_array, nfa_bpl, nfa_bp };
struct nfa_threads {
  std::string name;
  paper_nfa engine;
  std::uint32_t threads;
};
[[nodiscard]] std::vector<way> nfa_in_gpu_memory(const std::vector<nfa_threads>& named,
                                                 const std::function<const scan_input&()>& input);

// Digests: of transforms, and of matches (of rule ends without their begins).
[[nodiscard]] std::uint64_t digest_of(const bwt_text& transformed);
[[nodiscard]] std::uint64_t digest_of(std::span<const scan_match> matches, match_rule rule);

} // namespace weft::cli::bench
