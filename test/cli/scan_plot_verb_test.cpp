// Tests weft scan --plot: the three kinds of files, read by other programs, and the page in a browser.
#include <gtest/gtest.h>
#include <weft/files/plot/figure.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

string some_proteins(int count) {
  string records;
  for (int i = 0; i < count; ++i)
    records += ">p" + std::to_string(i) + " about it\n" + string(static_cast<std::size_t>(20 + i), 'L') +
               "NGSG" + string(30, 'L') + "\n";
  return records;
}

class scan_plot_verb : public testing::Test {
protected:
  void SetUp() override {
    folder.put("motifs.txt", "SITE<1>\tN-G-S\nOTHER\tW-W\n");
    folder.put("many.fa", some_proteins(25));
    folder.put("three.fa", some_proteins(3));
    folder.put("dna.fa", ">chr1\nAAAAGAATTCAAAAAAAAAAAAACCCAAA\n");
  }
  [[nodiscard]] outcome scan(const words& more) const {
    words all{"scan"};
    all.insert(all.end(), more.begin(), more.end());
    return weft_run(all);
  }
  void fails(const words& more, int code, const string& message) const {
    const words before = folder.names();
    const outcome result = scan(more);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_TRUE(has(result.err, message)) << result.err;
    EXPECT_EQ(folder.names(), before);
  }
  scratch_folder folder;
};

TEST_F(scan_plot_verb, draws_beside_the_output_which_stays_as_it_is) {
  const outcome plain = scan({folder / "motifs.txt", folder / "three.fa"}),
                result = scan({folder / "motifs.txt", folder / "three.fa", "--plot", folder / "f.svg"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, plain.out);
  EXPECT_EQ(result.err, plain.err);
  const string svg = file_bytes(folder / "f.svg");
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"180.00mm\"", 0), 0U);
  for (const char* part :
       {">p0<", ">p1<", ">p2<", ">56 aa<", "<title>SITE&lt;1&gt;: 21-23</title>",
        "<title>SITE&lt;1&gt;: 23-25</title>", ">SITE&lt;1&gt; (3)<", ">position (residues)<"})
    EXPECT_TRUE(has(svg, part)) << part << " is not in " << svg;
  EXPECT_FALSE(has(svg, "OTHER")); // this motif has no match
  if (installed("python3")) {
    EXPECT_EQ(
        shell("python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' " + (folder / "f.svg"))
            .code,
        0);
  }
}

TEST_F(scan_plot_verb, plot_twice_writes_both) {
  words given{folder / "motifs.txt", folder / "three.fa", "-o", folder / "out"};
  for (const string kind : {"svg", "html", "pdf"}) {
    if (kind == "pdf" && !files::has_pdf()) continue;
    given.insert(given.end(), {"--plot", folder / ("f." + kind)});
  }
  ASSERT_EQ(scan(given).code, 0);
  const string svg = file_bytes(folder / "f.svg"), page = file_bytes(folder / "f.html");
  EXPECT_TRUE(has(page, svg));
  EXPECT_TRUE(has(file_bytes(folder / "out"), "p0\t21\t23\t"));
  for (const char* part : {"http:", "https:", "src=", "url(", "@import"})
    EXPECT_FALSE(has(page.substr(0, page.find("<svg ")) + page.substr(page.find("</svg>")), part)) << part;
  const words files = folder.names();
  fails({folder / "motifs.txt", folder / "three.fa", "--plot", folder / "g.svg", "--plot",
         folder / "no/g.html"},
        3, "no/g.html");
  fails(
      {folder / "motifs.txt", folder / "three.fa", "--plot", folder / "g.svg", "--plot", folder / "./g.svg"},
      2, "same file");
}

TEST_F(scan_plot_verb, pdf_is_read_by_poppler) {
  if (!files::has_pdf()) GTEST_SKIP() << "this weft was built without libharu";
  folder.put("name.fa", ">caf\xc3\xa9_\xe2\x82\xac(1)\nLLNGSLL\n");
  const string pdf = folder / "f.pdf";
  ASSERT_EQ(scan({folder / "motifs.txt", folder / "name.fa", "--plot", pdf}).code, 0);
  const string bytes = file_bytes(pdf);
  EXPECT_EQ(bytes.rfind("%PDF-", 0), 0U);
  ASSERT_EQ(scan({folder / "motifs.txt", folder / "name.fa", "--plot", folder / "again.pdf"}).code, 0);
  EXPECT_TRUE(bytes == file_bytes(folder / "again.pdf"));
  if (!installed("pdftotext")) GTEST_SKIP() << "poppler-utils is not installed";
  const outcome text =
      shell("pdftotext -layout '" + pdf + "' - && pdffonts '" + pdf + "' && pdfinfo '" + pdf + "'");
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part :
       {"caf\xc3\xa9_?(1)", "7 aa", "SITE<1> (1)", "Helvetica", "Pages:           1", "510.2"})
    EXPECT_TRUE(has(text.out, part)) << part << " is not in " << text.out;
}

TEST_F(scan_plot_verb, what_is_not_drawn_is_said) {
  const outcome result = scan({folder / "motifs.txt", folder / "many.fa", "--plot", folder / "f.svg"});
  EXPECT_TRUE(has(result.err, "5 more sequences with matches are not drawn (--sequence NAME chooses)"))
      << result.err;
  EXPECT_TRUE(has(file_bytes(folder / "f.svg"), ">5 more sequences with matches are not drawn"));
  EXPECT_EQ(scan({folder / "motifs.txt", folder / "many.fa", "-q", "--plot", folder / "f.svg"}).err, "");
}

TEST_F(scan_plot_verb, sequence_chooses) {
  folder.put("extra.fa", ">none\nLLLL\n");
  const outcome result = scan({folder / "motifs.txt", folder / "many.fa", folder / "extra.fa", "--sequence",
                               "p24", "--sequence", "none", "--sequence", "p3", "--plot", folder / "f.svg"});
  EXPECT_EQ(result.code, 0);
  const string svg = file_bytes(folder / "f.svg");
  EXPECT_TRUE(has(svg, ">p3<") && has(svg, ">p24<") && has(svg, ">none<") && has(svg, ">4 aa<"));
  EXPECT_FALSE(has(svg, ">p4<") || has(svg, "not drawn"));
  fails({folder / "motifs.txt", folder / "many.fa", "--sequence", "p\x1b", "--plot", folder / "g.svg"}, 2,
        "--sequence p\\x1b: no sequence has this name");
  fails({folder / "motifs.txt", folder / "many.fa", "--sequence", "p1"}, 2, "can be used only with --plot");
}

TEST_F(scan_plot_verb, strands_of_dna_are_apart) {
  ASSERT_EQ(
      scan({"-e", "GAATTC", "-e", "GGG", "--alphabet", "dna", folder / "dna.fa", "--plot", folder / "f.svg"})
          .code,
      0);
  const string svg = file_bytes(folder / "f.svg");
  for (const char* part : {"<title>USER001 GAATTC: 5-10, forward strand</title>",
                           "<title>USER001 GAATTC: 5-10, reverse strand</title>",
                           "<title>USER002 GGG: 24-26, reverse strand</title>",
                           ">Forward strand above the lines, reverse strand below.<", ">29 bp<", ">10 b<"})
    EXPECT_TRUE(has(svg, part)) << part << " is not in " << svg;
}

TEST_F(scan_plot_verb, is_the_same_with_any_chunks_and_threads) {
  ASSERT_EQ(scan({folder / "motifs.txt", folder / "many.fa", "-q", "--plot", folder / "one.svg"}).code, 0);
  ASSERT_EQ(shell("WEFT_CHUNK=1 weft scan '" + (folder / "motifs.txt") + "' '" + (folder / "many.fa") +
                  "' -q -t 2 --plot '" + (folder / "two.svg") + "'")
                .code,
            0);
  EXPECT_TRUE(file_bytes(folder / "one.svg") == file_bytes(folder / "two.svg"));
}

TEST_F(scan_plot_verb, errors_leave_nothing) {
  fails({folder / "motifs.txt", folder / "three.fa", "--plot", folder / "f.png"}, 2, ".svg, .pdf or .html");
  fails({folder / "motifs.txt", folder / "three.fa", "--plot", folder / "f.svg", "--matches", "count"}, 2,
        "--matches count");
  fails({folder / "motifs.txt", folder / "missing.fa", "--plot", folder / "f.svg"}, 3, "missing.fa");
  fails({folder / "motifs.txt", folder / "three.fa", "--plot", folder / "f.svg", "-o", folder / "f.svg"}, 2,
        "same file");
  if (!files::has_pdf())
    fails({folder / "motifs.txt", folder / "three.fa", "--plot", folder / "f.pdf"}, 2, "without libharu");
}

TEST_F(scan_plot_verb, page_tells_what_is_under_the_pointer) {
  if (!installed("chromium")) GTEST_SKIP() << "chromium is not installed";
  folder.put("hostile.fa", ">{{figure}}</title><script>alert(1)</script>\nLLNGSLL\n");
  ASSERT_EQ(scan({folder / "motifs.txt", folder / "hostile.fa", "--plot", folder / "f.html"}).code, 0);
  const string point = "const box = document.querySelector('rect[data-group]');"
                       "box.dispatchEvent(new PointerEvent('pointermove', {bubbles: true}));"
                       "box.dispatchEvent(new MouseEvent('click', {bubbles: true}));";
  folder.put("page.html", file_bytes(folder / "f.html") + "<script>" + point + "</script>\n");
  const outcome result = browse(folder, "page.html", "", "--enable-logging=stderr");
  EXPECT_EQ(result.code, 0);
  EXPECT_FALSE(has(result.err, "CONSOLE")) << result.err;
  EXPECT_TRUE(has(result.out, "role=\"status\">SITE&lt;1&gt;: 3-5</p>")) << result.out;
  EXPECT_TRUE(has(result.out, "class=\"chosen\""));
  EXPECT_TRUE(has(result.out, "{{figure}}&lt;/title&gt;"));
}

} // namespace

} // namespace weft::test
