// Tests weft lcs --plot: the three kinds of files, read by other programs, and the page in a browser.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <test_paths.hpp>
#include <weft/files/plot/picture.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

string record(const string& name, const string& residues) { return ">" + name + "\n" + residues + "\n"; }

string some_bases(std::size_t length, unsigned seed) {
  string bases;
  for (std::size_t i = 0; i < length; ++i) bases += "ACGT"[(seed = seed * 1664525 + 1013904223) >> 30];
  return bases;
}

// Two related texts of 1 kb: 400 shared bases, 100 of A alone, 300 shared, 150 of B alone, and 200 shared. N
// matches nothing.
const string kept = some_bases(900, 1), a_kb = kept.substr(0, 400) + string(100, 'N') + kept.substr(400),
             b_kb = kept.substr(0, 700) + string(150, 'N') + kept.substr(700);

// These functions check the properties of a file of each kind. `matches` is the length of the LCS.
void check_svg(const string& path) {
  const string text = file_bytes(path);
  EXPECT_EQ(text.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0U);
  EXPECT_FALSE(has(text, "nan") || has(text, "inf\""));
  if (installed("python3")) {
    EXPECT_EQ(shell("python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' " + path).code, 0);
  }
}

void check_html(const string& path, std::uint64_t matches) {
  const string text = file_bytes(path);
  EXPECT_EQ(text.rfind("<!DOCTYPE html>", 0), 0U);
  // the page loads nothing from elsewhere
  EXPECT_FALSE(has(text, "src=") || has(text, "href=") || has(text, "url("));
  if (installed("python3")) {
    EXPECT_EQ(
        shell("python3 -c 'import sys, re, json; t = open(sys.argv[1], encoding=\"utf-8\").read(); d = "
              "json.loads("
              "re.search(r\"json\\\">(.*?)</script>\", t, re.S)[1]); print(sum(d[\"pieces\"][4::5]))' " +
              path)
            .out,
        std::to_string(matches) + "\n");
  }
}

void check_png(const string& path) {
  const string bytes = file_bytes(path);
  ASSERT_GT(bytes.size(), 100U);
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(bytes.substr(16, 8), string("\0\0\x04\xb0\0\0\x03\xe8", 8)); // 1200 x 1000 pixels
  EXPECT_EQ(bytes.substr(bytes.size() - 8, 4), "IEND");
}

// Checks files of all kinds, and that --plot does not change what is printed.
void check_all(const words& given) {
  words plain{"lcs", "-q"};
  plain.insert(plain.end(), given.begin(), given.end());
  words length = plain;
  length.emplace_back("--length");
  const std::uint64_t matches = std::stoull(weft_run(length).out);
  const string printed = weft_run(plain).out;
  const scratch_folder folder;
  for (const string kind : {"svg", "html", "png"}) {
    if (kind == "png" && !files::has_png()) continue;
    const string path = folder / ("plot." + kind);
    words all = plain;
    all.insert(all.end(), {"--plot", path});
    const outcome result = weft_run(all);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, printed);
    EXPECT_EQ(result.err, "");
    if (kind == "svg") check_svg(path);
    if (kind == "html") check_html(path, matches);
    if (kind == "png") check_png(path);
  }
}

TEST(lcs_plot_verb, texts_of_1_kb) {
  const scratch_folder folder;
  folder.put("a", record("a", a_kb));
  folder.put("b", record("b", b_kb));
  check_all({folder / "a", folder / "b"});
  check_all({"--by", "byte", folder / "a", folder / "b"});
  check_all({"--by", "line", "old.txt", "new.txt"});
}

TEST(lcs_plot_verb, texts_that_are_empty_equal_or_share_nothing) {
  const scratch_folder folder;
  folder.put("a", record("a", a_kb));
  folder.put("other", record("other", string(50, 'W')));
  check_all({"/dev/null", "/dev/null"});
  check_all({folder / "a", "/dev/null"});
  check_all({"/dev/null", folder / "a"});
  check_all({folder / "a", folder / "a"});
  check_all({folder / "a", folder / "other"});
}

TEST(lcs_plot_verb, mitochondrial_genomes) {
  check_all({WEFT_EXAMPLE_DATA "/mt_human.fa", WEFT_EXAMPLE_DATA "/mt_orang.fa"});
}

TEST(lcs_plot_verb, gaps_are_steps_where_they_are) {
  const scratch_folder folder;
  folder.put("a", record("a", a_kb));
  folder.put("b", record("b", b_kb));
  ASSERT_EQ(weft_run({"lcs", folder / "a", folder / "b", "--plot", folder / "p.svg"}).code, 0);
  // 760 pixels represent 1000 symbols of one text and 1050 of the other; the origin is at (110, 790).
  const string text = file_bytes(folder / "p.svg");
  EXPECT_TRUE(has(text, "M110.0 790.0L414.0 500.5M490.0 500.5L718.0 283.3M718.0 174.8L870.0 30.0\"")) << text;
  EXPECT_TRUE(has(text, "M414.0 500.5L490.0 500.5 490.0 500.5M718.0 283.3L718.0 283.3 718.0 174.8\""))
      << text;
  EXPECT_TRUE(has(text, ">lcs length: 900<"));
  EXPECT_TRUE(has(text, ">1000 b<"));
}

TEST(lcs_plot_verb, any_name_is_escaped) {
  const scratch_folder folder;
  folder.put("a", record("</script><b>&amp;\"'\x01\xff", "ACGT"));
  folder.put("b", record("]]>{{path}}<!--@text@", "ACGT"));
  check_all({folder / "a", folder / "b"});
  ASSERT_EQ(weft_run({"lcs", folder / "a", folder / "b", "--plot", folder / "p.html"}).code, 0);
  const string text = file_bytes(folder / "p.html");
  EXPECT_FALSE(has(text, "</script><b>") || has(text, "<!--@"));
}

TEST(lcs_plot_verb, goes_with_formats_and_output) {
  const scratch_folder folder;
  const outcome result =
      weft_run({"lcs", "a.fa", "b.fa", "--format", "ops", "-o", folder / "ops", "--plot", folder / "p.svg"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(file_bytes(folder / "ops"), file_bytes(data("lcs.ops")));
  check_svg(folder / "p.svg");
  EXPECT_EQ(weft_run({"lcs", "a.fa", "b.fa", "--metric", "edit", "--json", "--plot", folder / "e.svg"}).out,
            weft_run({"lcs", "a.fa", "b.fa", "--metric", "edit", "--json"}).out);
  EXPECT_TRUE(has(file_bytes(folder / "e.svg"), ">edit distance: 6<"));
  EXPECT_EQ(weft_run({"lcs", "a.fa", "b.fa", "--length", "--plot", folder / "l.svg"}).out, "9\n");
  EXPECT_EQ(folder.names(), (words{"e.svg", "l.svg", "ops", "p.svg"}));
}

// Compares texts of 20 kb; the region from 5 to 10 kb is inverted in B.
TEST(lcs_plot_verb, inverted_region_is_drawn_in_a_colour_of_its_own) {
  const scratch_folder folder;
  const string a = some_bases(20'000, 7);
  string middle = a.substr(5'000, 5'000);
  std::reverse(middle.begin(), middle.end());
  for (char& base : middle) base = "TGCA"[string("ACGT").find(base)];
  folder.put("a", record("a", a));
  folder.put("b", record("b", a.substr(0, 5'000) + middle + a.substr(10'000)));
  check_all({folder / "a", folder / "b"});
  ASSERT_EQ(
      weft_run({"lcs", folder / "a", folder / "b", "--plot", folder / "p.svg", "--plot", folder / "p.html"})
          .code,
      0);
  // 760 pixels represent 20,000 bases; the origin is at (110, 790). The line goes down, from (5 kb, 10 kb) to
  // (10 kb, 5 kb).
  const string text = file_bytes(folder / "p.svg");
  EXPECT_TRUE(has(text, "<path d=\"M300.0 410.0L490.0 600.0\" fill=\"none\" stroke=\"#d55e00\"")) << text;
  EXPECT_TRUE(has(
      text, "<path d=\"M110.0 790.0L300.0 600.0M490.0 410.0L870.0 30.0\" fill=\"none\" stroke=\"#56b4e9\""));
  EXPECT_TRUE(has(text, ">forward strand, 15-mers<") && has(text, ">reverse strand, 15-mers<"));
  EXPECT_TRUE(has(file_bytes(folder / "p.html"), "\"k\":15,\"linesFound\":3,\"lines\":[0,5000,0,5000,0,10000,"
                                                 "10000,10000,10000,0,5000,5000,5000,5000,1]"));
}

TEST(lcs_plot_verb, strands_are_for_dna) {
  const scratch_folder folder;
  for (const words& given :
       {words{"proteins.fa", "proteins.fa", "--join"}, words{"--by", "byte", "a.fa", "b.fa"}}) {
    words all{"lcs"};
    all.insert(all.end(), given.begin(), given.end());
    all.insert(all.end(), {"--plot", folder / "p.svg", "--plot", folder / "p.html"});
    ASSERT_EQ(weft_run(all).code, 0);
    EXPECT_FALSE(has(file_bytes(folder / "p.svg"), "strand"));
    EXPECT_TRUE(has(file_bytes(folder / "p.html"), "\"k\":0,\"linesFound\":0,\"lines\":[]"));
  }
}

TEST(lcs_plot_verb, plot_twice_writes_both) {
  const scratch_folder folder;
  const words common{"lcs", "a.fa", "b.fa", "-o", folder / "out"};
  const auto run = [&](const words& plots) {
    words all = common;
    for (const string& name : plots) all.insert(all.end(), {"--plot", name});
    return weft_run(all);
  };
  ASSERT_EQ(run({folder / "one.svg"}).code, 0);
  ASSERT_EQ(run({folder / "one.html"}).code, 0);
  const outcome both = run({folder / "two.svg", folder / "two.html"});
  EXPECT_EQ(both.code, 0) << both.err;
  for (const string kind : {"svg", "html"})
    EXPECT_EQ(file_bytes(folder / ("two." + kind)), file_bytes(folder / ("one." + kind))) << kind;
  // Either all files are written or none.
  EXPECT_EQ(run({folder / "three.svg", folder / "no/three.html"}).code, 3);
  EXPECT_EQ(run({folder / "three.svg", folder / "three.txt"}).code, 2);
  const outcome same = run({folder / "three.svg", folder / "./three.svg"});
  EXPECT_EQ(same.code, 2);
  EXPECT_TRUE(has(same.err, "the same file")) << same.err;
  EXPECT_EQ(folder.names(), (words{"one.html", "one.svg", "out", "two.html", "two.svg"}));
}

TEST(lcs_plot_verb, errors_leave_nothing) {
  const scratch_folder folder;
  const auto fails = [&](const words& more, int code, const string& message) {
    words all{"lcs"};
    all.insert(all.end(), more.begin(), more.end());
    const outcome result = weft_run(all);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_TRUE(has(result.err, message)) << result.err;
    EXPECT_EQ(result.out, "");
  };
  for (const string name : {"p.pdf", "svg", "p.SVG"})
    fails({"no such file", "b.fa", "--plot", name}, 2, ".svg, .png or .html"); // refused before any work
  fails({"a.fa", "b.fa", "--plot", ""}, 2, "the name given to --plot must not be empty");
  fails({"a.fa", "b.fa", "--plot", "-"}, 2, "same file"); // which is also the output of the record
  fails({"--all-pairs", "proteins.fa", "--plot", folder / "p.svg"}, 2, "--all-pairs");
  fails({"no such file", "b.fa", "--plot", folder / "p.svg"}, 3, "no such file");
  fails({"a.fa", "b.fa", "--plot", folder / "no/p.svg"}, 3, "no/p.svg");
  fails({"a.fa", "b.fa", "--plot", folder / "p.svg", "-o", folder / "p.svg"}, 2, "the same file");
  if (!files::has_png()) fails({"a.fa", "b.fa", "--plot", folder / "p.png"}, 2, "without libpng");
  folder.put("in.svg", record("a", "ACGT"));
  fails({folder / "in.svg", "b.fa", "--plot", folder / "in.svg"}, 2, "would overwrite the input");
  EXPECT_EQ(folder.names(), words{"in.svg"});
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  std::filesystem::create_symlink("/dev/full", folder / "full.svg");
  fails({"a.fa", "b.fa", "--plot", folder / "full.svg"}, 3, "full.svg");
  fails({"a.fa", "b.fa", "--plot", folder / "full.svg", "-o", folder / "out"}, 3, "full.svg");
  fails({"a.fa", "b.fa", "--plot", folder / "p.svg", "-o", "/dev/full"}, 3, "/dev/full");
  EXPECT_EQ(folder.names(), (words{"full.svg", "in.svg"}));
}

class lcs_plot_page : public testing::Test {
protected:
  void SetUp() override {
    if (!installed("chromium")) GTEST_SKIP() << "chromium is not installed";
    folder.put("a", record("</script>a&b", a_kb));
    folder.put("b", record("b", b_kb));
    ASSERT_EQ(weft_run({"lcs", folder / "a", folder / "b", "--plot", folder / "p.html"}).code, 0);
  }
  // Checks the text shown for an address; `more` is a script that is added after the page's own.
  void expect_shown(const string& fragment, const string& more, const string& text) {
    folder.put("page.html", file_bytes(folder / "p.html") +
                                (more.empty() ? "" : "<script type=\"module\">" + more + "</script>\n"));
    const outcome result =
        browse(folder, "page.html", fragment, "--window-size=1200,1000 --enable-logging=stderr");
    EXPECT_EQ(result.code, 0);
    EXPECT_FALSE(has(result.err, "CONSOLE")) << result.err;
    const std::size_t header = std::min(result.out.find("<header>"), result.out.size());
    EXPECT_TRUE(has(result.out, text)) << text << " is not in " << result.out.substr(header, 1500);
  }
  scratch_folder folder;
};

TEST_F(lcs_plot_page, shows_the_path_and_what_a_link_asks_for) {
  expect_shown("", "", "A 1-1,000, B 1-1,050;");
  expect_shown("", "", "<dt>lcs length</dt><dd>900</dd>");
  expect_shown("", "", "<h1>&lt;/script&gt;a&amp;b x b</h1>");
  expect_shown("", "", "</i>reverse strand, 11-mers</span>");
  expect_shown("#x=101-200&y=51-250", "", "A 101-200, B 51-250;");
  expect_shown("#x=601-700", "", "A 601-700, B 496-605;"); // B follows: 501-600, and a margin
  expect_shown("#x=900-100", "", "A 1-1,000, B 1-1,050;");
  expect_shown("#x=1-99999999", "", "A 1-1,000, B ");
}

TEST_F(lcs_plot_page, zooms_moves_and_tells) {
  const string point =
      "const c = document.querySelector('canvas'), r = c.getBoundingClientRect();"
      "const at = (type, x, y, more = {}) => c.dispatchEvent(new PointerEvent(type, {pointerId: 1, "
      "bubbles: true, clientX: r.left + x, clientY: r.top + y, ...more}));"
      "c.setPointerCapture = () => {};";
  expect_shown("", "document.getElementById('in').click()", "A 251-750, B 263-788;");
  expect_shown("#x=101-200&y=51-250", "document.getElementById('reset').click()", "A 1-1,000, B 1-1,050;");
  expect_shown("#x=401-500&y=401-500", "document.getElementById('out').click()", "A 351-550, B 351-550;");
  const auto key = [](const string& name) {
    return "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '" + name + "', bubbles: true}))";
  };
  expect_shown("#x=401-500&y=401-500", key("ArrowRight"), "A 421-520, B 401-500;");
  expect_shown("", key("+"), "A 251-750, B 263-788;");
  expect_shown("", point + "at('pointermove', 84, 300)", "At A 1, B ");
  expect_shown("#x=401-500&y=401-500",
               point + "at('pointerdown', 500, 300); at('pointermove', 600, 300); at('pointerup', 600, 300)",
               "A 391-491");
  expect_shown("",
               point + "at('pointerdown', 84, 8, {shiftKey: true}); at('pointermove', 600, 300); "
                       "at('pointerup', 600, 300)",
               "A 1-4");
  expect_shown("",
               point + "c.dispatchEvent(new WheelEvent('wheel', {clientX: r.left + 84, clientY: r.top + 300, "
                       "deltaY: -300}))",
               "A 1-368, B ");
}

} // namespace

} // namespace weft::test
