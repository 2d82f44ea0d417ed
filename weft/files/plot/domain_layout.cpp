#include <weft/files/plot/domain_layout.hpp>

#include <algorithm>
#include <tuple>

namespace weft::files::detail {

namespace {

constexpr double min_box_width = 1.2;
constexpr std::size_t max_lanes = 16, max_label_levels = 3;
constexpr std::size_t max_labels = 500; // labels of a row; more would be illegible

} // namespace

placed_boxes lay_out_boxes(const domain_row& row, const residue_scale& scale,
                           const std::function<bool(const domain&)>& is_drawn) {
  std::vector<std::tuple<std::uint64_t, std::uint64_t, const domain*>> ranges;
  for (const domain& each : row.domains) {
    if (!is_drawn(each)) continue;
    ranges.emplace_back(each.begin, std::min(each.end, row.length), &each);
    if (each.end > row.length) ranges.emplace_back(0, std::min(each.end - row.length, row.length), &each);
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
    return std::get<0>(a) != std::get<0>(b) ? std::get<0>(a) < std::get<0>(b)
                                            : std::get<1>(a) > std::get<1>(b);
  });
  placed_boxes result;
  std::vector<double> ends; // right ends of the lanes
  for (const auto& [begin, end, source] : ranges) {
    const double from = scale.x_of(begin), length = scale.x_of(end) - from;
    const double width = std::max(min_box_width, length);
    const double x = std::clamp(from - (width - length) / 2, scale.left,
                                std::max(scale.left, scale.x_of(row.length) - width));
    const auto lane = static_cast<std::size_t>(
        std::find_if(ends.begin(), ends.end(), [&](double right) { return right <= x + 1e-9; }) -
        ends.begin());
    if (lane == max_lanes) {
      result.hidden_matches += source->matches;
      continue;
    }
    if (lane == ends.size()) ends.push_back(0);
    ends[lane] = x + width;
    result.boxes.push_back({x, width, lane, source});
  }
  return result;
}

std::vector<placed_label> lay_out_labels(const std::vector<placed_box>& boxes, double left,
                                         const std::function<double(const domain&)>& width_of_label) {
  std::vector<placed_label> labels;
  const auto meets = [](const placed_label& a, double x) {
    return a.left - label_space < x && x < a.right + label_space;
  };
  for (const placed_box& box : boxes) {
    if (box.lane > 0 || labels.size() == max_labels) continue;
    const double label_width = width_of_label(*box.source), half = label_width / 2;
    if (fits_inside(box, label_width)) continue;
    const double middle =
        std::clamp(box.middle(), left + half, std::max(left + half, page_width - margin - half));
    placed_label next{middle - half, middle + half, box.middle(), 0, box.source};
    for (; next.level < max_label_levels; ++next.level) {
      const bool free = std::none_of(labels.begin(), labels.end(), [&](const placed_label& other) {
        if (other.level == next.level)
          return next.left - label_space < other.right && other.left < next.right + label_space;
        return other.level < next.level ? meets(other, next.middle) : meets(next, other.middle);
      });
      if (free) break;
    }
    if (next.level < max_label_levels) labels.push_back(next);
  }
  return labels;
}

} // namespace weft::files::detail
