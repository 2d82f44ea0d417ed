#include <weft/lcs/entry/engine_choice.hpp>

#include <array>
#include <fmt/format.h>
#include <weft/base/engine_table.hpp>
#include <weft/base/error.hpp>

namespace weft::lcs_detail {

namespace {

using entry = base_detail::engine_entry<engine>;

constexpr std::array entries = {
    entry{"hirschberg-dp", engine::hirschberg_dp, "any processor; two rows of the table"},
    entry{"bit-parallel", engine::bit_parallel, "any processor; 64 cells a word"},
    entry{"bit-sliced", engine::bit_sliced,
          "any processor; vectors of anti-diagonal cells: AVX-512, AVX2, SSE4, NEON"},
    entry{"furthest-reaching", engine::furthest_reaching, "any processor; time and memory by the distance"},
    entry{"hunt-szymanski", engine::hunt_szymanski,
          "any processor; metrics lcs and indel; time by the pairs of equal symbols"},
    entry{"systolic", engine::systolic, "a CUDA GPU; up to 256 symbols", true},
    entry{"wavefront", engine::wavefront,
          "a CUDA GPU; up to 256 symbols; metrics lcs and indel; a launch an anti-diagonal of tiles", true},
};
constexpr base_detail::engine_table<engine> engines("lcs", entries);

} // namespace

engine_choice choose_engine(const lcs_options& options) {
  const entry* const chosen = engines.find(options.run.engine);
  const engine id = chosen == nullptr ? engine::automatic : chosen->id;
  if ((id == engine::wavefront || id == engine::hunt_szymanski) && options.metric == lcs_metric::edit)
    throw error(errc::invalid_input,
                fmt::format("engine {} computes lcs and indel, not edit distances", options.run.engine));
  return {id, engines.resolve_device(chosen, engines.match(chosen, options.run.device))};
}

std::vector<engine_info> list_engines() { return engines.list(); }

} // namespace weft::lcs_detail
