// The functions of bwt that rank 0 calls while the other ranks help it to sort suffixes.
#include <cstdint>
#include <string_view>
#include <vector>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/suffix_array.hpp>
#include <weft/multi/suffixes.hpp>
#include <weft/multi/team.hpp>

namespace weft::multi {

namespace {

// Returns work(options with helpers) on rank 0, and a default value on the other ranks.
template <class Result, class Work>
Result sort_together(communicator& ranks, bwt_options options, const suffix_limits& limits,
                     const Work& work) {
  suffix_team team(ranks, limits);
  Result result{};
  options.helpers = team.helpers();
  multi_detail::work_together(ranks, team, options.run, [&] { result = work(options); });
  return result;
}

} // namespace

bwt_text bwt(communicator& ranks, std::string_view text, bwt_form form, const bwt_options& options,
             const suffix_limits& limits) {
  return sort_together<bwt_text>(ranks, options, limits,
                                 [&](const bwt_options& how) { return weft::bwt(text, form, how); });
}

template <class Index>
std::vector<Index> suffix_array(communicator& ranks, std::string_view text, const bwt_options& options,
                                const suffix_limits& limits) {
  return sort_together<std::vector<Index>>(
      ranks, options, limits, [&](const bwt_options& how) { return weft::suffix_array<Index>(text, how); });
}

template std::vector<std::uint32_t> suffix_array(communicator&, std::string_view, const bwt_options&,
                                                 const suffix_limits&);
template std::vector<std::uint64_t> suffix_array(communicator&, std::string_view, const bwt_options&,
                                                 const suffix_limits&);

} // namespace weft::multi
