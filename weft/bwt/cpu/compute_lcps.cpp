// LCP arrays on the CPU: Karkkainen, Manzini & Puglisi, CPM 2009.
#include <algorithm>
#include <limits>
#include <weft/base/parallel.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t rows_between_checks = std::uint64_t{1} << 20; // of whether the call is cancelled

// Replaces plcp[i], the suffix before suffix i in the suffix array, by the LCP of the two, for i in [first,
// last), in parts between which the call can be cancelled. LCPs are found for ascending i, because each is at
// least the one before it less 1.
template <class Index>
void permuted_lcps(std::string_view text, std::span<Index> plcp, std::uint64_t first, std::uint64_t last,
                   const run_options& run) {
  const std::uint64_t n = text.size();
  std::uint64_t common = 0;
  for (std::uint64_t i = first; i < last; ++i) {
    if ((i - first) % rows_between_checks == 0) base_detail::check_cancelled(run);
    const Index before = plcp[i];
    if (before == std::numeric_limits<Index>::max()) {
      common = 0;
    } else {
      const std::uint64_t max_common = n - std::max<std::uint64_t>(i, before);
      while (common < max_common && text[i + common] == text[before + common]) ++common;
    }
    plcp[i] = static_cast<Index>(common);
    if (common > 0) --common;
  }
}

template <class Index> void compute(const lcp_task<Index>& task, const run_options& run) {
  const std::span<const Index> sa = task.sa;
  const std::uint64_t n = sa.size(), slices = static_cast<std::uint64_t>(thread_count(run.threads));
  require_memory(2 * n * sizeof(Index), run.memory, "the LCP array");
  std::vector<Index> plcp(n);
  plcp[sa[0]] = std::numeric_limits<Index>::max();
  parallel_for(1, n, rows_between_checks, run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) plcp[sa[i]] = sa[i - 1]; // the suffix before, for now
  });
  parallel_for(0, n, n / slices + 1, run, [&](std::uint64_t first, std::uint64_t last) {
    permuted_lcps<Index>(task.text, plcp, first, last, run);
  });
  task.lcp.resize(n);
  parallel_for(0, n, rows_between_checks, run, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) task.lcp[i] = plcp[sa[i]];
  });
}

} // namespace

void compute_lcps(lcp_problem& problem) {
  std::visit([&](const auto& task) { compute(task, problem.run); }, problem.task);
}

} // namespace weft::bwt_detail
