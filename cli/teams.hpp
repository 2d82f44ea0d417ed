// Work of rank 0 in which the other ranks of the job help.
#pragma once

#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <functional>

namespace weft {

namespace bwt_detail {
class suffix_helpers;
}
namespace lcs_detail {
class table_helpers;
}

namespace cli {

// Return, on all ranks, what work(helpers) returns on rank 0. The other ranks fill tables, or sort suffixes,
// together with rank 0 with their own --threads where that is faster. With one rank, the helpers are null.
int run_with_lcs_team(const arguments& given, const std::function<int(lcs_detail::table_helpers*)>& work);
int run_with_suffix_team(const arguments& given, const std::function<int(bwt_detail::suffix_helpers*)>& work);

} // namespace cli
} // namespace weft
