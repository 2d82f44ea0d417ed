// Tests weft scan --format html: the data of the page, and the page itself in a browser if one is installed.
#include <chrono>
#include <gtest/gtest.h>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;

string between(const string& text, const string& before, const string& behind) {
  const std::size_t begin = text.find(before);
  if (begin == string::npos) return "nothing behind " + before;
  const std::size_t first = begin + before.size();
  return text.substr(first, text.find(behind, first) - first);
}

string data_of(const string& page) {
  return between(page, R"(<script id="data" type="application/json">)", "</script>");
}

const string hostile_name = R"(</script><script>document.title='x'</script><!--"\&amp;)",
             hostile_fasta = ">" + hostile_name + " <b>bold</b>\x01\xff\xc3\xa9\nMNGSA\n>__proto__\nNGS\n";

TEST(scan_page, data_are_rows_of_sequences_that_match) {
  const outcome page =
      shell("weft scan -e GAATTY -e G-A-x-T -e CCCC --alphabet dna dna.fa /dev/null --format html");
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_EQ(page.out.rfind("<!DOCTYPE html>\n", 0), 0U);
  const string rows = R"({"rows":[["sequence","description","length","motif","begin","end","match"],
["d1","",18,0,5,10,"GAATTC",-1,5,10,"GAATTC",1,5,8,"GAAT",-2,7,10,"GAAT"],
["d2","",15,)";
  const string data = data_of(page.out);
  EXPECT_EQ(data.substr(0, rows.size()), rows);
  EXPECT_TRUE(has(data, ",\n\"motifs\":[[0,\"USER001\",\"GAATTY\",\"\",\"GAATTY\",")) << data;
  EXPECT_FALSE(has(data, "CCCC")); // this sequence has no match
  EXPECT_TRUE(has(data, R"("motifs_from":"-e","sequences_from":["dna.fa","null"],"dna":true,)"
                        R"("motifs_searched":3,"sequences":2,"residues":33,"matches":)"))
      << data;
}

TEST(scan_page, is_the_same_to_files_and_pipes_and_of_compressed_files) {
  const scratch_folder folder;
  const string page = shell("weft scan motifs.txt - --format html < proteins.fa").out;
  ASSERT_TRUE(has(page, "\"sequences_from\":[\"standard input\"]"));
  EXPECT_EQ(shell("weft scan motifs.txt - --format html -o '" + (folder / "page") + "' < proteins.fa").out,
            "");
  EXPECT_TRUE(file_bytes(folder / "page") == page);
  EXPECT_TRUE(shell("gzip -c proteins.fa | weft scan motifs.txt - --format html").out == page);
  EXPECT_TRUE(shell("cat proteins.fa | WEFT_CHUNK=1 weft scan motifs.txt - --format html").out == page);
  EXPECT_TRUE(has(shell("weft scan - proteins.fa --format html < motifs.txt").out,
                  "\"motifs_from\":\"standard input\""));
  EXPECT_EQ(shell("weft scan motifs.txt missing.fa --format html -o '" + (folder / "none") + "'").code, 3);
  EXPECT_EQ(folder.names(), std::vector<string>{"page"});
  EXPECT_EQ(shell("weft scan motifs.txt proteins.fa --format html --matches count").code, 2);
}

TEST(scan_page, names_nothing_outside) {
  const string page = shell("weft scan motifs.txt proteins.fa --format html").out;
  for (const char* part : {"http:", "https:", "src=", "url(", "@import", "fetch(", "import("})
    EXPECT_FALSE(has(page, part)) << part;
  EXPECT_TRUE(has(page, "default-src 'none'"));
}

TEST(scan_page, hostile_names_stay_inside_the_data) {
  const scratch_folder folder;
  folder.put("<i>.fa", hostile_fasta);
  folder.put("hostile.txt", "</script><i>\tN-G-S\n");
  const outcome page =
      shell("weft scan '" + (folder / "hostile.txt") + "' '" + (folder / "<i>.fa") + "' --format html");
  EXPECT_EQ(page.code, 0) << page.err;
  const string data = data_of(page.out);
  EXPECT_TRUE(has(data, R"(["\u003c/script>\u003cscript>document.title='x'\u003c/script>\u003c!--\"\\&amp;",)"
                        "\"\\u003cb>bold\\u003c/b>\\u0001\xef\xbf\xbd\xc3\xa9\",5,0,2,4,\"NGS\"],\n"
                        R"(["__proto__","",3,0,1,3,"NGS"])"))
      << data;
  EXPECT_EQ(data.find('<'), string::npos);
  EXPECT_TRUE(data.ends_with("\"}")); // the real end
}

// Checks that the data of the page, parsed by another reader of JSON, agree with the tsv output.
TEST(scan_page, is_json_that_says_what_tsv_says) {
  if (shell("python3 -c 'import json'").code != 0) GTEST_SKIP() << "python3 is not installed";
  const scratch_folder folder;
  folder.put("tsv.py", R"(import json, sys
page = sys.stdin.buffer.read().decode()
data = json.loads(page.split('<script id="data" type="application/json">')[1].split('</script>')[0])
motifs = {m[0]: m for m in data['motifs']}
print('sequence\tbegin\tend\tstrand\tmotif\tname\tmatch')
total = 0
for row in data['rows'][1:]:
  for k in range(3, len(row), 4):
    m, begin, end, match = row[k:k + 4]
    strand, m = ('-', -1 - m) if m < 0 else ('+', m)
    assert 1 <= begin <= end <= row[2]
    total += 1
    print(row[0], begin, end, strand, motifs[m][1] or motifs[m][2], motifs[m][2], match, sep='\t')
assert total == data['matches'] == sum(m[5] for m in data['motifs'])
)");
  const string read = " --format html | python3 '" + (folder / "tsv.py") + "'";
  for (const auto& [arguments, golden] : {std::pair("motifs.txt proteins.fa", "scan_list.tsv"),
                                          {"motifs.dat proteins.fa -q", "scan_prosite.tsv"},
                                          {"-e GAATTY -e G-A-x-T --alphabet dna dna.fa", "scan_dna.tsv"},
                                          {"-e W-W-W-W proteins.fa", "none"}}) {
    const outcome result = shell("weft scan " + string(arguments) + read);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, string(golden) == "none" ? "sequence\tbegin\tend\tstrand\tmotif\tname\tmatch\n"
                                                   : file_bytes(data(golden)))
        << arguments;
  }
}

TEST(scan_page, is_in_help_manual_and_completions) {
  EXPECT_TRUE(has(shell("weft help scan | tr -s ' \\n' ' '").out, "gff3, bed, jsonl, html)"));
  EXPECT_TRUE(has(shell("weft man").out, "jsonl, html)"));
  for (const char* name : {"bash", "zsh", "fish"})
    EXPECT_TRUE(has(shell(string("weft completion ") + name).out, "jsonl html")) << name;
}

// A fixture for pages that Chromium opens without a window. The tests examine the document that Chromium
// makes.
class scan_page_browser : public testing::Test {
protected:
  void SetUp() override {
    if (!installed("chromium")) GTEST_SKIP() << "chromium is not installed";
    folder_.put("try.html", "<p id=there>");
    if (!has(opened("try.html", ""), "id=\"there\"")) GTEST_SKIP() << "chromium opens no files here";
  }

  // Writes a page with the JavaScript `actions` at its end; told() reads the text that its calls of tell(...)
  // print.
  void make(const string& arguments, const string& actions = "") {
    const outcome result = shell("weft scan -q " + arguments + " --format html");
    ASSERT_EQ(result.code, 0) << result.err;
    string page = result.out;
    page.insert(page.rfind("</body>"), "<pre id=\"told\"></pre><script>const tell = (...things) => "
                                       "element('told').append(things.join(' ') + '\\n');\n" +
                                           actions + "</script>");
    folder_.put("page.html", page);
  }
  [[nodiscard]] string opened(const string& name, const string& address,
                              const string& flags = "--virtual-time-budget=5000") const {
    return browse(folder_, name, address, "--window-size=1200,800 " + flags).out;
  }
  // Returns the document at an address, without its data and scripts.
  [[nodiscard]] string document(const string& address = "") const {
    const string all = opened("page.html", address);
    return all.substr(0, all.find("<script id=\"data\""));
  }
  [[nodiscard]] static string told(const string& document) {
    return between(document, "<pre id=\"told\">", "</pre>");
  }
  [[nodiscard]] static string first_row(const string& document) { // the texts of its cells
    string text, row = between(document, "<tr data-match=", "</tr>");
    for (std::size_t at = 0; (at = row.find("<td", at)) != string::npos; ++at)
      text += between(row.substr(at), ">", "</td>") + " ";
    return text;
  }

  scratch_folder folder_;
};

TEST_F(scan_page_browser, shows_what_was_found) {
  make("motifs.txt proteins.fa");
  const string page = document();
  EXPECT_TRUE(has(page, "<title>weft scan: motifs.txt in proteins.fa</title>"));
  EXPECT_TRUE(has(page, "<h1 id=\"title\">motifs.txt in proteins.fa</h1>"));
  const string golden = file_bytes(data("scan_list.tsv"));
  const auto lines = std::count(golden.begin(), golden.end(), '\n') - 1;
  EXPECT_TRUE(has(page, ", " + std::to_string(lines) + " matches; ")) << page;
  EXPECT_FALSE(has(page, "by-strand")); // is for DNA only
  EXPECT_TRUE(has(page, "<b title=\"sequon\n"));
  make("-e GAATTY --alphabet dna dna.fa");
  EXPECT_TRUE(has(document(), "by-strand"));
  make("-e W-W-W-W proteins.fa");
  const string none = document();
  EXPECT_TRUE(has(none, "0 of 0 matches, in 0 sequences"));
  EXPECT_FALSE(has(none, " data-match="));
}

TEST_F(scan_page_browser, an_address_sorts_filters_and_selects) {
  make("-e N-G-S -e A -e G '" + [this] {
    folder_.put("s.fa", ">s10 tenth\nANGSA\n>s9 ninth\nGGGGGGNGS\n>other\nAAA\n");
    return folder_ / "s.fa";
  }() + "'");
  EXPECT_EQ(first_row(document()), "s10 2 4 USER001 N-G-S NGS ");
  const string down = document("#sort=-begin");
  EXPECT_EQ(first_row(down), "s9 8 8 USER003 G G ");
  EXPECT_TRUE(has(between(down, "id=\"by-begin\"", ">"), "aria-sort=\"descending\"")) << down;
  EXPECT_TRUE(has(between(down, "id=\"by-end\"", ">"), "aria-sort=\"none\""));
  EXPECT_EQ(first_row(document("#sort=sequence")), "other 1 1 USER002 A A ");
  EXPECT_EQ(first_row(document("#sort=-sequence&motif=N-G")),
            "s10 2 4 USER001 N-G-S NGS "); // s10 comes before s9
  EXPECT_TRUE(has(document("#filter=ngs%20NINTH"), ">1 of 15 matches, in 1 sequence<"));
  EXPECT_TRUE(has(document("#motif=%3Da"), ">5 of 15 matches, in 2 sequences<"));
  EXPECT_TRUE(has(document("#sequence=nothing"), ">0 of 15 matches, in 0 sequences<"));
  const string selected = document("#select=6");
  EXPECT_EQ(between(selected, "<dd class=\"sequence\">", "<"), "s9 ninth") << selected;
  EXPECT_TRUE(has(selected, "<tr data-match=\"5\" aria-rowindex=\"7\" aria-selected=\"true\">"));
  EXPECT_TRUE(has(selected, "class=\"picked\"")); // its domain is marked
  EXPECT_TRUE(has(document("#select=99&sort=nothing&scale=x"), ">15 of 15 matches, in 3 sequences<"));
}

TEST_F(scan_page_browser, clicks_and_keys_sort_filter_and_select) {
  make("motifs.txt proteins.fa", R"(
const first = () => element('rows').querySelector('[data-match]')?.dataset.match;
const picked = () => `${element('rows').querySelector('[aria-selected=true]')?.dataset.match} ` +
                     `${element('bars').querySelector('b.picked')?.dataset.match}`;
const head = () => element('by-begin').getAttribute('aria-sort');
const press = (pane, key) => element(pane).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
element('by-begin').firstChild.click(); tell(head(), shown.every((m, k) => k === 0 || beginOf[shown[k - 1]] <= beginOf[m]));
element('by-begin').firstChild.click(); tell(head(), shown.every((m, k) => k === 0 || beginOf[shown[k - 1]] >= beginOf[m]));
element('clear').click(); tell(head(), first());
element('rows').querySelectorAll('[data-match]')[2].click(); tell(picked());
element('bars').querySelector('b').click(); tell(picked(), location.hash);
press('list', 'ArrowDown'); tell(picked());
press('list', 'End'); tell(picked() === `${total - 1} ${total - 1}`);
press('list', 'Home'); tell(picked());
press('bars', 'ArrowDown'); tell(sequenceOf[state.select], picked() === `${state.select} ${state.select}`);
press('bars', 'ArrowUp'); tell(sequenceOf[state.select]);
element('legend').querySelector('button').click(); tell(shown.every(m => motifOf[m] === 0), shown.length === motifs[0].count);
element('legend').querySelector('button').click(); tell(shown.length === total);
const box = element('filter'); box.value = 'zinc'; box.dispatchEvent(new Event('input'));
tell(shown.length > 0 && shown.length < total, [...element('rows').querySelectorAll('td.name')].every(td => td.textContent === 'zinc'));
tell(element('count').textContent.startsWith(`${shown.length} of ${total} `), location.hash);
)");
  EXPECT_EQ(told(opened("page.html", "")),
            "ascending true\ndescending true\nnone 0\n2 2\n5 5 #select=6\n6 6\ntrue\n0 0\n1 true\n0\n"
            "true true\ntrue\ntrue true\ntrue #filter=zinc&amp;select=6\n");
}

TEST_F(scan_page_browser, hostile_names_are_text) {
  folder_.put("hostile.fa", hostile_fasta);
  make("-e N-G-S '" + (folder_ / "hostile.fa") + "'",
       "tell(sequences.length, document.title, document.querySelectorAll('td b, td script').length);\n"
       "tell(element('rows').querySelectorAll('td')[0].textContent);\n");
  EXPECT_EQ(told(opened("page.html", "")),
            "2 weft scan: 1 pattern in hostile.fa 0\n"
            "&lt;/script&gt;&lt;script&gt;document.title='x'&lt;/script&gt;&lt;!--\"\\&amp;amp;\n");
}

// This test measures real time, because virtual time shows nothing.
TEST_F(scan_page_browser, a_hundred_thousand_matches_are_quick) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take time of their own";
#endif
  string fasta;
  for (int i = 0; i < 10'000; ++i) fasta += ">s" + std::to_string(i) + "\nNGSANGSA\n";
  folder_.put("many.fa", fasta);
  make("-e N-G-S -e G -e S -e A -e N '" + (folder_ / "many.fa") + "'", R"(
const timed = (what, act) => { const start = performance.now(); act(); tell(what, performance.now() - start < 2000); };
const box = element('filter');
timed('filter', () => { box.value = 's77 ngs'; box.dispatchEvent(new Event('input')); });
tell(element('count').textContent);
timed('sort', () => element('by-match').firstChild.click());
timed('clear', () => element('clear').click());
timed('select', () => change({ select: 70000 }));
tell(element('rows').querySelector('[aria-selected=true]').dataset.match, element('bars').querySelector('b.picked').dataset.match);
tell(document.querySelectorAll('[data-match]').length < 1000);
)");
  const auto start = std::chrono::steady_clock::now();
  const string page = opened("page.html", "", "");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(told(page),
            "filter true\n222 of 100,000 matches, in 111 sequences\nsort true\nclear true\nselect true\n"
            "70000 70000\ntrue\n");
}

TEST_F(scan_page_browser, a_dense_bar_shows_what_is_rare_and_what_is_selected) {
  folder_.put("dense.fa", ">s\n" + string(20'000, 'A') + "C" + string(20'000, 'A') + "\n");
  make("-e A -e C '" + (folder_ / "dense.fa") + "'", R"(
const drawn = () => [...element('bars').querySelectorAll('b')].map(each => Number(each.dataset.match));
const rare = () => drawn().filter(match => motifs[motifOf[match]].name === 'C').length;
tell(total, drawn().length, rare(), element('bars').querySelector('b').title.split('\n').at(-1));
change({ select: 777 });
tell(drawn().includes(777), rare());
)");
  EXPECT_EQ(told(opened("page.html", "")), "40001 300 1 and 133 matches more here\ntrue 1\n");
}

TEST_F(scan_page_browser, scrolling_draws_the_rows_in_view) {
  string fasta;
  for (int i = 0; i < 5'000; ++i) fasta += ">s" + std::to_string(i) + "\nNGSA\n";
  folder_.put("many.fa", fasta);
  make("-e N-G-S '" + (folder_ / "many.fa") + "'", R"(
const last = rows => [...element(rows).children].at(-2).dataset.match; // before what stands for the rows below
for (const id of ['list', 'bars']) {
  element(id).scrollTop = 1e9;
  element(id).dispatchEvent(new Event('scroll')); // a browser's own comes with the next frame, if any
}
tell(last('rows'), last('bars'), document.querySelectorAll('[data-match]').length < 300);
)");
  EXPECT_EQ(told(opened("page.html", "")), "4999 4999 true\n");
}

} // namespace

} // namespace weft::test
