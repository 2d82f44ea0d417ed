#include <weft/bwt/suffix_array.hpp>

#include <stdexcept>
#include <weft/base/memory.hpp>
#include <weft/bwt/engines.hpp>
#include <weft/bwt/entry/argument_checks.hpp>

namespace weft {

namespace {

// Returns the suffix array. `lcp` may be null; otherwise it becomes the LCP array if a GPU computes it, and
// stays empty if not.
template <class Index>
std::vector<Index> sort_suffixes(std::string_view text, std::vector<Index>* lcp, const bwt_options& options) {
  const run_options& run = options.run;
  const std::uint64_t n = text.size();
  bwt_detail::check_index<Index>(n);
  base_detail::run_record record(run, "symbols");
  record.set_work(n);
  bwt_detail::require_memory(n * sizeof(Index) * (lcp != nullptr ? 2 : 1), run.memory, "the suffix array");
  std::vector<Index> sa;
  bwt_detail::text_problem problem{bwt_detail::suffix_array_task<Index>{text, sa, lcp}, run, n, n,
                                   options.helpers};
  bwt_detail::solve(bwt_detail::text_engine_list(), problem, run, n == 0, record);
  return sa;
}

template <class Index, class Symbol>
std::vector<Index> sort_symbols(std::span<const Symbol> text, const run_options& run) {
  const std::uint64_t n = text.size();
  bwt_detail::check_index<Index>(n);
  base_detail::run_record record(run, "symbols");
  record.set_work(n);
  bwt_detail::require_memory(n * sizeof(Index), run.memory, "the suffix array");
  std::vector<Index> sa;
  bwt_detail::symbol_problem problem{bwt_detail::symbol_array_task<Symbol, Index>{text, sa}, run,
                                     text.size_bytes()};
  bwt_detail::solve(bwt_detail::symbol_engine_list(), problem, run, n == 0, record);
  return sa;
}

} // namespace

template <class Index> std::vector<Index> suffix_array(std::string_view text, const bwt_options& options) {
  return sort_suffixes<Index>(text, nullptr, options);
}

template <class Index>
suffix_and_lcp_arrays<Index> suffix_and_lcp_array(std::string_view text, const bwt_options& options) {
  suffix_and_lcp_arrays<Index> both;
  base_detail::run_record record(options.run, "symbols"); // of both arrays
  record.set_work(text.size());
  both.sa = sort_suffixes<Index>(text, &both.lcp, options);
  if (both.lcp.size() == both.sa.size()) return both;
  run_options rest = options.run;
  rest.engine = "auto";
  rest.device = {device_kind::cpu, 0};
  rest.memory = memory_left(rest.memory, both.sa.size() * sizeof(Index));
  rest.info = nullptr; // reports the engine that sorted the suffixes
  both.lcp = lcp_array<Index>(text, both.sa, {rest});
  return both;
}

template <class Index>
std::vector<Index> suffix_array(std::span<const std::uint16_t> text, const bwt_options& options) {
  return sort_symbols<Index>(text, options.run);
}

template <class Index>
std::vector<Index> suffix_array(std::span<const std::uint32_t> text, const bwt_options& options) {
  return sort_symbols<Index>(text, options.run);
}

template <class Index>
std::vector<Index> collection_suffix_array(const sequences_view& collection, const bwt_options& options) {
  const run_options& run = options.run;
  const sequences_view records = bwt_detail::checked_batch(collection, "collection_suffix_array");
  const std::uint64_t n = records.data.size();
  bwt_detail::check_index<Index>(n);
  base_detail::run_record record(run, "symbols");
  record.set_work(n);
  bwt_detail::require_memory(n * sizeof(Index), run.memory, "the suffix array");
  std::vector<Index> sa;
  bwt_detail::symbol_problem problem{bwt_detail::collection_array_task<Index>{records, sa}, run, n};
  bwt_detail::solve(bwt_detail::symbol_engine_list(), problem, run, n == 0, record);
  return sa;
}

template <class Index>
std::vector<Index> lcp_array(std::string_view text, std::span<const Index> sa, const bwt_options& options) {
  const run_options& run = options.run;
  const std::uint64_t n = text.size();
  if (sa.size() != n) throw std::invalid_argument("lcp_array: sa must have one entry per symbol");
  base_detail::run_record record(run, "symbols");
  record.set_work(n);
  bwt_detail::require_memory(n * sizeof(Index), run.memory, "the LCP array");
  std::vector<Index> lcp;
  bwt_detail::lcp_problem problem{bwt_detail::lcp_task<Index>{text, sa, lcp}, run, n};
  bwt_detail::solve(bwt_detail::lcp_engine_list(), problem, run, n == 0, record);
  return lcp;
}

template std::vector<std::uint32_t> suffix_array(std::string_view, const bwt_options&);
template std::vector<std::uint64_t> suffix_array(std::string_view, const bwt_options&);
template std::vector<std::uint32_t> suffix_array(std::span<const std::uint16_t>, const bwt_options&);
template std::vector<std::uint64_t> suffix_array(std::span<const std::uint16_t>, const bwt_options&);
template std::vector<std::uint32_t> suffix_array(std::span<const std::uint32_t>, const bwt_options&);
template std::vector<std::uint64_t> suffix_array(std::span<const std::uint32_t>, const bwt_options&);
template std::vector<std::uint32_t> collection_suffix_array(const sequences_view&, const bwt_options&);
template std::vector<std::uint64_t> collection_suffix_array(const sequences_view&, const bwt_options&);
template suffix_and_lcp_arrays<std::uint32_t> suffix_and_lcp_array(std::string_view, const bwt_options&);
template suffix_and_lcp_arrays<std::uint64_t> suffix_and_lcp_array(std::string_view, const bwt_options&);
template std::vector<std::uint32_t> lcp_array(std::string_view, std::span<const std::uint32_t>,
                                              const bwt_options&);
template std::vector<std::uint64_t> lcp_array(std::string_view, std::span<const std::uint64_t>,
                                              const bwt_options&);

} // namespace weft
