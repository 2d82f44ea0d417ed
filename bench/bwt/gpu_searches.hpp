// The methods of `weft-bench bwt` that search an FM-index in the memory of the first GPU. The header also
// compiles without a CUDA toolkit; each method then reports that it is unavailable.
#pragma once

#include <bench/bench.hpp>
#include <cstdint>
#include <functional>
#include <vector>
#include <weft/bwt/fm_index.hpp>

namespace weft::bench {

using index_source = std::function<const fm_index&()>;
using pattern_source = std::function<sequences_view()>;

// Return the digest of counts, and of hits.
[[nodiscard]] std::uint64_t digest_of(const std::vector<std::uint64_t>& counts);
[[nodiscard]] std::uint64_t digest_of(const fm_hits& hits);

// Count and locate patterns; the index, the patterns and the answer are in device memory. `is_right` checks
// an answer.
[[nodiscard]] method
counts_in_gpu_memory(const index_source& index, const pattern_source& patterns,
                     const std::function<bool(const std::vector<std::uint64_t>&)>& is_right);
[[nodiscard]] method hits_in_gpu_memory(const index_source& index, const pattern_source& patterns,
                                        std::uint64_t max_hits,
                                        const std::function<bool(const fm_hits&)>& is_right);

} // namespace weft::bench
