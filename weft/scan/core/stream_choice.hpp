// Which classes have a stream of their own where not all can: any other is served by the rarest class with
// one that contains it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace weft::scan_detail {

// Up to `most` of the classes that are used: uses[c], how much it is worth to test class c by nothing rarer
// than itself; rates[c], how often a residue is in it. A class is worth its uses times the logarithm of what
// it is served by; taken is, again and again, what adds most. (That is within 1 - 1/e of the best choice:
// Nemhauser, Wolsey & Fisher, An analysis of approximations for maximizing submodular set functions, 1978.)
// In that order: the choice of fewer is what comes first. Time O(classes^2), of the most used thousands.
// classes, rates and uses have one size or rates and uses more.
[[nodiscard]] std::vector<std::uint32_t> choose_streams(std::span<const byte_class> classes,
                                                        std::span<const double> rates,
                                                        std::span<const double> uses, std::size_t most);

} // namespace weft::scan_detail
