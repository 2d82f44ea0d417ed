// Work of rank 0 in which the other ranks of the job help.
#pragma once

#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <functional>
#include <weft/multi/suffixes.hpp>

namespace weft {

namespace lcs_detail {
class table_helpers;
}
namespace search_detail {
class comparison_helpers;
}

namespace cli {

// Returns the limits from which on ranks sort suffixes together, which tests lower.
multi::suffix_limits suffix_limits_of_ranks();

// Return, on all ranks, what work(given, helpers) returns on rank 0. The other ranks fill tables, sort
// suffixes, or compare genomes together with rank 0 with their own --threads where that is faster. With one
// rank, the helpers are null.
int run_with_lcs_team(const arguments& given, int (*work)(const arguments&, lcs_detail::table_helpers*));
int run_with_suffix_team(const arguments& given,
                         const std::function<int(const arguments&, bwt_detail::suffix_helpers*)>& work);
int run_with_comparison_team(const arguments& given,
                             int (*work)(const arguments&, search_detail::comparison_helpers*));

} // namespace cli
} // namespace weft
