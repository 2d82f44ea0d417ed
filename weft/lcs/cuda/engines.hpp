// The GPU engines of lcs: the functions that compute, the objects in the list of engines, and what these
// objects share. Needs no CUDA toolkit to compile; what it declares is linked only with one.
//
// Texts are codes below sigma <= 256, in host memory. A distance counts deletions and insertions, and for
// edit substitutions, too (as in all engines). Each call makes options.device the current device while it
// runs, and waits for it. Throws memory_error, device_error, cancelled_error.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>
#include <weft/lcs/engines.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::lcs_detail {

using codes = std::span<const std::uint8_t>;

// The form of a sweep, which tests can force. words = 0: the fastest form. Otherwise: strips of 1024 * words
// rows, bit-sliced or not, and lengths from both sides or not.
struct forced_form {
  int words = 0;
  bool sliced = false, meet = false;
};

// The options of a call.
struct gpu_options {
  int device = 0;
  std::uint64_t device_memory = 0; // in bytes; 0: all that is free
  lcs_metric metric = lcs_metric::lcs;
  int threads = 0; // of the host, for assembling paths
  task_monitor* monitor = nullptr;
  lcs_options::pair_share share = {}; // of all pairs
  bool counting = true;               // whether the monitor counts cells; if not, it can only cancel
  forced_form form = {};
  table_helpers* helpers = nullptr; // whose GPU sweeps a half of a large table; null: none
  std::uint64_t memory = 0;         // run_options::memory of the call, also for the helpers
};

// Engine systolic (systolic.cpp), for texts of up to max_symbols.
inline constexpr std::uint64_t max_symbols = std::uint64_t{1} << 33;
[[nodiscard]] std::uint64_t systolic_distance(codes a, codes b, std::uint64_t sigma,
                                              const gpu_options& options);
[[nodiscard]] edit_script systolic_path(codes a, codes b, std::uint64_t sigma, const gpu_options& options);
// Do what gpu_table_engine::can_sweep_half() and sweep_half() say.
[[nodiscard]] bool systolic_can_sweep_half(const half_shape& shape, const gpu_options& options);
[[nodiscard]] std::vector<std::uint32_t> systolic_half(const half_shape& shape, codes a, codes b,
                                                       const gpu_options& options, const sweep_check& check);
// Sequence i is text[offsets[i], offsets[i + 1]). Returns the values that lcs_all_pairs() returns.
[[nodiscard]] std::vector<std::uint64_t> systolic_all_pairs(codes text,
                                                            std::span<const std::uint64_t> offsets,
                                                            std::uint64_t sigma, const gpu_options& options);
// Writes the values that options.metric names, LCS lengths included, to d_values in the same order. The text
// and d_values are in device memory. Waits until all values are written.
void systolic_all_pairs_on_device(codes d_text, std::span<const std::uint64_t> offsets, std::uint64_t sigma,
                                  const gpu_options& options, std::uint64_t* d_values);

// Engine wavefront (published/cuda/wavefront.cu describes the algorithm). Computes lcs and indel only;
// lcs_engine::why_not() refuses edit. small(a, b) solves the parts that the paper leaves to the CPU.
using small_path = std::function<edit_script(codes a, codes b)>;
using small_distance = std::function<std::uint64_t(codes a, codes b)>;
[[nodiscard]] std::uint64_t wavefront_distance(codes a, codes b, const gpu_options& options,
                                               const small_distance& small);
[[nodiscard]] edit_script wavefront_path(codes a, codes b, const gpu_options& options,
                                         const small_path& small);

// Return the engines of the list. Wavefront solves the parts that its paper leaves to the CPU by the engine
// `small`.
[[nodiscard]] const gpu_table_engine& systolic();
[[nodiscard]] const lcs_engine& wavefront(const lcs_engine& small);
[[nodiscard]] const gpu_batch_engine& affine_batch_of_gpu();

// Returns the options of a call on the GPU that its options name, or on the first one.
[[nodiscard]] gpu_options options_for(const lcs_call& call);

// Returns why the engines do not take the texts, namely that they have more than 256 distinct symbols; empty
// if they do. Symbols that occur in one text only count as one symbol for each text.
[[nodiscard]] std::string why_not_symbols(const lcs_problem& problem);

// Calls use(a, b, sigma) with codes below sigma of texts that why_not_symbols() does not refuse.
template <class Use> void with_byte_symbols(const lcs_problem& problem, const Use& use) {
  with_dense_symbols(problem, [&]<class Symbol>(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
    const pair_codes<Symbol> mapping(a, b, sigma, problem.call.threads());
    const std::vector<std::uint8_t> x = mapping.template codes_of_a<std::uint8_t>(a),
                                    y = mapping.template codes_of_b<std::uint8_t>(b);
    use(codes(x), codes(y), mapping.count());
  });
}

} // namespace weft::lcs_detail
