// What the papers' tables have in common.
#pragma once

#include <cli/bench/bench.hpp>

namespace weft::cli::bench {

// The same case, what the paper says beside it, and none but these ways as yardsticks (none named: as it
// was). kind: whose rates it shares.
[[nodiscard]] bench_case beside(bench_case of, const std::string& kind, const std::string& published,
                                const std::vector<std::string>& yardsticks);

// Not in the tables, but run for the rates of larger cases of its kind.
[[nodiscard]] bench_case for_rates(bench_case of, const std::string& kind);

[[nodiscard]] std::vector<suite> sort_paper_suites(const limits& asked);

} // namespace weft::cli::bench
