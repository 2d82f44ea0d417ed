// The dot plot of two genomes, independent of the format in which it is drawn: the records of the first
// genome end to end on the x axis, those of the second one on the y axis, and segments of what they have in
// common.
//
// A dot_plot is filled while segments are found. Its memory is bounded: the longest segments are kept, and
// all others are marked in a grid that is finer than the pixels of a picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/files/plot/picture.hpp>

namespace weft::files {

// A stretch that both genomes contain. Positions count the letters of all records of a genome, end to end. If
// `reverse`, the stretch of y equals the reverse complement of the stretch of x: the segment descends.
struct dot_segment {
  std::uint64_t x_begin = 0, x_length = 0, y_begin = 0, y_length = 0;
  bool reverse = false;
  std::uint8_t group = 0; // number of the group of the plot that it belongs to
  friend bool operator==(const dot_segment&, const dot_segment&) = default;
};

// A group of segments, which has a colour and a line of the legend.
struct dot_group {
  std::string name;
  std::uint32_t colour; // 0xrrggbb
};

// Colours that readers with any colour vision can distinguish, on white and from each other.
inline constexpr std::uint32_t dot_blue = 0x1f5fb4, dot_vermilion = 0xd55e00, dot_green = 0x009e73,
                               dot_purple = 0xcc79a7;

// The texts of a dot plot. `segments` names the segments in the plural: "matches".
struct dot_texts {
  std::string title, x_name, y_name, segments;
  std::vector<std::string> notes; // lines of the legend
};

// A record on an axis.
struct dot_record {
  std::string name;
  std::uint64_t begin = 0, length = 0;
};

// An axis of a dot plot: the records of a genome, end to end. It keeps at most the `max_records` longest
// records with their names, and the number and the length of all.
class dot_axis {
public:
  static constexpr std::size_t max_records = 5000;

  // Appends a record. Amortised O(1).
  void add(std::string_view name, std::uint64_t length);

  [[nodiscard]] std::uint64_t length() const noexcept { return length_; }
  [[nodiscard]] std::uint64_t num_records() const noexcept { return num_records_; }
  // Returns the longest records in the order of the axis, at most `limit` of them.
  [[nodiscard]] std::vector<dot_record> longest(std::size_t limit = max_records) const;

private:
  std::vector<dot_record> records_;
  std::uint64_t length_ = 0, num_records_ = 0;
};

// A grid of cells over a dot plot, in which segments are marked. The cells grow with the axes, so that there
// are at most `side` x `side` of them.
class dot_grid {
public:
  static constexpr std::uint64_t side = 1520;

  // Makes the cells so large that axes of these lengths fit. Axes only grow.
  void reserve(std::uint64_t x_length, std::uint64_t y_length);
  // Marks every cell that the segment passes through. The segment must be within the lengths of reserve().
  void mark(const dot_segment& segment);

  [[nodiscard]] std::uint64_t x_cell() const noexcept { return x_cell_; }
  [[nodiscard]] std::uint64_t y_cell() const noexcept { return y_cell_; }
  // Returns a word for cell (x, y), in which bit i is set if a segment of group i was marked.
  [[nodiscard]] std::uint8_t groups_at(std::uint64_t x, std::uint64_t y) const;

private:
  void halve(bool x_axis);

  std::uint64_t x_cell_ = 1, y_cell_ = 1;
  std::vector<std::uint8_t> cells_; // rows of `side` cells; empty before the first mark
};

class dot_plot {
public:
  static constexpr std::size_t max_groups = 8;
  // The number of the longest segments that are kept, and an upper bound of the bytes that a plot takes while
  // it is filled and drawn.
  static constexpr std::size_t max_segments = 200'000;
  static constexpr std::uint64_t max_bytes = std::uint64_t{48} << 20;

  // Throws std::invalid_argument unless there are 1 to max_groups groups.
  explicit dot_plot(std::vector<dot_group> groups);

  // Append a record to an axis, which must be done before a segment of it is added.
  void add_x_record(std::string_view name, std::uint64_t length) { x_.add(name, length); }
  void add_y_record(std::string_view name, std::uint64_t length) { y_.add(name, length); }
  // Adds a segment. Amortised O(1) for short segments, O(cells) for one that is not kept. Throws
  // std::out_of_range if it is outside of the axes, or if its group is none of the plot.
  void add(const dot_segment& segment);
  // Returns the longest segments, the longest first, at most `limit` of them.
  [[nodiscard]] std::vector<dot_segment> longest(std::size_t limit = max_segments) const;

  [[nodiscard]] const dot_axis& x() const noexcept { return x_; }
  [[nodiscard]] const dot_axis& y() const noexcept { return y_; }
  [[nodiscard]] const std::vector<dot_group>& groups() const noexcept { return groups_; }
  // Returns the number of segments of a group that were added.
  [[nodiscard]] std::uint64_t count(std::size_t group) const { return counts_.at(group); }
  [[nodiscard]] std::uint64_t count() const;
  // Returns a grid in which all segments are marked that are not kept.
  [[nodiscard]] dot_grid grid() const;

private:
  void keep_longest();

  std::vector<dot_group> groups_;
  std::array<std::uint64_t, max_groups> counts_{};
  dot_axis x_, y_;
  std::vector<dot_segment> segments_;
  dot_grid grid_;
};

// The kinds of files that draw_dot_plot() can write.
inline constexpr std::array dot_plot_kinds = {plot_kind::svg, plot_kind::png, plot_kind::html};

// Returns the title of an axis: the name of the genome, and its only record or the number of its records.
[[nodiscard]] std::string axis_title(const std::string& name, const dot_axis& axis, std::size_t max_letters);
// Returns the plot as a picture: segments of at least a pixel are lines, at most 20,000 of them, and all
// other segments are dots, one for each pixel and group.
[[nodiscard]] picture dot_picture(const dot_plot& plot, const dot_texts& texts);
// Returns a self-contained page, which loads nothing from elsewhere, with the longest segments and a script
// that draws them.
[[nodiscard]] std::string dot_page_of(const dot_plot& plot, const dot_texts& texts);
// Returns the bytes of a file of this kind.
[[nodiscard]] std::string draw_dot_plot(plot_kind kind, const dot_plot& plot, const dot_texts& texts);

} // namespace weft::files
