#include <weft/lcs/cuda/batch_plan.hpp>

#include <algorithm>
#include <numeric>
#include <weft/base/error.hpp>

namespace weft::lcs_detail {

namespace {

constexpr std::int64_t longest_rows = std::int64_t{1} << 30;

// The cells that a thread of a fully used device computes in a second, and those of the whole device.
constexpr double lane_speed = 2e9, device_speed = 80e12;

// A table alone: its cells in a second, and the symbols of the shorter sequence that its start costs. The
// cuts are measured with these figures; those of a large table (estimates.hpp) would move them.
constexpr double single_speed = 100e12, single_fill_symbols = 500000;

// Returns the number of q < p whose tables with p have at most max_cells cells. For large p it falls as p
// grows.
int cut_of(const batch_plan& plan, int p, double max_cells) {
  const auto begin = plan.lengths.begin();
  const std::int64_t rows = plan.lengths[to_size(p)];
  if (rows > longest_rows) return 0;
  const double columns = std::min(max_cells / static_cast<double>(std::max<std::int64_t>(rows, 1)), 1e18);
  return static_cast<int>(std::upper_bound(begin, begin + p, static_cast<std::int64_t>(columns)) - begin);
}

// Estimates the seconds for a batch of the tables with at most max_cells cells, and the others one by one.
double estimated_seconds(const batch_plan& plan, const std::vector<double>& columns_before,
                         double max_cells) {
  double batch = 0, largest = 0, single = 0;
  for (int p = 1; p < plan.count(); ++p) {
    const auto rows = static_cast<double>(plan.lengths[to_size(p)]);
    const int cut = cut_of(plan, p, max_cells);
    batch += rows * columns_before[to_size(cut)];
    if (cut > 0) largest = std::max(largest, rows * static_cast<double>(plan.lengths[to_size(cut - 1)]));
    // The sum over the pairs of p and q >= cut, where q is the shorter sequence.
    single += rows *
              (columns_before[to_size(p)] - columns_before[to_size(cut)] + single_fill_symbols * (p - cut)) /
              single_speed;
  }
  return std::max(batch / device_speed, largest / lane_speed) + single;
}

void plan_cuts(batch_plan& plan) {
  std::vector<double> columns_before(to_size(plan.count()) + 1);
  for (int p = 0; p < plan.count(); ++p)
    columns_before[to_size(p) + 1] =
        columns_before[to_size(p)] + static_cast<double>(plan.lengths[to_size(p)]);
  double best = 0, best_seconds = -1;
  for (double max_cells = 1 << 24; max_cells < 1e14; max_cells *= 4) {
    const double seconds = estimated_seconds(plan, columns_before, max_cells);
    if (best_seconds < 0 || seconds < best_seconds) best = max_cells, best_seconds = seconds;
    if (static_cast<double>(plan.lengths.back()) * static_cast<double>(plan.lengths.back()) <= max_cells)
      break;
  }
  plan.begins.push_back(0);
  for (int p = 0; p < plan.count(); ++p) {
    const int cut = cut_of(plan, p, best);
    plan.cuts.push_back(cut);
    plan.begins.push_back(plan.begins.back() + cut);
    if (cut > 0 && plan.lengths[to_size(p)] > batch_band_rows)
      plan.max_columns = std::max(plan.max_columns, plan.lengths[to_size(cut - 1)]);
  }
}

bool share_kernel(const batch_shape& a, const batch_shape& b) {
  return a.linked == b.linked && a.words == b.words;
}

} // namespace

batch_plan plan_batch(std::span<const std::uint64_t> offsets, const lcs_options::pair_share& share) {
  const std::size_t count = offsets.size() - 1;
  if (count > std::size_t{1} << 30)
    throw error(errc::invalid_input, "a batch must have at most 2^30 sequences");
  const auto length = [&](std::uint32_t i) { return offsets[i + 1] - offsets[i]; };
  batch_plan plan;
  plan.order.resize(count);
  std::iota(plan.order.begin(), plan.order.end(), 0U);
  std::stable_sort(plan.order.begin(), plan.order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return length(i) < length(j); });
  for (const std::uint32_t i : plan.order) plan.lengths.push_back(static_cast<std::int64_t>(length(i)));
  plan_cuts(plan);
  keep_share(plan, share);
  return plan;
}

void keep_share(batch_plan& plan, const lcs_options::pair_share& share) {
  std::vector<double> cells_before(1); // of each row
  double columns = 0;
  for (const std::int64_t rows : plan.lengths) {
    cells_before.push_back(cells_before.back() + static_cast<double>(rows) * columns);
    columns += static_cast<double>(rows);
  }
  // Returns the first row whose cells begin in a share or behind it.
  const auto first_row = [&](std::uint64_t index) {
    if (index == share.count) return plan.count();
    const double cells = cells_before.back() / static_cast<double>(share.count) * static_cast<double>(index);
    const auto row = std::lower_bound(cells_before.begin(), cells_before.end() - 1, cells);
    return static_cast<int>(row - cells_before.begin());
  };
  plan.first = first_row(share.index);
  plan.last = first_row(share.index + 1);
  plan.cells = static_cast<std::uint64_t>(
      std::min(cells_before[to_size(plan.last)] - cells_before[to_size(plan.first)], 1e18));
  for (int p = 0; p < plan.count(); ++p) {
    if (p < plan.first || p >= plan.last) plan.cuts[to_size(p)] = 0;
    plan.begins[to_size(p) + 1] = plan.begins[to_size(p)] + plan.cuts[to_size(p)];
  }
}

batch_shape shape_for(std::int64_t rows, bool edit) {
  const std::int64_t bands = std::max<std::int64_t>((rows + batch_band_rows - 1) / batch_band_rows, 1);
  const std::int64_t words = (rows + bands * 32 - 1) / (bands * 32);
  int chosen = 32;
  for (const int candidate : {24, 16, 8, 4})
    if (words <= candidate) chosen = candidate;
  return {edit, edit || bands > 1, chosen};
}

std::vector<batch_piece> cut_into_pieces(const batch_plan& plan, std::int64_t capacity, double max_cells,
                                         const std::function<batch_shape(std::int64_t)>& shape_of) {
  std::vector<std::uint64_t> columns_before(1);
  for (const std::int64_t n : plan.lengths)
    columns_before.push_back(columns_before.back() + static_cast<std::uint64_t>(n));
  std::vector<batch_piece> pieces;
  for (int p = 1; p < plan.count(); ++p) {
    const int cut = plan.cuts[to_size(p)];
    if (cut == 0) continue;
    const auto cells = static_cast<std::uint64_t>(plan.lengths[to_size(p)]) * columns_before[to_size(cut)];
    const batch_shape shape = shape_of(plan.lengths[to_size(p)]);
    if (!pieces.empty()) {
      batch_piece& open = pieces.back();
      if (open.last == p && share_kernel(open.shape, shape) &&
          plan.begins[to_size(p) + 1] - plan.begins[to_size(open.first)] <= capacity &&
          static_cast<double>(open.cells + cells) <= max_cells) {
        open.last = p + 1, open.cells += cells;
        continue;
      }
    }
    pieces.push_back({p, p + 1, shape, cells});
  }
  return pieces;
}

} // namespace weft::lcs_detail
