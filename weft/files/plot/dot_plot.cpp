#include <weft/files/plot/dot_plot.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace weft::files {

namespace {

// Names are cut to this size, so that the memory of an axis is bounded; no label is longer.
constexpr std::size_t max_name_bytes = 200;

// Orders segments by descending length. The order is total, so it does not depend on the order in which
// segments were added.
bool is_longer(const dot_segment& a, const dot_segment& b) {
  const auto sort_key = [](const dot_segment& each) {
    return std::tuple(~std::max(each.x_length, each.y_length), each.x_begin, each.y_begin, each.x_length,
                      each.y_length, each.group, each.reverse);
  };
  return sort_key(a) < sort_key(b);
}

// Reduces records to the `limit` longest ones, and keeps their order.
void keep_longest_records(std::vector<dot_record>& records, std::size_t limit) {
  if (records.size() <= limit) return;
  const auto cut = records.begin() + static_cast<std::ptrdiff_t>(limit);
  std::nth_element(records.begin(), cut, records.end(), [](const dot_record& a, const dot_record& b) {
    return std::tuple(~a.length, a.begin) < std::tuple(~b.length, b.begin);
  });
  records.erase(cut, records.end());
  std::sort(records.begin(), records.end(), [](const dot_record& a, const dot_record& b) {
    return std::tie(a.begin, a.length) < std::tie(b.begin, b.length);
  });
}

} // namespace

void dot_axis::add(std::string_view name, std::uint64_t length) {
  if (records_.size() >= 2 * max_records) keep_longest_records(records_, max_records);
  records_.push_back({std::string(name.substr(0, max_name_bytes)), length_, length});
  length_ += length;
  ++num_records_;
}

std::vector<dot_record> dot_axis::longest(std::size_t limit) const {
  std::vector<dot_record> records = records_;
  keep_longest_records(records, limit);
  return records;
}

void dot_grid::reserve(std::uint64_t x_length, std::uint64_t y_length) {
  while (x_length > side * x_cell_) halve(true);
  while (y_length > side * y_cell_) halve(false);
}

// Doubles the cells along an axis: each cell becomes the union of two.
void dot_grid::halve(bool x_axis) {
  (x_axis ? x_cell_ : y_cell_) *= 2;
  if (cells_.empty()) return;
  std::vector<std::uint8_t> joined(side * side);
  for (std::uint64_t y = 0; y < side; ++y)
    for (std::uint64_t x = 0; x < side; ++x)
      joined[(x_axis ? y : y / 2) * side + (x_axis ? x / 2 : x)] |= cells_[y * side + x];
  cells_ = std::move(joined);
}

void dot_grid::mark(const dot_segment& segment) {
  if (segment.x_length == 0 && segment.y_length == 0) return;
  if (cells_.empty()) cells_.resize(side * side);
  const auto bit = static_cast<std::uint8_t>(1U << segment.group);
  const std::uint64_t x_span = std::max<std::uint64_t>(1, segment.x_length) - 1,
                      y_span = std::max<std::uint64_t>(1, segment.y_length) - 1;
  // Steps of half a cell meet every cell of the diagonal.
  const std::uint64_t steps = 2 * std::max(x_span / x_cell_, y_span / y_cell_) + 1;
  for (std::uint64_t i = 0; i <= steps; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(steps);
    const auto along_x = static_cast<std::uint64_t>(static_cast<double>(x_span) * part),
               along_y = static_cast<std::uint64_t>(static_cast<double>(y_span) * part);
    const std::uint64_t x = segment.x_begin + std::min(x_span, along_x),
                        y = segment.y_begin + (segment.reverse ? y_span - std::min(y_span, along_y)
                                                               : std::min(y_span, along_y));
    cells_[std::min(side - 1, y / y_cell_) * side + std::min(side - 1, x / x_cell_)] |= bit;
  }
}

std::uint8_t dot_grid::groups_at(std::uint64_t x, std::uint64_t y) const {
  return cells_.empty() ? std::uint8_t{0} : cells_.at(y * side + x);
}

dot_plot::dot_plot(std::vector<dot_group> groups) : groups_(std::move(groups)) {
  if (groups_.empty() || groups_.size() > max_groups)
    throw std::invalid_argument("weft::files::dot_plot: the number of groups must be 1 to 8");
}

void dot_plot::add(const dot_segment& segment) {
  const auto is_within = [](std::uint64_t begin, std::uint64_t length, const dot_axis& axis) {
    return begin <= axis.length() && length <= axis.length() - begin;
  };
  if (segment.group >= groups_.size() || !is_within(segment.x_begin, segment.x_length, x_) ||
      !is_within(segment.y_begin, segment.y_length, y_))
    throw std::out_of_range("weft::files::dot_plot: a segment is outside of the plot");
  ++counts_[segment.group];
  if (segments_.size() >= max_segments + max_segments / 4) keep_longest();
  segments_.push_back(segment);
}

// Reduces the segments to the longest ones, and marks the others in the grid.
void dot_plot::keep_longest() {
  if (segments_.size() <= max_segments) return;
  const auto cut = segments_.begin() + static_cast<std::ptrdiff_t>(max_segments);
  std::nth_element(segments_.begin(), cut, segments_.end(), is_longer);
  grid_.reserve(x_.length(), y_.length());
  for (auto each = cut; each != segments_.end(); ++each) grid_.mark(*each);
  segments_.erase(cut, segments_.end());
}

std::vector<dot_segment> dot_plot::longest(std::size_t limit) const {
  std::vector<dot_segment> sorted = segments_;
  std::sort(sorted.begin(), sorted.end(), is_longer);
  sorted.resize(std::min({sorted.size(), limit, max_segments}));
  return sorted;
}

std::uint64_t dot_plot::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

dot_grid dot_plot::grid() const {
  dot_plot reduced = *this;
  reduced.keep_longest();
  reduced.grid_.reserve(x_.length(), y_.length());
  return reduced.grid_;
}

std::string axis_title(const std::string& name, const dot_axis& axis, std::size_t max_letters) {
  return shown_name(axis.num_records() == 1
                        ? fmt::format("{}: {}", name, axis.longest().front().name)
                        : fmt::format("{}: {} records", name, grouped(axis.num_records())),
                    max_letters);
}

std::string draw_dot_plot(plot_kind kind, const dot_plot& plot, const dot_texts& texts) {
  if (kind == plot_kind::html) return dot_page_of(plot, texts);
  const picture drawn = dot_picture(plot, texts);
  return kind == plot_kind::svg ? svg_image(drawn) : png_image_of(drawn);
}

} // namespace weft::files
