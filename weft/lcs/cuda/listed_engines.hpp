// The engines of GPUs in the list of lcs, and what they share: their options, and codes below 256. Compiles
// without a CUDA toolkit; the objects are linked only with one.
#pragma once

#include <string>
#include <vector>
#include <weft/lcs/cuda/engines.hpp>
#include <weft/lcs/engines.hpp>

namespace weft::lcs_cuda {

// Return the engines. Wavefront solves the parts that its paper leaves to the CPU by the engine `small`.
[[nodiscard]] const table_engine& systolic();
[[nodiscard]] const lcs_engine& wavefront(const lcs_engine& small);

// Returns the options of a call on the GPU that its options name, or on the first one.
[[nodiscard]] gpu_options options_for(const lcs_call& call);

// Returns why the engines do not take the texts, namely that they have more than 256 distinct symbols; empty
// if they do. Symbols that occur in one text only count as one symbol for each text.
[[nodiscard]] std::string why_not_symbols(const lcs_problem& problem);

// Calls use(a, b, sigma) with codes below sigma of texts that why_not_symbols() does not refuse.
template <class Use> void with_gpu_codes(const lcs_problem& problem, const Use& use) {
  with_codes(problem, [&]<class Symbol>(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
    const pair_codes<Symbol> mapping(a, b, sigma, problem.call.threads());
    const std::vector<std::uint8_t> x = mapping.template codes_of_a<std::uint8_t>(a),
                                    y = mapping.template codes_of_b<std::uint8_t>(b);
    use(codes(x), codes(y), mapping.count());
  });
}

} // namespace weft::lcs_cuda
