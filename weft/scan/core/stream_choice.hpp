// Chooses the classes that get a stream of their own, if there are more classes than streams. Any other class
// is served by the rarest class with a stream that contains it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>
#include <weft/scan/core/bit_stream_plan.hpp>

namespace weft::scan_detail {

// Returns up to `max_streams` classes, in the order in which they were chosen, so that a prefix of the result
// is the choice for fewer streams. rates[c] is the fraction of residues in class c. uses[c] is the worth of
// testing class c exactly, for each unit of the logarithm of its rarity; a class that is served by class k
// contributes uses[c] * -log(rates[k]). The algorithm is greedy: it adds the class that increases the sum
// most. (The sum is at least 1 - 1/e of the best possible: Nemhauser, Wolsey & Fisher, An analysis of
// approximations for maximizing submodular set functions, 1978.) Time O(classes^2), for at most the 8,192
// most used classes. `rates` and `uses` have at least as many elements as `classes`.
[[nodiscard]] std::vector<std::uint32_t> choose_streams(std::span<const byte_class> classes,
                                                        std::span<const double> rates,
                                                        std::span<const double> uses,
                                                        std::size_t max_streams);

} // namespace weft::scan_detail
