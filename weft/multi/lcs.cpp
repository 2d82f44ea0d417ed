#include <weft/multi/lcs.hpp>

#include <algorithm>
#include <array>
#include <weft/lcs/entry/path_memory.hpp>
#include <weft/multi/shared_table.hpp>
#include <weft/multi/team.hpp>

namespace weft::multi {

// The table, and the decision when it is worthwhile to share one.
class lcs_team::state final : public lcs_detail::table_helpers {
public:
  state(communicator& all, const table_limits& given) : limits(given), table(all) {}

  [[nodiscard]] bool is_worthwhile(std::uint64_t m, std::uint64_t n) const override {
    return table.ranks().size() > 1 && m >= 2 * limits.min_rows &&
           lcs_detail::cells(m, n) >= limits.min_cells;
  }
  // Each level of the division of a path has half the cells of the level before it.
  [[nodiscard]] double speedup(bool path) const override {
    const double ranks = table.ranks().size();
    return path ? ranks / (2 - 1 / ranks) : ranks;
  }
  [[nodiscard]] std::uint64_t distance(const lcs_detail::bit_planes& a, const lcs_detail::bit_planes& b,
                                       const lcs_detail::lcs_call& call) override {
    // The value is symmetric, and more rows are better for many ranks than more columns.
    return a.length < b.length ? table.distance(b, a, call, plan(a)) : table.distance(a, b, call, plan(b));
  }
  [[nodiscard]] edit_script path(const lcs_detail::bit_planes& a, const lcs_detail::bit_planes& b,
                                 const lcs_detail::lcs_call& call) override {
    return table.path(a, b, call, plan(b));
  }
  [[nodiscard]] bool is_worthwhile_on_gpu(std::uint64_t m, std::uint64_t n) const override {
    return table.ranks().size() > 1 && lcs_detail::cells(m, n) >= limits.min_gpu_cells;
  }
  [[nodiscard]] std::vector<std::uint32_t>
  sweep_half(const lcs_detail::half_shape& shape, lcs_detail::text<std::uint8_t> a,
             lcs_detail::text<std::uint8_t> b, std::uint64_t memory,
             const std::function<void(const lcs_detail::sweep_check& check)>& own) override {
    lcs_detail::half_shape asked = shape;
    if (limits.may_share_gpu) asked.gpu = {};
    return table.sweep_half(asked, a, b, memory, own);
  }
  [[nodiscard]] multi_detail::table_division plan(const lcs_detail::bit_planes& columns) const {
    // The last of r / 2 bands begins when r / 2 pieces have passed the bands above it, so there are many
    // more.
    constexpr std::uint64_t min_words = 16, max_words = 1024, min_pieces = 256, pieces_of_rank = 8;
    const std::uint64_t pieces =
        std::max(min_pieces, pieces_of_rank * static_cast<std::uint64_t>(table.ranks().size()));
    const std::uint64_t words = std::clamp(columns.length / 64 / pieces, min_words, max_words);
    return {limits.min_rows, limits.piece_words == 0 ? words : limits.piece_words};
  }

  table_limits limits;
  multi_detail::shared_table table;
};

lcs_team::lcs_team(communicator& ranks, const table_limits& limits)
    : state_(std::make_unique<state>(ranks, limits)) {}
lcs_team::~lcs_team() = default;
lcs_detail::table_helpers* lcs_team::helpers() noexcept { return state_.get(); }
void lcs_team::help(const run_options& run) { state_->table.help(run); }
void lcs_team::dismiss() { state_->table.dismiss(); }

namespace {

// Calls compare(options) on rank 0, with options that let the other ranks help. All ranks throw what it
// throws.
template <class Compare>
void compare_together(communicator& ranks, lcs_options options, const table_limits& limits,
                      const Compare& compare) {
  lcs_team team(ranks, limits);
  options.helpers = team.helpers();
  multi_detail::work_together(ranks, team, options.run, [&] { compare(options); });
}

} // namespace

std::uint64_t lcs_value(communicator& ranks, std::string_view a, std::string_view b,
                        const lcs_options& options, const table_limits& limits) {
  std::uint64_t value = 0;
  compare_together(ranks, options, limits,
                   [&](const lcs_options& how) { value = weft::lcs_value(a, b, how); });
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
  return value;
}

edit_script lcs(communicator& ranks, std::string_view a, std::string_view b, const lcs_options& options,
                const table_limits& limits) {
  edit_script path;
  compare_together(ranks, options, limits, [&](const lcs_options& how) { path = weft::lcs(a, b, how); });
  return path;
}

std::vector<std::uint64_t> lcs_all_pairs(communicator& ranks, const sequences_view& batch,
                                         lcs_options options) {
  options.share = {static_cast<std::uint64_t>(ranks.rank()), static_cast<std::uint64_t>(ranks.size())};
  std::vector<std::uint64_t> values = weft::lcs_all_pairs(batch, options);
  ranks.all_reduce(values, reduction::sum);
  return values;
}

} // namespace weft::multi
