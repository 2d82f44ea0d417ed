// Tests the figure of weft scan --plot: the data that are collected for it, and the positions at which they
// are drawn.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <weft/files/plot/domain_figure.hpp>
#include <weft/scan/motif.hpp>

namespace weft::test {

namespace {

using namespace weft::files;
using std::string;

io::sequence_chunk chunk_of(const std::vector<std::pair<string, std::uint64_t>>& records) {
  io::sequence_chunk chunk;
  for (const auto& [name, length] : records) {
    chunk.names.push_back(name);
    chunk.descriptions.emplace_back();
    chunk.residues += string(length, 'A');
    chunk.offsets.push_back(chunk.residues.size());
  }
  return chunk;
}

domain_rows collect(const std::vector<string>& names, const io::sequence_chunk& chunk,
                    const std::vector<scan_match>& matches, std::size_t piece = 1000) {
  domain_collector collector(names);
  const std::span<const scan_match> all = matches;
  for (std::size_t i = 0; i < all.size(); i += piece)
    collector.add(chunk, all.subspan(i, std::min(piece, all.size() - i)));
  collector.end_chunk(chunk);
  return collector.result();
}

string text_of(const domain_rows& rows) {
  string text;
  for (const domain_row& row : rows.rows) {
    text += row.name + " " + std::to_string(row.length) + ":";
    for (const domain& each : row.domains)
      text += " " + std::to_string(each.motif) + (each.strand == strand::forward ? "+" : "-") +
              std::to_string(each.begin) + "-" + std::to_string(each.end) + "x" +
              std::to_string(each.matches);
    text += "|";
  }
  return text;
}

TEST(domain_figure, rows_are_the_chosen_sequences_or_the_first_with_matches) {
  const io::sequence_chunk chunk = chunk_of({{"a", 50}, {"b", 60}, {"c", 70}, {"d", 80}});
  const std::vector<scan_match> matches = {{1, 0, 5, 9}, {1, 2, 6, 30}, {3, 1, 0, 4}};
  for (const std::size_t piece : {1, 2, 3}) {
    EXPECT_EQ(text_of(collect({}, chunk, matches, piece)), "b 60: 0+5-9x1 2+6-30x1|d 80: 1+0-4x1|");
    EXPECT_EQ(text_of(collect({"d", "c", "a"}, chunk, matches, piece)), "a 50:|c 70:|d 80: 1+0-4x1|");
  }
  domain_collector collector({"a", "x", "y"});
  collector.end_chunk(chunk);
  EXPECT_EQ(collector.missing(), (std::vector<string>{"x", "y"}));
}

TEST(domain_figure, what_has_no_row_is_counted) {
  std::vector<std::pair<string, std::uint64_t>> records;
  std::vector<scan_match> matches;
  for (std::uint32_t i = 0; i < 30; ++i) {
    records.emplace_back("s" + std::to_string(i), 10);
    if (i % 5 != 4) matches.push_back({i, 0, 1, 3});
  }
  const domain_rows rows = collect({}, chunk_of(records), matches);
  EXPECT_EQ(rows.rows.size(), 20U);
  EXPECT_EQ(rows.sequences_left_out, 4U);
  std::vector<scan_match> overlapping;
  for (std::uint64_t i = 0; i < 60'000; ++i) overlapping.push_back({0, 0, i, i + 900});
  const domain_rows full = collect({}, chunk_of({{"s", 70'000}}), overlapping);
  EXPECT_EQ(full.rows[0].domains.size() + full.matches_left_out, 60'000U);
  EXPECT_GT(full.matches_left_out, 0U);
}

TEST(domain_figure, notes_say_how_more_is_chosen_if_the_caller_says_it) {
  domain_rows rows;
  rows.rows.push_back({"s", 70, {{0, strand::forward, 3, 9, 1}}});
  rows.sequences_left_out = 1;
  rows.matches_left_out = 2;
  const motif_set motifs({parse_motif("A")});
  EXPECT_EQ(draw_domains(rows, motifs).notes,
            (std::vector<string>{"1 more sequence with matches is not drawn.",
                                 "2 matches of these sequences are not drawn, for want of room."}));
  EXPECT_EQ(draw_domains(rows, motifs, {"--sequence NAME", "--motif ACCESSION"}).notes,
            (std::vector<string>{"1 more sequence with matches is not drawn (--sequence NAME chooses).",
                                 "2 matches of these sequences are not drawn, for want of room (--motif "
                                 "ACCESSION chooses)."}));
}

TEST(domain_figure, matches_that_cannot_be_told_apart_are_one_domain) {
  // A column of the figure has 1,000 bases.
  const std::vector<scan_match> matches = {{0, 0, 0, 6},       {0, 0, 500, 506, strand::reverse},
                                           {0, 0, 900, 906},   {0, 0, 1800, 1806},
                                           {0, 0, 5000, 5006}, {0, 1, 5000, 9000},
                                           {0, 1, 9000, 9006}};
  EXPECT_EQ(text_of(collect({}, chunk_of({{"s", 1'000'000}}), matches)),
            "s 1000000: 0+0-1806x3 0-500-506x1 0+5000-5006x1 1+5000-9000x1 1+9000-9006x1|");
}

motif named(const string& pattern, const string& accession, const string& name, const motif_syntax& syntax) {
  motif result = parse_motif(pattern, syntax);
  result.accession = accession;
  result.name = name;
  return result;
}

motif_set some_motifs(std::size_t count, alphabet letters) {
  const motif_syntax syntax{letters, true, true};
  std::vector<motif> motifs;
  for (std::size_t k = 0; k < count; ++k)
    motifs.push_back(named("A-A", "PS" + std::to_string(10000 + k), "MOTIF_" + std::to_string(k), syntax));
  return motif_set(std::move(motifs), syntax);
}

template <class Shape> std::vector<Shape> shapes_of(const figure& drawn) {
  std::vector<Shape> result;
  for (const auto& shape : drawn.shapes)
    if (const Shape* found = std::get_if<Shape>(&shape)) result.push_back(*found);
  return result;
}

rectangle area_of(const figure_text& text) {
  const double width = text_width(text.text, text.size);
  const double left = text.where == anchor::begin    ? text.at.x
                      : text.where == anchor::middle ? text.at.x - width / 2
                                                     : text.at.x - width;
  return {left, text.at.y - 0.72 * text.size, width, 0.72 * text.size}; // the height of capital letters
}

bool overlap(const rectangle& a, const rectangle& b) {
  constexpr double touch = 1e-6;
  return a.x + a.width > b.x + touch && b.x + b.width > a.x + touch && a.y + a.height > b.y + touch &&
         b.y + b.height > a.y + touch;
}

bool encloses(const rectangle& a, const rectangle& b) {
  return b.x >= a.x && b.x + b.width <= a.x + a.width && b.y >= a.y && b.y + b.height <= a.y + a.height;
}

// Checks that stripes lie in their boxes, as labels may; that nothing else overlaps; and that everything is
// on the page.
void check_layout(const figure& drawn) {
  EXPECT_NEAR(drawn.width, 180 / 25.4 * 72, 1e-9);
  const rectangle page{0, 0, drawn.width, drawn.height};
  const std::vector<figure_text> texts = shapes_of<figure_text>(drawn);
  std::vector<figure_box> boxes = shapes_of<figure_box>(drawn);
  std::erase_if(boxes, [](const figure_box& box) { return box.fill == 0xffffff; }); // removes stripes
  for (std::size_t i = 0; i < texts.size(); ++i) {
    ASSERT_TRUE(encloses(page, area_of(texts[i]))) << texts[i].text;
    for (std::size_t j = 0; j < i; ++j)
      ASSERT_FALSE(overlap(area_of(texts[i]), area_of(texts[j]))) << texts[i].text << ", " << texts[j].text;
    for (const figure_box& box : boxes)
      ASSERT_TRUE(!overlap(area_of(texts[i]), box.at) || encloses(box.at, area_of(texts[i])))
          << texts[i].text << ", " << box.title;
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    ASSERT_TRUE(encloses(page, boxes[i].at)) << boxes[i].title;
    for (std::size_t j = 0; j < i; ++j)
      ASSERT_FALSE(overlap(boxes[i].at, boxes[j].at)) << boxes[i].title << ", " << boxes[j].title;
  }
}

TEST(domain_figure, nothing_overlaps_in_random_figures) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const bool dna = round % 2 == 0;
    const motif_set motifs = some_motifs(1 + random() % 30, dna ? alphabet::dna : alphabet::protein);
    std::vector<std::pair<string, std::uint64_t>> records;
    std::vector<scan_match> matches;
    for (std::uint32_t s = 0; s < 4; ++s) {
      records.emplace_back("sequence_" + string(random() % 40, 'w'), 50 + random() % 3000);
      for (std::uint64_t i = random() % 40; i > 0; --i) {
        const std::uint64_t begin = random() % records[s].second,
                            end = begin + 1 +
                                  random() % std::min<std::uint64_t>(200, records[s].second - begin);
        matches.push_back({s, static_cast<std::uint32_t>(random() % motifs.motifs().size()), begin, end,
                           dna && random() % 2 == 0 ? strand::reverse : strand::forward});
      }
    }
    std::sort(matches.begin(), matches.end());
    const domain_rows rows = collect({}, chunk_of(records), matches);
    const domain_figure figure = draw_domains(rows, motifs);
    ASSERT_NO_FATAL_FAILURE(check_layout(figure.drawn)) << round;
    std::size_t boxes = 0, domains = 0;
    for (const figure_box& box : shapes_of<figure_box>(figure.drawn))
      boxes +=
          // the box has a title with a range; boxes of the legend have none
          box.fill != 0xffffff && box.title.find('-') != string::npos;
    for (const domain_row& row : rows.rows) domains += row.domains.size();
    ASSERT_EQ(boxes, domains);
    ASSERT_TRUE(figure.notes.empty());
  }
}

TEST(domain_figure, boxes_lie_at_their_positions_on_one_scale) {
  const motif_set motifs = some_motifs(2, alphabet::protein);
  const std::vector<scan_match> matches = {{0, 0, 100, 300}, {1, 1, 0, 50}, {1, 1, 450, 500}};
  const figure drawn =
      draw_domains(collect({}, chunk_of({{"long", 1000}, {"short", 500}}), matches), motifs).drawn;
  const std::vector<figure_line> lines = shapes_of<figure_line>(drawn);
  const double left = lines[0].from.x, scale = (lines[0].to.x - left) / 1000;
  const auto expect_at = [&](const figure_box& box, double begin, double end) {
    EXPECT_NEAR(box.at.x, left + begin * scale, 1e-9);
    EXPECT_NEAR(box.at.width, (end - begin) * scale, 1e-9);
  };
  const std::vector<figure_box> boxes = shapes_of<figure_box>(drawn);
  ASSERT_EQ(boxes.size(), 5U); // and two boxes of the legend
  expect_at(boxes[0], 100, 300);
  expect_at(boxes[1], 0, 50);
  expect_at(boxes[2], 450, 500);
  EXPECT_EQ(boxes[0].title, "PS10000 MOTIF_0: 101-300");
  EXPECT_EQ(boxes[1].fill, boxes[2].fill);
  EXPECT_NE(boxes[0].fill, boxes[1].fill);
  EXPECT_EQ(boxes[3].title, "PS10000  MOTIF_0 (1)");
  // The ticks of the ruler are 0, 200, ..., 1,000.
  std::vector<double> ticks;
  for (const figure_line& line : lines)
    if (line.from.x == line.to.x) ticks.push_back(line.from.x);
  ASSERT_EQ(ticks.size(), 6U);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(ticks[static_cast<std::size_t>(i)], left + 200 * i * scale, 1e-9);
}

TEST(domain_figure, strands_of_dna_are_arrows_above_and_below_the_line) {
  const motif_set motifs = some_motifs(1, alphabet::dna);
  const std::vector<scan_match> matches = {{0, 0, 10, 30}, {0, 0, 10, 30, strand::reverse}, {0, 0, 20, 40}};
  const figure drawn = draw_domains(collect({}, chunk_of({{"s", 100}}), matches), motifs).drawn;
  const double line = shapes_of<figure_line>(drawn)[0].from.y;
  const std::vector<figure_box> boxes = shapes_of<figure_box>(drawn);
  EXPECT_EQ(boxes[0].shape, box_shape::right_arrow);
  EXPECT_LT(boxes[0].at.y + boxes[0].at.height, line);
  // it overlaps the first, so it is in the next lane
  EXPECT_LT(boxes[1].at.y + boxes[1].at.height, boxes[0].at.y);
  EXPECT_EQ(boxes[2].shape, box_shape::left_arrow);
  EXPECT_GT(boxes[2].at.y, line);
  EXPECT_EQ(boxes[2].title, "PS10000 MOTIF_0: 11-30, reverse strand");
}

TEST(domain_figure, sites_over_the_origin_have_two_boxes) {
  const motif_set motifs = some_motifs(1, alphabet::dna);
  const figure drawn = draw_domains(collect({}, chunk_of({{"s", 100}}), {{0, 0, 90, 115}}), motifs).drawn;
  const std::vector<figure_box> boxes = shapes_of<figure_box>(drawn);
  const figure_line line = shapes_of<figure_line>(drawn)[0];
  ASSERT_EQ(boxes.size(), 3U);
  EXPECT_NEAR(boxes[0].at.x, line.from.x, 1e-9);
  EXPECT_NEAR(boxes[0].at.width / (line.to.x - line.from.x), 0.15, 1e-9);
  EXPECT_NEAR(boxes[1].at.x + boxes[1].at.width, line.to.x, 1e-9);
  EXPECT_EQ(boxes[0].title, boxes[1].title);
}

TEST(domain_figure, colours_of_21_motifs_differ_and_the_rarest_of_more_are_grey) {
  const motif_set motifs = some_motifs(23, alphabet::protein);
  std::vector<scan_match> matches;
  for (std::uint32_t k = 0; k < 23; ++k)
    for (std::uint64_t i = 0; i < (k == 3 || k == 7 ? 1U : 2U); ++i)
      matches.push_back({0, k, 100 * k + 40 * i, 100 * k + 40 * i + 30});
  const figure drawn = draw_domains(collect({}, chunk_of({{"s", 2300}}), matches), motifs).drawn;
  std::set<std::tuple<std::uint32_t, std::uint32_t, bool>> looks; // the looks of the boxes in the legend
  const std::vector<figure_box> boxes = shapes_of<figure_box>(drawn);
  bool others = false;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].title.find(" (2)") == string::npos || boxes[i].fill == 0xffffff) continue;
    const bool striped = i + 1 < boxes.size() && boxes[i + 1].fill == 0xffffff;
    looks.insert({boxes[i].fill, boxes[i].edge, striped});
    others = others || boxes[i].title == "2 other motifs (2)";
  }
  EXPECT_EQ(looks.size(), 22U);
  EXPECT_TRUE(others);
}

TEST(domain_figure, width_of_text_is_helveticas) {
  EXPECT_NEAR(text_width("Hello", 10), 22.78, 1e-9); // the widths are 722 + 556 + 222 + 222 + 556
  EXPECT_NEAR(text_width("\xc3\xa9", 10), 10, 1e-9);
}

} // namespace

} // namespace weft::test
