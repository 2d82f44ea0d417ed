// Tests the dot plot: what it keeps, the grid of the rest, and where the picture and the page draw segments.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <variant>
#include <weft/files/plot/dot_plot.hpp>

namespace weft::test {

namespace {

using namespace weft::files;
using std::string;

const std::vector<dot_group> strands = {{"forward strand", dot_blue}, {"reverse strand", dot_vermilion}};
const dot_texts texts{"a x b", "a.fa", "b.fa", "matches", {"a note"}};

bool has(const string& text, const string& part) { return text.find(part) != string::npos; }

dot_segment segment(std::uint64_t x, std::uint64_t y, std::uint64_t length, bool reverse = false) {
  return {x, length, y, length, reverse, static_cast<std::uint8_t>(reverse ? 1 : 0)};
}

// A plot of two genomes of 7,600 letters, so that a pixel of the picture has ten.
dot_plot plot_of(const std::vector<dot_segment>& segments) {
  dot_plot plot(strands);
  plot.add_x_record("x1", 7'600);
  plot.add_y_record("y1", 7'600);
  for (const dot_segment& each : segments) plot.add(each);
  return plot;
}

// Returns the lines of a colour that a picture draws with the width of segments.
std::vector<polyline> lines_of(const picture& drawn, std::uint32_t colour) {
  std::vector<polyline> lines;
  for (const auto& shape : drawn.shapes)
    if (const auto* each = std::get_if<strokes>(&shape);
        each != nullptr && each->colour == colour && each->width == 2.5)
      lines.insert(lines.end(), each->lines.begin(), each->lines.end());
  return lines;
}

std::vector<rectangle> dots_of(const picture& drawn, std::uint32_t colour) {
  std::vector<rectangle> dots;
  for (const auto& shape : drawn.shapes)
    if (const auto* each = std::get_if<filled>(&shape); each != nullptr && each->colour == colour)
      dots.insert(dots.end(), each->rectangles.begin(), each->rectangles.end());
  return dots;
}

std::vector<string> captions_of(const picture& drawn) {
  std::vector<string> captions;
  for (const auto& shape : drawn.shapes)
    if (const auto* each = std::get_if<caption>(&shape)) captions.push_back(each->text);
  return captions;
}

TEST(dot_plot, an_inversion_descends_in_a_colour_of_its_own) {
  const dot_plot plot =
      plot_of({segment(0, 0, 1'900), segment(1'900, 1'900, 1'900, true), segment(3'800, 3'800, 3'800)});
  const string svg = draw_dot_plot(plot_kind::svg, plot, texts);
  // 760 pixels represent 7,600 letters; the origin is at (110, 830).
  EXPECT_TRUE(has(svg, "M300.0 450.0L490.0 640.0\" fill=\"none\" stroke=\"#d55e00\"")) << svg;
  EXPECT_TRUE(has(svg, "M490.0 450.0L870.0 70.0M110.0 830.0L300.0 640.0\" fill=\"none\" stroke=\"#1f5fb4\""));
  EXPECT_TRUE(has(svg, ">forward strand: 2<") && has(svg, ">reverse strand: 1<") && has(svg, ">a note<"));
  EXPECT_TRUE(has(svg, ">a.fa: x1<") && has(svg, ">b.fa: y1<") && has(svg, ">a x b<"));
}

TEST(dot_plot, short_segments_are_one_dot_for_each_pixel) {
  std::vector<dot_segment> segments(1'000, segment(1'003, 2'004, 3));
  segments.push_back(segment(1'004, 2'001, 3));
  segments.push_back(segment(5'000, 5'000, 4, true));
  const picture drawn = dot_picture(plot_of(segments), texts);
  EXPECT_TRUE(lines_of(drawn, dot_blue).empty() && lines_of(drawn, dot_vermilion).empty());
  const std::vector<rectangle> forward = dots_of(drawn, dot_blue), reverse = dots_of(drawn, dot_vermilion);
  ASSERT_EQ(forward.size(), 1U);
  EXPECT_NEAR(forward[0].x + forward[0].width / 2, 110 + 100.5, 0.01);
  EXPECT_NEAR(forward[0].y + forward[0].height / 2, 830 - 200.5, 0.01);
  ASSERT_EQ(reverse.size(), 1U);
  EXPECT_NEAR(reverse[0].x + reverse[0].width / 2, 110 + 500.5, 0.01);
}

TEST(dot_plot, borders_and_names_of_records) {
  dot_plot plot(strands);
  plot.add_x_record("chromosome", 7'000);
  plot.add_x_record("plasmid with a long name", 600);
  plot.add_y_record("contig_1", 5'000);
  plot.add_y_record("contig_2", 5'000);
  plot.add(segment(7'000, 5'000, 600));
  const picture drawn = dot_picture(plot, texts);
  const std::vector<string> captions = captions_of(drawn);
  const auto shows = [&](const string& text) {
    return std::find(captions.begin(), captions.end(), text) != captions.end();
  };
  EXPECT_TRUE(shows("chromosome") && shows("contig_1") && shows("contig_2"));
  EXPECT_TRUE(shows("a.fa: 2 records"));
  EXPECT_FALSE(shows("plasmid with a long name"));
  EXPECT_FALSE(shows(""));
  const string svg = svg_image(drawn);
  EXPECT_TRUE(has(svg, "M810.0 70.0L810.0 830.0")) << svg; // 7,000 of 7,600 letters
  EXPECT_TRUE(has(svg, "M110.0 450.0L870.0 450.0")) << svg;
  EXPECT_EQ(lines_of(drawn, dot_blue).size(), 1U);
  EXPECT_NEAR(lines_of(drawn, dot_blue)[0][0].x, 810, 0.01);
  EXPECT_NEAR(lines_of(drawn, dot_blue)[0][0].y, 450, 0.01);
}

TEST(dot_plot, keeps_the_longest_segments_and_marks_the_others) {
  constexpr std::uint64_t count = 300'000, side = 10'000'000;
  dot_plot plot(strands);
  plot.add_x_record("x", side);
  plot.add_y_record("y", side);
  const auto length_of = [](std::uint64_t i) { return 20 + i * 7919 % count; };
  for (std::uint64_t i = 0; i < count; ++i) plot.add(segment(i * 30, i * 29, length_of(i), i % 2 != 0));
  EXPECT_EQ(plot.count(), count);
  EXPECT_EQ(plot.count(0), count / 2);
  const std::vector<dot_segment> kept = plot.longest();
  ASSERT_EQ(kept.size(), dot_plot::max_segments);
  // 7,919 and the number are coprime, so every length from 20 on occurs once.
  for (std::uint64_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i].x_length, 20 + count - 1 - i);
  const dot_grid grid = plot.grid();
  std::set<std::pair<std::uint64_t, std::uint64_t>> kept_begins;
  for (const dot_segment& each : kept) kept_begins.emplace(each.x_begin, each.y_begin);
  for (std::uint64_t i = 0; i < count; ++i) {
    const dot_segment each = segment(i * 30, i * 29, length_of(i), i % 2 != 0);
    if (kept_begins.contains({each.x_begin, each.y_begin})) continue;
    // the two ends of the segment
    const std::uint64_t low = each.y_begin, high = each.y_begin + each.y_length - 1;
    ASSERT_NE(grid.groups_at(each.x_begin / grid.x_cell(), (each.reverse ? high : low) / grid.y_cell()) >>
                      each.group &
                  1,
              0);
    ASSERT_NE(grid.groups_at((each.x_begin + each.x_length - 1) / grid.x_cell(),
                             (each.reverse ? low : high) / grid.y_cell()) >>
                      each.group &
                  1,
              0);
  }
  EXPECT_LT(draw_dot_plot(plot_kind::svg, plot, texts).size(), 8'000'000U);
  const string page = draw_dot_plot(plot_kind::html, plot, texts);
  EXPECT_LT(page.size(), 10'000'000U);
  EXPECT_TRUE(has(page, "\"found\":300000,\"segments\":["));
}

// A picture remains small where every pixel has segments, and a grid whose axis grows keeps its marks.
TEST(dot_plot, grid_grows_with_the_axes) {
  dot_grid grid;
  grid.reserve(1'000, 100);
  EXPECT_EQ(grid.x_cell(), 1U);
  grid.mark(segment(999, 99, 1, true));
  grid.mark(segment(10, 20, 5));
  grid.reserve(1'000, 100'000'000);
  EXPECT_EQ(grid.x_cell(), 1U);
  EXPECT_EQ(grid.y_cell(), 131'072U);
  EXPECT_EQ(grid.groups_at(999, 0), 2);
  for (std::uint64_t x = 10; x < 15; ++x) EXPECT_EQ(grid.groups_at(x, 0), 1) << x;
  EXPECT_EQ(grid.groups_at(15, 0), 0);
  grid.mark(segment(0, 99'999'999, 1));
  EXPECT_EQ(grid.groups_at(0, 99'999'999 / grid.y_cell()), 1);
}

TEST(dot_plot, marks_every_cell_of_a_diagonal) {
  dot_grid grid;
  grid.reserve(15'000, 15'000);
  grid.mark(segment(0, 0, 15'000, true));
  for (std::uint64_t x = 0; x * grid.x_cell() < 15'000; ++x) {
    std::uint8_t column = 0;
    for (std::uint64_t y = 0; y * grid.y_cell() < 15'000; ++y) column |= grid.groups_at(x, y);
    EXPECT_EQ(column, 2) << x;
  }
}

TEST(dot_plot, axes_keep_the_longest_records) {
  dot_axis axis;
  for (std::uint64_t i = 0; i < 25'000; ++i) axis.add("r" + std::to_string(i), i % 100);
  EXPECT_EQ(axis.num_records(), 25'000U);
  EXPECT_EQ(axis.length(), 25'000U / 100 * 4'950);
  const std::vector<dot_record> kept = axis.longest();
  ASSERT_EQ(kept.size(), dot_axis::max_records);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_GE(kept[i].length, 80U);
    if (i > 0) {
      EXPECT_GT(kept[i].begin, kept[i - 1].begin);
    }
  }
  EXPECT_EQ(kept.front().name, "r80");
  EXPECT_EQ(kept.front().begin, 80U * 79 / 2);
}

TEST(dot_plot, refuses_what_is_outside) {
  EXPECT_THROW(dot_plot({}), std::invalid_argument);
  EXPECT_THROW(dot_plot(std::vector<dot_group>(9, strands[0])), std::invalid_argument);
  dot_plot plot = plot_of({});
  EXPECT_NO_THROW(plot.add(segment(7'500, 0, 100)));
  EXPECT_THROW(plot.add(segment(7'501, 0, 100)), std::out_of_range);
  EXPECT_THROW(plot.add(segment(0, 7'601, 0)), std::out_of_range);
  EXPECT_THROW(plot.add({0, 1, 0, 1, false, 2}), std::out_of_range);
}

TEST(dot_plot, plots_without_segments_or_letters) {
  for (const dot_plot& plot : {plot_of({}), dot_plot(strands)})
    for (const plot_kind kind : {plot_kind::svg, plot_kind::html}) {
      const string text = draw_dot_plot(kind, plot, texts);
      EXPECT_FALSE(has(text, "nan\"") || has(text, "inf\""));
      EXPECT_TRUE(has(text, "forward strand"));
    }
}

TEST(dot_plot, page_contains_segments_and_records) {
  const string page =
      draw_dot_plot(plot_kind::html, plot_of({segment(0, 0, 100), segment(200, 300, 400, true)}), texts);
  EXPECT_TRUE(has(page, R"("x":{"name":"a.fa","title":"a.fa: x1","length":7600,"numRecords":1,)"
                        R"("records":[["x1",0,7600]]})"))
      << page.substr(0, 3000);
  EXPECT_TRUE(has(page, R"("groups":[["forward strand","#1f5fb4",1],["reverse strand","#d55e00",1]],)"
                        R"("notes":["a note"],"found":2,"segments":[200,400,300,400,3,0,100,0,100,0])"));
}

} // namespace

} // namespace weft::test
