// Suffix sorting of any symbols, by ranks of growing prefixes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>
#include <weft/bwt/bwt_options.hpp>

namespace weft::detail {

// Positions [0, n) in the order of their suffixes, where symbol(i) is the number at i, below 2^42, and n <
// 2^42.
[[nodiscard]] std::vector<std::uint64_t>
prefix_doubling(std::uint64_t n, const std::function<std::uint64_t(std::uint64_t)>& symbol,
                const bwt_options& options);

} // namespace weft::detail
