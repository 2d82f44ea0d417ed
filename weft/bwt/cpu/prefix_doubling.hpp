// Suffix sorting of arbitrary symbols, by ranks of prefixes of growing length.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>
#include <weft/base/run.hpp>

namespace weft::bwt_detail {

// Returns the positions [0, n) in the order of their suffixes. symbol(i) is the symbol at position i, and is
// below 2^42; n < 2^42.
[[nodiscard]] std::vector<std::uint64_t>
prefix_doubling(std::uint64_t n, const std::function<std::uint64_t(std::uint64_t)>& symbol,
                const run_options& options);

} // namespace weft::bwt_detail
