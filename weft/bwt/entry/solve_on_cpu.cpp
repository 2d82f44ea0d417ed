// The CPU's engines that are one call of an algorithm: the inverse transform and the rows of an FM-index.
#include <algorithm>
#include <weft/bwt/cpu/fm_rows.hpp>
#include <weft/bwt/cpu/inverse.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve_on_cpu.hpp>

namespace weft::detail {

void invert(inverse_problem& problem) {
  const std::uint64_t n = problem.bytes.size(), chains = std::clamp<std::uint64_t>(n / 256, 1, 8192);
  const bool small = n + 1 < index_32_limit;
  require_memory(n * (small ? 6 : 10), problem.run.memory, "the inverse transform");
  problem.text = small ? inverse_by_chains<std::uint32_t>(problem.bytes, problem.primary_index, problem.form,
                                                          chains, problem.run)
                       : inverse_by_chains<std::uint64_t>(problem.bytes, problem.primary_index, problem.form,
                                                          chains, problem.run);
}

void write_rows(fm_build_problem& problem) {
  if (!problem.is_checked) require_memory(problem.memory_of_cpu, problem.run.memory, "building the index");
  if (const auto* const narrow = std::get_if<const fm_row_task<std::uint32_t>*>(&problem.rows))
    write_rows(**narrow);
  else
    write_rows(*std::get<const fm_row_task<std::uint64_t>*>(problem.rows));
}

} // namespace weft::detail
