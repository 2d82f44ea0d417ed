// Helpers for the suites of papers.cpp and papers_sort.cpp.
#pragma once

#include <bench/bench.hpp>

namespace weft::bench {

// Returns the case with the paper's published result, and with exactly the named methods as yardsticks (none
// named: the yardsticks stay). Cases with the same `kind` share the rates from which times are extrapolated.
[[nodiscard]] bench_case beside(bench_case of, const std::string& kind, const std::string& published,
                                const std::vector<std::string>& yardsticks);

// Returns the case as one that is not shown, but run to predict the times of larger cases of its kind.
[[nodiscard]] bench_case for_rates(bench_case of, const std::string& kind);

[[nodiscard]] std::vector<suite> sort_paper_suites(const limits& asked);

} // namespace weft::bench
