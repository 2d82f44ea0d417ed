#include <weft/files/plot/domain_figure.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <stdexcept>
#include <tuple>
#include <weft/files/formats/scan_formats.hpp>
#include <weft/files/plot/domain_layout.hpp>

namespace weft::files {

using namespace detail;

namespace {

// Sizes are in points.
constexpr double name_size = 7, label_size = 5.5, small_size = 6;
constexpr double max_name_width = 110, gap = 5;
constexpr double box_height = 8, lane_pitch = 10, strand_gap = 2.5, row_gap = 7, label_pitch = 7;

constexpr std::uint32_t line_colour = 0x666666, leader_colour = 0xaaaaaa, grey = 0x8c8c8c,
                        note_colour = 0x555555;

// The colours of Okabe & Ito, which colour-blind readers can distinguish.
constexpr std::array<std::uint32_t, 7> palette = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7,
                                                  0xd55e00, 0x56b4e9, 0xf0e442};
constexpr std::size_t num_styles = 3 * palette.size(); // filled, light, and striped boxes of each colour

std::uint32_t mix(std::uint32_t colour, std::uint32_t with, double part) {
  std::uint32_t result = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double a = colour >> shift & 0xff, b = with >> shift & 0xff;
    result |= static_cast<std::uint32_t>(a + (b - a) * part + 0.5) << shift;
  }
  return result;
}

// Returns true if black text is more legible on this colour than white text.
bool is_light(std::uint32_t colour) {
  return 0.299 * (colour >> 16) + 0.587 * (colour >> 8 & 0xff) + 0.114 * (colour & 0xff) > 140;
}

// The look of the boxes of a motif. Styles from num_styles on are grey.
struct box_style {
  std::uint32_t fill, edge;
  bool striped;
};
box_style style_of(std::size_t number) {
  if (number >= num_styles) return {grey, mix(grey, 0, 0.3), false};
  const std::uint32_t colour = palette[number % palette.size()], edge = mix(colour, 0, 0.3);
  return number / palette.size() == 1 ? box_style{mix(colour, 0xffffff, 0.7), edge, false}
                                      : box_style{colour, edge, number >= 2 * palette.size()};
}

// A domain_drawing draws the figure from top to bottom; y_ is the end of the part that is drawn.
class domain_drawing {
public:
  domain_drawing(const domain_rows& rows, const motif_set& motifs, const domain_choices& chosen_by)
      : rows_(rows), motifs_(motifs), chosen_by_(chosen_by), dna_(motifs.syntax().alphabet == alphabet::dna) {
    result_.drawn.width = page_width;
    result_.drawn.title = "Matches of motifs in sequences";
  }

  domain_figure draw() {
    choose_styles();
    choose_columns();
    for (const domain_row& row : rows_.rows) draw_row(row);
    draw_ruler();
    draw_legend();
    draw_notes();
    result_.drawn.height = y_ + margin;
    return std::move(result_);
  }

private:
  void choose_styles();
  void choose_columns();
  void draw_row(const domain_row& row);
  std::vector<placed_box> boxes_of(const domain_row& row, strand on);
  void draw_boxes(const std::vector<placed_box>& boxes, double base, double direction, double right);
  void draw_box(const rectangle& at, box_shape shape, std::size_t style, const std::string& title, int group);
  void draw_label_beside(const std::vector<placed_box>& boxes, std::size_t i, const rectangle& at,
                         double right);
  void draw_labels(const std::vector<placed_label>& labels, double top);
  void draw_ruler();
  void draw_legend();
  void draw_notes();

  [[nodiscard]] std::string title_of(const domain& each) const;
  [[nodiscard]] std::string length_text(std::uint64_t length) const {
    return fmt::format("{} {}", grouped(length), dna_ ? "bp" : "aa");
  }
  [[nodiscard]] std::string motif_text(std::uint32_t k) const {
    return shown_name(label(motifs_.motifs()[k]), 24);
  }
  [[nodiscard]] double label_width(const domain& each) const {
    return text_width(motif_text(each.motif), label_size);
  }
  void line(point from, point to, std::uint32_t colour, double width) {
    result_.drawn.shapes.emplace_back(figure_line{from, to, colour, width});
  }
  void write(point at, std::string text, double size, anchor where = anchor::begin,
             std::uint32_t colour = text_colour) {
    result_.drawn.shapes.emplace_back(figure_text{at, std::move(text), size, where, colour});
  }

  const domain_rows& rows_;
  const motif_set& motifs_;
  const domain_choices& chosen_by_;
  bool dna_;
  std::vector<std::uint32_t> drawn_motifs_; // motifs that have a style of their own, in the order of the set
  std::map<std::uint32_t, std::size_t> styles_;    // the style of each motif that is drawn
  std::map<std::uint32_t, std::uint64_t> matches_; // the number of matches of each motif that is drawn
  std::vector<std::string> names_;                 // the shown names of the rows
  residue_scale scale_;
  double y_ = margin;
  std::uint64_t longest_ = 1, hidden_ = 0; // longest_: residues of the longest sequence; hidden_: matches in
                                           // lanes beyond the last one
  domain_figure result_;
};

void domain_drawing::choose_styles() {
  for (const domain_row& row : rows_.rows)
    for (const domain& each : row.domains) matches_[each.motif] += each.matches;
  for (const auto& [motif, count] : matches_) drawn_motifs_.push_back(motif);
  if (drawn_motifs_.size() > num_styles) {
    std::stable_sort(drawn_motifs_.begin(), drawn_motifs_.end(),
                     [this](std::uint32_t a, std::uint32_t b) { return matches_[a] > matches_[b]; });
    drawn_motifs_.resize(num_styles);
    std::sort(drawn_motifs_.begin(), drawn_motifs_.end());
  }
  for (const auto& [motif, count] : matches_) styles_[motif] = num_styles;
  for (std::size_t i = 0; i < drawn_motifs_.size(); ++i) styles_[drawn_motifs_[i]] = i;
}

// Sets the columns: names are on the left, lengths on the right, and the space between them is the width of
// the longest sequence.
void domain_drawing::choose_columns() {
  double names = 0, lengths = 0;
  for (const domain_row& row : rows_.rows) {
    std::size_t letters = 60;
    std::string name = shown_name(row.name, letters);
    while (text_width(name, name_size) > max_name_width && letters > 6)
      name = shown_name(row.name, --letters);
    names = std::max(names, text_width(name, name_size));
    names_.push_back(std::move(name));
    lengths = std::max(lengths, text_width(length_text(row.length), small_size));
    longest_ = std::max(longest_, row.length);
  }
  scale_.left = margin + names + gap;
  scale_.points_per_residue =
      (page_width - margin - lengths - gap - scale_.left) / static_cast<double>(longest_);
}

void domain_drawing::draw_labels(const std::vector<placed_label>& labels, double top) {
  for (const placed_label& each : labels) {
    const double base = top - 1.8 - static_cast<double>(each.level) * label_pitch;
    if (each.level > 0) line({each.middle, base + 1.6}, {each.middle, top}, leader_colour, 0.3);
    write({(each.left + each.right) / 2, base}, motif_text(each.source->motif), label_size, anchor::middle);
  }
}

void domain_drawing::draw_box(const rectangle& at, box_shape shape, std::size_t number,
                              const std::string& title, int group) {
  const box_style style = style_of(number);
  result_.drawn.shapes.emplace_back(figure_box{at, shape, style.fill, style.edge, title, group});
  if (!style.striped) return;
  const double band = at.height / 3,
               inset = shape == box_shape::rounded ? 0 : std::min(at.width, 0.6 * at.height) / 2;
  const rectangle stripe{at.x + (shape == box_shape::left_arrow ? inset : 0), at.y + band, at.width - inset,
                         band};
  result_.drawn.shapes.emplace_back(figure_box{stripe, box_shape::rounded, 0xffffff, 0xffffff, title, group});
}

std::string domain_drawing::title_of(const domain& each) const {
  const motif& m = motifs_.motifs()[each.motif];
  std::string text = motif_text(each.motif);
  if (m.name != label(m)) text += " " + shown_name(m.name, 60);
  if (each.matches > 1) text += fmt::format(": {} matches in", grouped(each.matches));
  text += fmt::format("{} {}-{}", each.matches > 1 ? "" : ":", grouped(each.begin + 1), grouped(each.end));
  if (dna_) text += each.strand == strand::reverse ? ", reverse strand" : ", forward strand";
  return text;
}

// Writes the label of a box in the box, or to the right of it in its lane, if there is enough space before
// `right`. Labels above boxes are written by draw_labels().
void domain_drawing::draw_label_beside(const std::vector<placed_box>& boxes, std::size_t i,
                                       const rectangle& at, double right) {
  const placed_box& box = boxes[i];
  const std::string text = motif_text(box.source->motif);
  const double base = at.y + at.height / 2 + label_size * 0.36;
  if (fits_inside(box, label_width(*box.source))) {
    const box_style style = style_of(styles_[box.source->motif]);
    write({box.middle(), base}, text, label_size, anchor::middle,
          style.striped || is_light(style.fill) ? text_colour : 0xffffff);
    return;
  }
  if (!dna_ && box.lane == 0) return;
  const double begin = box.right() + label_space, end = begin + text_width(text, label_size) + label_space;
  const bool free =
      std::none_of(boxes.begin() + static_cast<std::ptrdiff_t>(i) + 1, boxes.end(),
                   [&](const placed_box& next) { return next.lane == box.lane && next.x < end; });
  if (free && end < right) write({begin, base}, text, label_size);
}

// Draws the boxes of a row. The middle of the first lane is at `base`; the next lanes follow in `direction`,
// -1 (up) or 1 (down).
void domain_drawing::draw_boxes(const std::vector<placed_box>& boxes, double base, double direction,
                                double right) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const placed_box& box = boxes[i];
    const rectangle at{box.x, base + direction * static_cast<double>(box.lane) * lane_pitch - box_height / 2,
                       box.width, box_height};
    const box_shape shape = !dna_                                   ? box_shape::rounded
                            : box.source->strand == strand::reverse ? box_shape::left_arrow
                                                                    : box_shape::right_arrow;
    draw_box(at, shape, styles_[box.source->motif], title_of(*box.source),
             static_cast<int>(styles_[box.source->motif]));
    draw_label_beside(boxes, i, at, right);
  }
}

// Returns the boxes of the domains of DNA on one strand, or of all domains of a protein, and counts the
// hidden matches.
std::vector<placed_box> domain_drawing::boxes_of(const domain_row& row, strand on) {
  placed_boxes placed =
      lay_out_boxes(row, scale_, [&](const domain& each) { return !dna_ || each.strand == on; });
  hidden_ += placed.hidden_matches;
  return std::move(placed.boxes);
}

void domain_drawing::draw_row(const domain_row& row) {
  const std::vector<placed_box> boxes = boxes_of(row, strand::forward),
                                reverse = dna_ ? boxes_of(row, strand::reverse) : std::vector<placed_box>();
  std::vector<placed_label> labels;
  if (!dna_)
    labels = lay_out_labels(boxes, scale_.left, [this](const domain& each) { return label_width(each); });
  const auto lanes = [](const std::vector<placed_box>& placed) {
    std::size_t count = 0;
    for (const placed_box& box : placed) count = std::max(count, box.lane + 1);
    return static_cast<double>(count);
  };
  double levels = 0;
  for (const placed_label& each : labels) levels = std::max(levels, static_cast<double>(each.level + 1));
  const double above = dna_ ? std::max(box_height / 2, lanes(boxes) * lane_pitch + strand_gap)
                            : box_height / 2 + levels * label_pitch + 1.5,
               below = dna_ ? std::max(box_height / 2, lanes(reverse) * lane_pitch + strand_gap)
                            : box_height / 2 + std::max(0.0, lanes(boxes) - 1) * lane_pitch;
  const double middle = y_ + above;
  y_ = middle + below + row_gap;
  write({scale_.left - gap, middle + name_size * 0.36},
        names_[static_cast<std::size_t>(&row - rows_.rows.data())], name_size, anchor::end);
  line({scale_.left, middle}, {scale_.x_of(row.length), middle}, line_colour, 1);
  write({scale_.x_of(row.length) + gap, middle + small_size * 0.36}, length_text(row.length), small_size,
        anchor::begin, note_colour);
  if (dna_) {
    draw_boxes(boxes, middle - strand_gap - box_height / 2, -1, scale_.x_of(row.length) + gap);
    draw_boxes(reverse, middle + strand_gap + box_height / 2, 1, scale_.x_of(row.length) + gap);
  } else {
    draw_labels(labels, middle - box_height / 2);
    draw_boxes(boxes, middle, 1, page_width - margin);
  }
}

void domain_drawing::draw_ruler() {
  if (rows_.rows.empty()) return;
  const double right = scale_.x_of(longest_);
  line({scale_.left, y_}, {right, y_}, text_colour, 0.5);
  for (const tick& each : round_ticks(longest_, dna_ ? "b" : "", 8)) {
    const double x = scale_.x_of(each.position);
    line({x, y_}, {x, y_ + 2.5}, text_colour, 0.5);
    write({x, y_ + 9}, dna_ ? each.text : grouped(each.position), small_size, anchor::middle);
  }
  write({(scale_.left + right) / 2, y_ + 17.5}, dna_ ? "position (bases)" : "position (residues)", small_size,
        anchor::middle);
  y_ += 27;
}

// Draws the legend: entries in columns of the same width, as many columns as fit the page.
void domain_drawing::draw_legend() {
  constexpr double swatch = 14, between = 14, pitch = 11;
  std::vector<std::tuple<std::size_t, std::string>> entries; // style and text of each entry
  double widest = 0;
  const auto add = [&](std::size_t style, std::string text) {
    widest = std::max(widest, text_width(text, small_size));
    entries.emplace_back(style, std::move(text));
  };
  for (const std::uint32_t k : drawn_motifs_) {
    const motif& m = motifs_.motifs()[k];
    std::string text = shown_name(label(m), 40);
    if (m.name != label(m)) text += "  " + shown_name(m.name, 60);
    add(styles_[k], fmt::format("{} ({})", text, grouped(matches_[k])));
  }
  if (const std::size_t others = matches_.size() - drawn_motifs_.size(); others > 0) {
    std::uint64_t count = 0;
    for (const auto& [motif, matches] : matches_) count += styles_[motif] == num_styles ? matches : 0;
    add(num_styles, fmt::format("{} other motifs ({})", others, grouped(count)));
  }
  const double available = page_width - 2 * margin, column = swatch + 4 + widest + between;
  const std::size_t columns =
                        std::max<std::size_t>(1, static_cast<std::size_t>((available + between) / column)),
                    lines = (entries.size() + columns - 1) / columns;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [style, text] = entries[i];
    const std::size_t column_index = i / lines, line = i % lines;
    const double x = margin + static_cast<double>(column_index) * column,
                 y = y_ + static_cast<double>(line) * pitch;
    draw_box({x, y, swatch, box_height}, dna_ ? box_shape::right_arrow : box_shape::rounded, style, text,
             static_cast<int>(style));
    write({x + swatch + 4, y + box_height / 2 + small_size * 0.36}, text, small_size);
  }
  y_ += static_cast<double>(lines) * pitch;
}

void domain_drawing::draw_notes() {
  const auto hint = [](std::string_view how) {
    return how.empty() ? std::string() : fmt::format(" ({} chooses)", how);
  };
  const auto add = [this](bool apart, std::string text) {
    if (apart) result_.notes.push_back(text);
    y_ += 8;
    write({margin, y_}, std::move(text), small_size, anchor::begin, note_colour);
  };
  if (rows_.rows.empty()) add(true, "No sequence has a match.");
  if (dna_ && !matches_.empty()) add(false, "Forward strand above the lines, reverse strand below.");
  if (const std::uint64_t count = rows_.sequences_left_out; count > 0)
    add(true, fmt::format("{} more {} {} not drawn{}.", grouped(count),
                          rows_.are_chosen ? "of the chosen sequences"
                          : count == 1     ? "sequence with matches"
                                           : "sequences with matches",
                          count == 1 ? "is" : "are", rows_.are_chosen ? "" : hint(chosen_by_.sequences)));
  if (const std::uint64_t hidden = hidden_ + rows_.matches_left_out; hidden > 0)
    add(true, fmt::format("{} matches of these sequences are not drawn, for want of room{}.", grouped(hidden),
                          hint(chosen_by_.motifs)));
}

} // namespace

domain_figure draw_domains(const domain_rows& rows, const motif_set& motifs,
                           const domain_choices& chosen_by) {
  return domain_drawing(rows, motifs, chosen_by).draw();
}

std::string domain_plot(plot_kind kind, const figure& drawn) {
  switch (kind) {
  case plot_kind::svg:
    return figure_svg(drawn);
  case plot_kind::pdf:
    return figure_pdf(drawn);
  case plot_kind::html:
    return figure_page(drawn);
  default:
    throw std::logic_error("a figure of domains is no PNG");
  }
}

} // namespace weft::files
