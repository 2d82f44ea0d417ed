// Tests files that are given under two names, control characters in names, and the examples of the help.
#include <cli/flags.hpp>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <test_paths.hpp>
#include <unistd.h>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

// Runs a shell line in the folder, in which `text` is a file.
outcome run_in(const scratch_folder& folder, const string& line) {
  return shell("cd '" + (folder / "") + "' && " + line);
}

TEST(front_door, two_outputs_that_are_one_file_are_refused_before_anything_is_written) {
  for (const string& line : {
           string("weft sa text -o x.npy --lcp ./x.npy"),
           string("weft sa text -o x.npy --lcp \"$PWD/x.npy\""),
           string("weft sa text -o sub/../x.npy --lcp x.npy"),
           string("weft sa text -o link --lcp target"), // the link leads to a file that does not exist yet
           string("weft sa text -o link --lcp chain"),  // and a link to this link
           string("weft sa text -o folder/x.npy --lcp sub/x.npy"), // a link to the folder
           string("weft sa text -o old --lcp hard"),
           string("weft sa text -o - --lcp /dev/stdout | cat"),
           string("weft sa text -o /dev/stdout --lcp /dev/fd/1 | cat"),
           string("weft sa text -o /dev/fd/3 --lcp /dev/fd/4 3>both 4>&3; rm both"),
           string("weft lcs a.fa b.fa -o p.svg --plot ./p.svg"),
           string("weft lcs a.fa b.fa --plot out.svg >out.svg; rm out.svg"),
           string("weft bwt text --raw -o /dev/stdout | cat"),
           string("weft bwt text --raw -o out >out; rm out"),
           string("weft bwt text --stats -o /dev/stdout | cat"),
       }) {
    const scratch_folder folder;
    folder.put("text", "mississippi");
    folder.put("a.fa", ">a\nACGT\n");
    folder.put("b.fa", ">b\nACCT\n");
    folder.put("old", "before");
    ASSERT_EQ(
        run_in(folder, "ln old hard; ln -s target link; ln -s link chain; mkdir sub; ln -s sub folder").code,
        0);
    const words before = folder.names();
    const outcome result = run_in(folder, "set -o pipefail; " + line + "; echo code $?");
    EXPECT_TRUE(has(result.err, "same file") || has(result.err, "standard output")) << line << result.err;
    EXPECT_TRUE(result.out == "code 2\n" || has(line, "; rm")) << line << result.out;
    EXPECT_EQ(folder.names(), before) << line;
    EXPECT_EQ(file_bytes(folder / "old"), "before") << line;
  }
}

TEST(front_door, an_output_that_is_an_input_is_refused_but_in_sort) {
  for (const string& line : {
           string("weft bwt text -o text"),
           string("weft bwt - -o text <text"),
           string("weft bwt /dev/stdin -o ./text <text"),
           string("weft bwt text -o hard"),
           string("weft bwt link -o text"),
           string("weft bwt text >>text"),
           string("weft lcs --all-pairs a.fa -o link_to_a"),
           string("weft index a.fa -o ./a.fa"),
           string("weft scan motifs a.fa -o motifs"),
           string("weft lcs a.fa a.fa --plot a.fa.svg"),
       }) {
    const scratch_folder folder;
    folder.put("text", "mississippi");
    folder.put("a.fa", ">a\nACGT\n");
    folder.put("motifs", "A-C\n");
    ASSERT_EQ(run_in(folder, "ln text hard; ln -s text link; ln -s a.fa link_to_a; ln -s a.fa a.fa.svg").code,
              0);
    const outcome result = run_in(folder, line);
    EXPECT_EQ(result.code, 2) << line;
    EXPECT_TRUE(has(result.err, "would overwrite the input")) << line << result.err;
    EXPECT_EQ(file_bytes(folder / "text"), "mississippi") << line;
    EXPECT_EQ(file_bytes(folder / "a.fa"), ">a\nACGT\n") << line;
    EXPECT_EQ(file_bytes(folder / "motifs"), "A-C\n") << line;
  }
  const scratch_folder folder;
  folder.put("lines", "b\na\n");
  EXPECT_EQ(run_in(folder, "weft sort lines -o ./lines").code, 0);
  EXPECT_EQ(file_bytes(folder / "lines"), "a\nb\n");
}

TEST(front_door, files_that_differ_are_written) {
  const scratch_folder folder;
  folder.put("text", "mississippi");
  EXPECT_EQ(run_in(folder, "weft sa text -o x.npy --lcp X.npy").code, 0);
  EXPECT_EQ(run_in(folder, "weft sa text -o /dev/null --lcp /dev/null").code, 0);
  EXPECT_EQ(run_in(folder, "weft sa text --lcp y.npy | cmp - x.npy && cmp y.npy X.npy").code, 0);
  EXPECT_EQ(folder.names(), (words{"X.npy", "text", "x.npy", "y.npy"}));
}

// A name with everything that could break a line or a terminal: tab, escape, delete, backslash, and CSI in
// UTF-8 and as a single byte.
const string bad_name = "n\x1b[31m\x7f\\\xc2\x9b"
                        "1\x9b"
                        "2\x01";
const string safe_name = R"(n\x1b[31m\x7f\\\xc2\x9b1\x9b2\x01)";

bool is_printable(const string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n') || (byte >= 0x7f && byte < 0xa0)) return false;
  }
  return true;
}

TEST(front_door, control_characters_of_names_are_escaped_in_every_text_output) {
  const scratch_folder folder;
  folder.put("s.fa", ">" + bad_name + "\nACGTACGTAC\n");
  folder.put("t.fa", ">" + bad_name + "t\nACGTACTTAC\n");
  folder.put("m", "\xc2\x9b\\\tA-C-G\n"); // files of motifs cannot contain the other characters
  folder.put("p", ">" + bad_name + "\nACG\n");
  ASSERT_EQ(run_in(folder, "weft index s.fa -o i.wfi").code, 0);
  for (const string& line : {
           string("weft scan m s.fa"),
           string("weft scan m s.fa --format pff"),
           string("weft scan m s.fa --format scan"),
           string("weft scan m s.fa --format fasta"),
           string("weft scan m s.fa --format bed"),
           string("weft lcs s.fa t.fa"),
           string("weft lcs s.fa t.fa --format lcs"),
           string("weft lcs s.fa t.fa --format paf"),
           string("cat s.fa t.fa >both.fa; weft lcs --all-pairs both.fa"),
           string("weft find i.wfi p"),
           string("weft find i.wfi p --bed"),
           string("weft find i.wfi p --count"),
           string("weft find i.wfi p --max-hits 1"),
       }) {
    const outcome result = run_in(folder, line);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(has(result.out, safe_name)) << line << '\n' << result.out;
    EXPECT_TRUE(is_printable(result.out)) << line << '\n' << result.out;
  }
  for (const string& line :
       {string("weft scan m s.fa --format gff3"), string("weft scan m s.fa --format jsonl"),
        string("weft scan m s.fa --matches count")}) {
    const outcome result = run_in(folder, line);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(is_printable(result.out)) << line << '\n' << result.out;
  }
}

TEST(front_door, control_characters_of_names_are_escaped_in_messages) {
  const scratch_folder folder;
  const string twice = ">" + bad_name + "\nACGT\n";
  folder.put("twice.fa", twice + twice);
  folder.put("bad.fa", ">" + bad_name + "\nAC\x01GT\n");
  folder.put("motifs", bad_name + "\tA-?\n");
  for (const string& line : {string("weft index twice.fa -o i.wfi"), string("weft scan -e A bad.fa"),
                             string("weft scan motifs twice.fa"), string("weft scan -e A $'none\\x1b[2J'"),
                             string("weft scan -e $'\\x1b[2J' twice.fa"), string("weft $'\\x1b[2J'"),
                             string("weft lcs twice.fa twice.fa --a-record $'\\x1b[2J'")}) {
    const outcome result = run_in(folder, line);
    EXPECT_NE(result.err, "") << line;
    EXPECT_TRUE(is_printable(result.err)) << line << '\n' << result.err;
  }
}

// GNU sort prints the line unchanged. weft does the same into a file, but not on a terminal.
TEST(front_door, a_line_out_of_order_is_escaped_on_a_terminal) {
  const scratch_folder folder;
  folder.put("lines", "b\na\x1b[2J\n");
  EXPECT_TRUE(has(weft_run({"sort", "-c", folder / "lines"}).err, "disorder: a\\x1b[2J\n"));
  const outcome shown =
      process({WEFT_PROGRAM, "sort", "-c", folder / "lines"}, "/dev/null", false, true).wait();
  EXPECT_TRUE(has(shown.err, "disorder: a\\x1b[2J")) << shown.err;
}

TEST(front_door, bed_rows_do_not_look_like_headers) {
  const scratch_folder folder;
  folder.put("s.fa", ">#1\nAC\n>track\nAC\n>browser2\nAC\n>x\nAC\n");
  folder.put("m", "A-C\n");
  ASSERT_EQ(run_in(folder, "weft index s.fa -o i.wfi").code, 0);
  for (const char* line :
       {"weft scan m s.fa --format bed | cut -f 1", "weft find i.wfi -e AC --bed | cut -f 1"})
    EXPECT_EQ(run_in(folder, line).out, "\\x231\n\\x74rack\n\\x62rowser2\nx\n") << line;
}

TEST(front_door, pff_of_ordinary_names_is_ps_scans) {
  EXPECT_EQ(shell("printf '>sp|P1|X.1 y\\nMKNGSA\\n' | weft scan -e 'N-{P}-[ST]' - --format pff").out,
            "sp|P1|X.1\t3\t5\tUSER001\t\n");
}

// Sets a limit on the size of files, and writes to a full disk.
TEST(front_door, a_file_that_may_not_grow_is_an_io_error_that_leaves_nothing) {
  const scratch_folder folder;
  string text, records;
  for (int i = 0; i < 4000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  for (int i = 0; i < 40; ++i)
    records += ">r" + std::to_string(i) + "\n" + string(100 + i, "ACGT"[i % 4]) + "\n";
  folder.put("text", text);
  folder.put("r.fa", records);
  ASSERT_EQ(run_in(folder, "weft index r.fa -o i.wfi; weft bwt text -o t.wbwt").code, 0);
  const words before = folder.names();
  for (const char* line :
       {"sort text", "bwt text", "unbwt t.wbwt", "sa text", "index r.fa", "scan -e A r.fa", "find i.wfi -e A",
        "mem i.wfi r.fa", "variants r.fa r.fa", "lcs --all-pairs r.fa", "sa text --lcp lcp.npy"}) {
    const outcome limited = run_in(folder, "ulimit -f 1; weft " + string(line) + " -o out");
    EXPECT_EQ(limited.code, 3) << line << limited.err;
    EXPECT_TRUE(has(limited.err, "cannot write '") && has(limited.err, "File too large"))
        << line << limited.err;
    EXPECT_EQ(folder.names(), before) << line;
    const outcome redirected = run_in(folder, "(ulimit -f 1; weft " + string(line) +
                                                  " >out); code=$?; rm -f lcp.npy out; exit $code");
    EXPECT_EQ(redirected.code, 3) << line << redirected.err;
    const outcome full = run_in(folder, "weft " + string(line) + " -o /dev/full");
    EXPECT_EQ(full.code, 3) << line << full.err;
    EXPECT_TRUE(has(full.err, "No space left")) << line << full.err;
    EXPECT_EQ(folder.names(), before) << line;
  }
  const outcome sorted = run_in(
      folder,
      "for i in 1 2 3 4 5 6 7 8 9; do cat text text text text text; done >long; mkdir temporary; "
      "ulimit -f 16; weft sort -S 64k -T temporary long -o /dev/null; code=$?; ls temporary; exit $code");
  EXPECT_EQ(sorted.code, 3) << sorted.err;
  EXPECT_TRUE(has(sorted.err, "File too large")) << sorted.err;
  EXPECT_EQ(sorted.out, "");
}

// Checks that the closing line reports how many threads worked.
TEST(front_door, the_closing_line_counts_the_threads_that_worked) {
  const scratch_folder folder;
  folder.put("numbers", string(1 << 24, 'x'));
  EXPECT_TRUE(has(shell("weft bwt motifs.txt -v --device cpu | cat").err, ", 1 thread), "));
  EXPECT_TRUE(
      has(run_in(folder, "weft sort --type u64 --engine merge --threads 3 -v numbers -o /dev/null").err,
          ", 3 threads), "));
  EXPECT_TRUE(
      has(run_in(folder, "weft sort --type u64 --engine merge --threads 1 -v numbers -o /dev/null").err,
          ", 1 thread), "));
}

// Checks that work without a known total shows its time, and no speed.
TEST(front_door, progress_without_a_count_shows_time) {
  const scratch_folder folder;
  for (const char* verb : {"bwt", "sa", "unbwt"}) {
    process running({WEFT_PROGRAM, verb, "-", "-o", folder / "out", "--progress", "always"}, "");
    ::usleep(700'000);
    running.write("mississippi");
    running.close_input();
    const outcome result = running.wait();
    EXPECT_TRUE(has(result.err, "\rweft " + string(verb) + ": 0:00\033[K")) << result.err;
    EXPECT_FALSE(has(result.err, ": 0 ")) << result.err;
  }
}

TEST(front_door, one_format_flag_names_the_output_of_every_verb_that_prints) {
  const scratch_folder folder;
  folder.put("text", "mississippi");
  EXPECT_EQ(run_in(folder, "weft bwt text --stats").out,
            "form\tsentinel\nlength\t11\nprimary_index\t5\nsymbols\t4\nruns\t8\nentropy\t1.823068\n");
  const string json =
      R"({"form":"sentinel","length":11,"primary_index":5,"symbols":4,"runs":8,"entropy":1.823068})"
      "\n";
  EXPECT_EQ(run_in(folder, "weft bwt text --stats --format jsonl").out, json);
  EXPECT_EQ(run_in(folder, "weft bwt text --stats --json").out, json);
  EXPECT_EQ(weft_run({"devices", "--format", "jsonl"}).out.front(), '{');
  EXPECT_EQ(weft_run({"devices", "--format", "tsv"}).out.substr(0, 4), "cpu\t");
  expect_failure({"devices", "--format", "tsv", "--json"}, 2, "it cannot be combined with --format tsv");
  expect_failure({"bwt", folder / "text", "--format", "jsonl", "-o", folder / "out"}, 2,
                 "--format can be used only with --stats");
}

// Checks that a text that does not fit in the memory is refused at once, and that the amount that the message
// names is enough.
TEST(front_door, transforms_that_do_not_fit_say_what_they_need) {
  const scratch_folder folder;
  string text;
  std::uint32_t random = 1;
  for (int i = 0; i < 3 << 20; ++i) text += static_cast<char>((random = random * 1664525 + 1013904223) >> 24);
  folder.put("text", text);
  ASSERT_EQ(run_in(folder, "gzip -k text").code, 0);
  for (const string& verb :
       {string("bwt"), string("bwt --form rotation"), string("sa"), string("sa --lcp lcp.npy")}) {
    const string call = "weft " + verb + " --device cpu -o out --memory ";
    const outcome refused = run_in(folder, call + "4M text");
    EXPECT_EQ(refused.code, 4) << verb;
    const std::size_t at = refused.err.find("needs ") + 6;
    string needed =
        // "18 MiB", which is rounded
        refused.err.substr(at, refused.err.find(" of memory for this file", at) - at);
    needed.erase(needed.find(' '), 1);
    EXPECT_TRUE(needed.ends_with("MiB")) << refused.err;
    EXPECT_EQ(run_in(folder, call + std::to_string(std::stoi(needed) + 1) + "M text").code, 0) << refused.err;
    const outcome compressed = run_in(folder, call + "4M text.gz");
    EXPECT_EQ(compressed.code, 4) << verb;
    EXPECT_TRUE(has(compressed.err, "bytes of memory for each byte of input, and --memory is 4M"))
        << compressed.err;
  }
}

// Runs the examples in the order of the table, because those of unbwt, find and info read what earlier ones
// wrote.
TEST(front_door, the_examples_of_the_help_run) {
  const scratch_folder folder;
  ASSERT_EQ(shell("cp " + string(WEFT_EXAMPLE_DATA) + "/* '" + (folder / "") + "'").code, 0);
  for (const cli::verb& known : cli::verbs()) {
    if (known.name != "help") {
      EXPECT_FALSE(known.examples.empty()) << known.name;
    }
    const string text = weft_run({string(known.name), "--help"}).out, page = cli::man_page();
    for (const std::string_view line : cli::example_lines(known)) {
      const outcome result = run_in(folder, "set -eo pipefail; export WEFT_DEVICE=cpu; " + string(line));
      EXPECT_EQ(result.code, 0) << line << '\n' << result.err;
      EXPECT_TRUE(has(text, "\n  " + string(line) + "\n")) << line;
    }
  }
}

} // namespace

} // namespace weft::test
