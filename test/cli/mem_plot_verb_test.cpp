// Tests weft mem --plot: the three kinds of files, and the page in a browser.
#include <algorithm>
#include <gtest/gtest.h>
#include <weft/files/plot/picture.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

string some_bases(std::size_t length, unsigned seed) {
  string bases;
  for (std::size_t i = 0; i < length; ++i) bases += "ACGT"[(seed = seed * 1664525 + 1013904223) >> 30];
  return bases;
}

// Genomes of 20 kb; the region from 5 to 10 kb is inverted in the query.
class mem_plot : public testing::Test {
protected:
  void SetUp() override {
    const string a = some_bases(20'000, 7);
    string middle = a.substr(5'000, 5'000);
    std::reverse(middle.begin(), middle.end());
    for (char& base : middle) base = "TGCA"[string("ACGT").find(base)];
    folder.put("a.fa", ">a</script>\n" + a + "\n");
    folder.put("b.fa", ">b\n" + a.substr(0, 5'000) + middle + a.substr(10'000) + "\n");
  }
  [[nodiscard]] outcome run(const words& more) const {
    words all{"mem", folder / "a.fa", folder / "b.fa", "--both-strands", "-l", "100"};
    all.insert(all.end(), more.begin(), more.end());
    return weft_run(all);
  }
  scratch_folder folder;
};

TEST_F(mem_plot, inversion_descends_and_the_table_is_unchanged) {
  const outcome result = run({"--plot", folder / "p.svg"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, run({}).out);
  const string svg = file_bytes(folder / "p.svg");
  const std::size_t reverse = svg.find("stroke=\"#d55e00\"");
  ASSERT_NE(reverse, string::npos);
  // 760 pixels represent 20,000 bases; the origin is at (110, 830).
  EXPECT_TRUE(has(svg, "M300.0 450.0L490.0 640.0\" fill=\"none\" stroke=\"#d55e00\"")) << svg;
  EXPECT_TRUE(has(svg, ">forward strand: 2<") && has(svg, ">reverse strand: 1<"));
}

TEST_F(mem_plot, variants_draws_blocks_in_the_colours_of_their_kinds) {
  const words given{"variants", folder / "a.fa", folder / "b.fa", "-q"};
  words plotted = given;
  plotted.insert(plotted.end(), {"--plot", folder / "v.svg"});
  const outcome result = weft_run(plotted);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, weft_run(given).out);
  const string svg = file_bytes(folder / "v.svg");
  EXPECT_TRUE(has(svg, "M300.0 450.0L490.0 640.0\" fill=\"none\" stroke=\"#d55e00\"")) << svg;
  EXPECT_TRUE(has(svg, ">collinear: 2<") && has(svg, ">inverted: 1<") && has(svg, ">duplicated: 0<"));
}

TEST_F(mem_plot, png_has_a_signature_and_a_size) {
  if (!files::has_png()) {
    expect_failure({"mem", folder / "a.fa", folder / "b.fa", "--plot", folder / "p.png"}, 2,
                   "without libpng");
    GTEST_SKIP() << "built without libpng";
  }
  ASSERT_EQ(run({"--plot", folder / "p.png"}).code, 0);
  const string bytes = file_bytes(folder / "p.png");
  ASSERT_GT(bytes.size(), 100U);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(16, 8), string("\0\0\x04\xce\0\0\x03\x89", 8)); // 1230 x 905 pixels
}

TEST_F(mem_plot, errors_leave_nothing) {
  for (const string name : {"p.pdf", "p.gif", "svg"}) {
    const outcome result = run({"--plot", folder / name});
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(has(result.err, ".svg, .png or .html")) << result.err;
  }
  EXPECT_EQ(run({"--plot", folder / "p.svg", "--plot", folder / "no/p.html"}).code, 3);
  EXPECT_EQ(folder.names(), (words{"a.fa", "b.fa"}));
}

TEST_F(mem_plot, page_shows_what_a_link_asks_for_and_zooms) {
  if (!installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  ASSERT_EQ(run({"--plot", folder / "p.html"}).code, 0);
  const auto expect_shown = [&](const string& fragment, const string& more, const string& text) {
    folder.put("page.html",
               file_bytes(folder / "p.html") + "<script type=\"module\">" + more + "</script>\n");
    const outcome result =
        browse(folder, "page.html", fragment, "--window-size=1200,1000 --enable-logging=stderr");
    EXPECT_EQ(result.code, 0);
    EXPECT_FALSE(has(result.err, "CONSOLE")) << result.err;
    const std::size_t header = std::min(result.out.find("<header>"), result.out.size());
    EXPECT_TRUE(has(result.out, text)) << text << " is not in " << result.out.substr(header, 1500);
  };
  expect_shown("", "", "a.fa 1-20,000; b.fa 1-20,000<");
  expect_shown("#x=6001-7000", "", "a.fa 6,001-7,000; b.fa 8,001-9,000<"); // in the inversion
  expect_shown("#x=101-200&y=51-250", "", "a.fa 101-200; b.fa 51-250<");
  expect_shown("", "document.getElementById('in').click()", "a.fa 5,001-15,000; b.fa 5,001-15,000<");
  expect_shown("", "document.querySelectorAll('input')[1].click()", "data-shown=\"2\"");
}

} // namespace

} // namespace weft::test
