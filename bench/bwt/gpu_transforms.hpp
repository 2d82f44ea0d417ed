// The methods of `weft-bench bwt` that transform texts on the first GPU, and invert transforms. The header
// also compiles without a CUDA toolkit; each method then reports that it is unavailable.
#pragma once

#include <bench/bench.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>

namespace weft::bench {

using text_source = std::function<std::string_view()>;
using transform_source = std::function<const bwt_text&()>;

// Returns the digest of a transform.
[[nodiscard]] std::uint64_t digest_of(const bwt_text& transformed);

// Transforms a text in device memory. `inverted`: each answer is inverted on the GPU and compared with the
// text.
[[nodiscard]] method bwt_in_gpu_memory(const std::string& engine, const std::string& unavailable_reason,
                                       bwt_form form, const text_source& text, bool inverted);
// Transforms a text from and to page-locked host memory.
[[nodiscard]] method bwt_from_locked_memory(bwt_form form, const text_source& text, bool inverted);

// The methods run the engine `ternary-quicksort` and report the time of the first kernels of all levels, or
// the time of both kernels, measured in the stream.
inline constexpr const char* quicksort_kernels[] = {"first kernel", "both kernels"};
[[nodiscard]] std::vector<method> quicksort_kernels_in_gpu_memory(const text_source& text);

// Invert a transform: in device memory, also with links of 40 bits and, if `stretches`, with chains that
// start about 2^7 to 2^11 rows apart; and from and to page-locked host memory.
[[nodiscard]] std::vector<method> inverses_on_gpu(const transform_source& transformed, bool stretches);

} // namespace weft::bench
