// The places of domains and of their labels along the line of a sequence. All sizes are in points.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>
#include <weft/files/plot/domain_rows.hpp>

namespace weft::files::detail {

inline constexpr double page_width = 180 / 25.4 * 72, margin = 4;

// The scale of a figure: a position p of a sequence lies at left + p * points_per_residue.
struct residue_scale {
  double left = 0, points_per_residue = 1;

  [[nodiscard]] double x_of(std::uint64_t position) const {
    return left + static_cast<double>(position) * points_per_residue;
  }
};

// A box of a row, from x to x + width. A domain over the origin of a circular sequence has two boxes.
struct placed_box {
  double x, width;
  std::size_t lane;
  const domain* source;
  [[nodiscard]] double middle() const { return x + width / 2; }
  [[nodiscard]] double right() const { return x + width; }
};

// The boxes of a row, and the number of matches whose domains would need a lane beyond the last one.
struct placed_boxes {
  std::vector<placed_box> boxes;
  std::uint64_t hidden_matches = 0;
};

// Returns the boxes of the domains in a row that `is_drawn` accepts, from left to right, each in the first
// lane with enough space.
[[nodiscard]] placed_boxes lay_out_boxes(const domain_row& row, const residue_scale& scale,
                                         const std::function<bool(const domain&)>& is_drawn);

// A label above the boxes of a row.
struct placed_label {
  double left, right; // ends of the text
  double middle;      // middle of the box that the label names
  std::size_t level;  // level above the boxes
  const domain* source;
};

// The space between a label and what is beside it.
inline constexpr double label_space = 1.5;

// Returns true if a label of this width fits inside the box.
[[nodiscard]] inline bool fits_inside(const placed_box& box, double label_width) {
  return label_width + 3 <= box.width;
}

// Returns labels above those boxes of the first lane in which their labels do not fit. Each label is on the
// lowest level where it overlaps neither another label nor the line from another label to its box.
// `width_of_label` returns the width of the label of a domain. `left` is the begin of the lines of sequences.
[[nodiscard]] std::vector<placed_label>
lay_out_labels(const std::vector<placed_box>& boxes, double left,
               const std::function<double(const domain&)>& width_of_label);

} // namespace weft::files::detail
