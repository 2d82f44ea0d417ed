#include <cli/teams.hpp>

#include <algorithm>
#include <weft/multi/lcs.hpp>
#include <weft/multi/variants.hpp>

namespace weft::cli {

namespace {

template <class Team, class Work> int run_with_team(const arguments& given, Team& team, const Work& work) {
  const auto lead = [&] {
    const int code = work(given, team.helpers());
    team.dismiss();
    return code;
  };
  return run_on_first_rank(lead, [&] {
    run_options run;
    set_common_options(given, run);
    team.help(run);
  });
}

} // namespace

int run_with_lcs_team(const arguments& given, int (*work)(const arguments&, lcs_detail::table_helpers*)) {
  if (ranks().size() == 1) return work(given, nullptr);
  multi::table_limits limits;
  limits.min_cells = test_setting("WEFT_MIN_SHARED_CELLS", limits.min_cells);
  limits.min_rows = test_setting("WEFT_MIN_SHARED_ROWS", limits.min_rows);
  limits.min_gpu_cells = test_setting("WEFT_MIN_SHARED_GPU_CELLS", limits.min_gpu_cells);
  multi::lcs_team team(ranks(), limits);
  return run_with_team(given, team, work);
}

multi::suffix_limits suffix_limits_of_ranks() {
  multi::suffix_limits limits;
  limits.min_symbols = test_setting("WEFT_MIN_SHARED_SYMBOLS", limits.min_symbols);
  limits.min_ranks =
      static_cast<int>(test_setting("WEFT_MIN_SHARED_RANKS", static_cast<std::uint64_t>(limits.min_ranks)));
  return limits;
}

int run_with_suffix_team(const arguments& given,
                         const std::function<int(const arguments&, bwt_detail::suffix_helpers*)>& work) {
  if (ranks().size() == 1) return work(given, nullptr);
  multi::suffix_team team(ranks(), suffix_limits_of_ranks());
  return run_with_team(given, team, work);
}

int run_with_comparison_team(const arguments& given,
                             int (*work)(const arguments&, search_detail::comparison_helpers*)) {
  if (ranks().size() == 1) return work(given, nullptr);
  multi::comparison_limits limits;
  limits.min_letters = test_setting("WEFT_MIN_SHARED_LETTERS", limits.min_letters);
  limits.min_gap_letters = std::min(limits.min_gap_letters, limits.min_letters);
  multi::comparison_team team(ranks(), limits);
  return run_with_team(given, team, work);
}

} // namespace weft::cli
