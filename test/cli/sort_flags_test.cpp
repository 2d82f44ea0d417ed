// Tests the flags of weft sort: those of GNU sort, headers and comma-separated values, and weft called as
// sort.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <weft/io/npy.hpp>

#include "process.hpp"
#include <test_paths.hpp>

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

string sorted(const words& flags, const scratch_folder& folder, const string& text) {
  folder.put("t.txt", text);
  words call = {"sort"};
  call.insert(call.end(), flags.begin(), flags.end());
  call.push_back(folder / "t.txt");
  const outcome result = weft_run(call);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

// A fixture with a link named sort to the program.
struct called_as_sort : testing::Test {
  void SetUp() override { std::filesystem::create_symlink(WEFT_PROGRAM, folder / "sort"); }
  outcome run(const words& flags, const string& input = "/dev/null") const {
    words call = {folder / "sort"};
    call.insert(call.end(), flags.begin(), flags.end());
    return process(call, input).wait();
  }
  scratch_folder folder;
};

TEST(sort_flags, h_is_human_numeric_and_no_help) {
  const scratch_folder folder;
  EXPECT_EQ(sorted({"-h"}, folder, "1M\n2K\n3\n"), "3\n2K\n1M\n");
  EXPECT_EQ(sorted({"-k2,2h"}, folder, "a 1G\nb 1023M\n"), "b 1023M\na 1G\n");
  folder.put("t.txt", "1M\n2K\n");
  EXPECT_EQ(weft_run({"sort", "-h", folder / "t.txt", "-o", folder / "out.txt"}).code, 0);
  EXPECT_EQ(file_bytes(folder / "out.txt"), "2K\n1M\n");
  EXPECT_TRUE(has(weft_run({"sort", "--help"}).out, "usage: weft sort"));
  EXPECT_TRUE(has(weft_run({"scan", "-h"}).out, "usage: weft scan"));
}

TEST(sort_flags, orders_of_gnu_sort) {
  const scratch_folder folder;
  EXPECT_EQ(sorted({"-g"}, folder, "1e2\n2e1\nx\nnan\n"), "x\nnan\n2e1\n1e2\n");
  EXPECT_EQ(sorted({"-V"}, folder, "a10\na9\na9.tar.gz\n"), "a9\na9.tar.gz\na10\n");
  EXPECT_EQ(sorted({"-M"}, folder, "mar\nJAN\nx\nfeb\n"), "x\nJAN\nfeb\nmar\n");
  EXPECT_EQ(sorted({"--sort=gen"}, folder, "1e2\n2e1\n"), "2e1\n1e2\n");
  EXPECT_EQ(sorted({"--p=1", "-rnk2"}, folder, "a 1\nb 2\n"), "b 2\na 1\n");
  const string shuffled = sorted({"-R"}, folder, "a\nb\na\nc\nb\na\n");
  EXPECT_EQ(sorted({"-R"}, folder, "c\nb\nb\na\na\na\n"), shuffled);
  EXPECT_TRUE(has(shuffled, "a\na\na\n") && has(shuffled, "b\nb\n")) << shuffled;
  expect_failure({"sort", "-hn", folder / "t.txt"}, 2, "options '-hn' are incompatible");
  expect_failure({"sort", "--sort=n", "-R", folder / "t.txt"}, 2, "options '-nR' are incompatible");
  expect_failure({"sort", "-o", "x", "-o", "y", folder / "t.txt"}, 2, "multiple output files specified");
  expect_failure({"sort", "--re", folder / "t.txt", "--r"}, 2, "option '--r' is ambiguous");
}

TEST(sort_flags, random_source_sets_the_order) {
  const scratch_folder folder;
  string text;
  for (int i = 0; i < 40; ++i) text += std::to_string(i) + "\n";
  folder.put("seed", "0123456789abcdef");
  folder.put("short", "0123456789");
  const string fixed = sorted({"-R"}, folder, text),
               seeded = sorted({"-R", "--random-source", folder / "seed"}, folder, text);
  EXPECT_NE(fixed, seeded);
  EXPECT_EQ(seeded, sorted({"-R", "--random-source", folder / "seed"}, folder, text));
  expect_failure({"sort", "-R", "--random-source", folder / "short", folder / "t.txt"}, 2, "end of file");
}

TEST(sort_flags, npz_archives_are_no_text) {
  const scratch_folder folder;
  string member = string("PK\3\4") + string(22, '\0') + string("\5\0\0\0", 4) + "a.npy";
  folder.put("a.npz", member + "\n\n");
  folder.put("renamed", member + "\n\n");
  folder.put("t.txt", "b\na\n");
  folder.put("array", io::npy_header({io::element_type::u8, 1}) + "a");
  expect_failure({"sort", folder / "a.npz"}, 2, ".npz archive of arrays");
  expect_failure({"sort", folder / "renamed"}, 2, ".npz archive of arrays");
  expect_failure({"sort", folder / "t.txt", folder / "a.npz"}, 2, ".npz archive of arrays");
  expect_failure({"sort", folder / "t.txt", folder / "array"}, 2, ".npy array, but the other input is text");
}

TEST(sort_flags, arrays_do_not_go_to_a_terminal) {
  const scratch_folder folder;
  folder.put("a.npy", io::npy_header({io::element_type::u8, 2}) + "ba");
  if (!installed("script")) GTEST_SKIP() << "script, which gives a program a terminal, is not installed";
  const outcome refused = shell("script -qec '" WEFT_PROGRAM " sort " + (folder / "a.npy") + "' /dev/null");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.out, "cannot write it to a terminal")) << refused.out;
  folder.put("t.txt", "b\na\n");
  EXPECT_EQ(shell("script -qec '" WEFT_PROGRAM " sort " + (folder / "t.txt") + "' /dev/null").code, 0);
}

// mpirun of Open MPI gives a rank a terminal in place of a pipe, from which it reads what the rank writes.
TEST(sort_flags, a_rank_writes_arrays_to_a_terminal) {
  const scratch_folder folder;
  folder.put("a.npy", io::npy_header({io::element_type::u8, 2}) + "ba");
  const std::filesystem::path plugin =
      std::filesystem::path(WEFT_PROGRAM).parent_path() / "weft_mpi_mpich.so";
  if (!installed("script") || !installed("mpirun.mpich") || !std::filesystem::exists(plugin))
    GTEST_SKIP() << "script, or MPICH and weft's plugin for it, are not installed";
  const outcome sorted =
      shell("mpirun.mpich -n 1 script -qec '" WEFT_PROGRAM " sort " + (folder / "a.npy") + "' /dev/null");
  EXPECT_EQ(sorted.code, 0);
  EXPECT_TRUE(has(sorted.out, "NUMPY") && has(sorted.out, "ab")) << sorted.out;
}

TEST(sort_flags, header_stays_first) {
  const scratch_folder folder;
  EXPECT_EQ(sorted({"--header", "1"}, folder, "name\nb\na\n"), "name\na\nb\n");
  EXPECT_EQ(sorted({"--header=2", "-r"}, folder, "x\na\nb\nc\n"), "x\na\nc\nb\n");
  EXPECT_EQ(sorted({"--header", "3"}, folder, "x\ny"), "x\ny\n");
  folder.put("a", "name\nb\n");
  folder.put("b", "name\na\n");
  folder.put("c", "title\na\n");
  folder.put("empty", "");
  for (const char* merge : {"-s", "-m"})
    EXPECT_EQ(weft_run({"sort", merge, "--header", "1", folder / "a", folder / "b", folder / "empty"}).out,
              "name\na\nb\n");
  expect_failure({"sort", "--header", "1", folder / "a", folder / "c"}, 2, "the header of");
  EXPECT_EQ(weft_run({"sort", "-c", "--header", "1", folder / "b"}).code, 0);
}

TEST(sort_flags, csv_sorts_records_by_columns) {
  const scratch_folder folder;
  const string text =
      "name,size,note\r\n\"b, first\",10,\"two\nlines\"\r\na,9,\"say \"\"x\"\"\"\r\n\"a\",100,5\" disk\r\n";
  EXPECT_EQ(
      sorted({"--csv", "-k", "size:n"}, folder, text),
      "name,size,note\r\na,9,\"say \"\"x\"\"\"\r\n\"b, first\",10,\"two\nlines\"\r\n\"a\",100,5\" disk\r\n");
  EXPECT_EQ(
      sorted({"--csv", "-k", "name", "-k", "2:nr"}, folder, text),
      "name,size,note\r\n\"a\",100,5\" disk\r\na,9,\"say \"\"x\"\"\"\r\n\"b, first\",10,\"two\nlines\"\r\n");
  EXPECT_EQ(sorted({"--csv", "--header", "0", "-t;", "-k", "1"}, folder, "\"b\nx\";1\na;2\n"),
            "a;2\n\"b\nx\";1\n");
  folder.put("t.txt", text);
  expect_failure({"sort", "--csv", "-k", "length", folder / "t.txt"}, 2, "the columns are name, size, note");
  expect_failure({"sort", "--csv", "-k", "4", folder / "t.txt"}, 2, "from 1 to 3");
  folder.put("open.csv", "a\n1\n\"x\ny\n");
  expect_failure({"sort", "--csv", folder / "open.csv"}, 2, "open.csv:3: the quoted field");
  folder.put("zero.csv", string("a\n1\0\n", 5));
  expect_failure({"sort", "--csv", folder / "zero.csv"}, 2, "zero.csv:2: ");
}

// Checks that records with newlines stay intact in temporary files.
TEST(sort_flags, csv_larger_than_memory) {
  const scratch_folder folder;
  string text = "id,note\n", expected = text;
  for (int i = 0; i < 20'000; ++i) {
    text += std::to_string(i * 7919 % 20'000) + ",\"a\nb,\"\n";
    expected += std::to_string(i) + ",\"a\nb,\"\n";
  }
  EXPECT_EQ(sorted({"--csv", "-k", "id:n", "-S", "64K"}, folder, text), expected);
}

TEST(sort_flags, debug_says_c_locale_and_underlines) {
  const scratch_folder folder;
  folder.put("t.txt", "b 2\na\t10x\n");
  const outcome result = weft_run({"sort", "--debug", "-k2,2n", folder / "t.txt"});
  EXPECT_EQ(result.out, "b 2\n  _\n___\na>10x\n  __\n_____\n");
  EXPECT_TRUE(has(result.err, "simple byte comparison, as in the C locale")) << result.err;
  expect_failure({"sort", "--debug", "-o", "x", folder / "t.txt"}, 2,
                 "options '-o --debug' are incompatible");
}

TEST(sort_flags, compress_program) {
  const scratch_folder folder;
  string text;
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i * 7919 % 30'000) + "\n";
  const string expected = sorted({"-n"}, folder, text);
  EXPECT_EQ(sorted({"-n", "-S", "64K", "--compress-program=gzip"}, folder, text), expected);
  EXPECT_EQ(sorted({"-n", "-S", "64K", "--batch-size=2"}, folder, text), expected);
  expect_failure({"sort", "-S", "64K", "--compress-program=no-such-program", folder / "t.txt"}, 3,
                 "couldn't execute compress program 'no-such-program'");
  expect_failure({"sort", "-S", "64K", "--compress-program=false", folder / "t.txt"}, 3,
                 "'false' terminated abnormally");
}

TEST(sort_flags, runs_within_32_open_files) {
  const scratch_folder folder;
  string text;
  for (std::int64_t i = 0; i < 300'000; ++i) text += std::to_string(i * 7919 % 300'000) + "\n";
  folder.put("t.txt", text);
  const string file = folder / "t.txt";
  EXPECT_EQ(shell("ulimit -n 32; weft sort -n -S 64K " + file + " | weft sort -nc && echo sorted").out,
            "sorted\n");
  string parts;
  for (int i = 0; i < 60; ++i) {
    folder.put("p" + std::to_string(i), std::to_string(i) + "\n");
    parts += " " + (folder / ("p" + std::to_string(i)));
  }
  EXPECT_EQ(shell("ulimit -n 32; weft sort -n -m" + parts + " | weft sort -nc && echo sorted").out,
            "sorted\n");
}

TEST(sort_flags, a_line_longer_than_the_buffer) {
  const scratch_folder folder;
  const string line(1'000'000, 'a');
  EXPECT_EQ(sorted({"-S", "1"}, folder, "b\n" + line + "\n"), line + "\nb\n");
}

TEST_F(called_as_sort, exit_codes_and_messages) {
  folder.put("t.txt", "b\na\n");
  EXPECT_EQ(run({folder / "t.txt"}).out, "a\nb\n");
  const outcome disorder = run({"-c", folder / "t.txt"});
  EXPECT_EQ(disorder.code, 1);
  EXPECT_EQ(disorder.err, "sort: " + (folder / "t.txt") + ":2: disorder: a\n");
  folder.put("odd.txt", "b\na\x1b[2J\n");
  // the output is no terminal: as GNU sort
  EXPECT_TRUE(has(run({"-c", folder / "odd.txt"}).err, "disorder: a\x1b[2J\n"));
  const outcome missing = run({folder / "none"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(missing.err, "sort: cannot read: " + (folder / "none") + ": No such file or directory\n");
  EXPECT_EQ(run({"-o", "/dev/full", folder / "t.txt"}).code, 2);
  EXPECT_EQ(weft_run({"sort", folder / "none"}).code, 3);
}

// Checks that the messages are those of GNU sort 9.1 in the C locale.
TEST_F(called_as_sort, usage_errors_are_those_of_gnu_sort) {
  const string help = "\nTry 'sort --help' for more information.\n";
  const auto fails = [&](const words& flags, const string& message) {
    const outcome result = run(flags);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, "sort: " + message);
  };
  fails({"--foo=1"}, "unrecognized option '--foo=1'" + help);
  fails({"-rQ"}, "invalid option -- 'Q'" + help);
  fails({"--re", "--r"},
        "option '--r' is ambiguous; possibilities: '--random-sort' '--random-source' '--reverse'" + help);
  fails({"--debug=1"}, "option '--debug' doesn't allow an argument" + help);
  fails({"--key"}, "option '--key' requires an argument" + help);
  fails({"-nk"}, "option requires an argument -- 'k'" + help);
  fails({"--check=x"}, "invalid argument 'x' for '--check'\nValid arguments are:\n  - 'quiet', 'silent'\n  - "
                       "'diagnose-first'" +
                           help);
  const outcome batch = run({"--batch-size=99999999999999999999"});
  EXPECT_TRUE(has(batch.err, "sort: --batch-size argument '99999999999999999999' too large\n"
                             "sort: maximum --batch-size argument with current rlimit is "))
      << batch.err;
  folder.put("a", "");
  folder.put("names", (folder / "a") + '\0' + (folder / "a") + '\0');
  fails({"-C", "--files0-from", folder / "names"},
        "extra operand '" + (folder / "a") + "' not allowed with -C\n");
}

TEST_F(called_as_sort, y_is_ignored_with_its_number) {
  folder.put("t.txt", "b\na\n");
  EXPECT_EQ(run({"-y", "100", folder / "t.txt"}).out, "a\nb\n");
  EXPECT_EQ(run({"-y100", folder / "t.txt"}).out, "a\nb\n");
  EXPECT_EQ(run({"-ry", folder / "t.txt"}).out, "b\na\n");
  EXPECT_EQ(run({"-y"}).code, 2);
}

// A key that ends before it begins is marked after the blanks at its start.
TEST_F(called_as_sort, debug_marks_a_month_that_ends_before_it_begins) {
  folder.put("t.txt", "a b c d\n");
  EXPECT_EQ(run({"--debug", "-s", "-k", "3.3M,1", folder / "t.txt"}).out,
            "a b c d\n      ^ no match for key\n");
}

TEST_F(called_as_sort, files_are_text_as_they_are) {
  const string array = io::npy_header({io::element_type::u8, 2}) + "b\na\n";
  folder.put("a.npy", array);
  EXPECT_EQ(run({"-s", "-k99", folder / "a.npy"}).out, array);
  EXPECT_EQ(
      shell("printf 'b\\na\\n' | gzip -c | " + (folder / "sort") + " -s -k99 | gzip -dc 2>/dev/null").out,
      "b\na\n");
}

TEST_F(called_as_sort, obsolete_keys) {
  folder.put("t.txt", "b 1\na 2\n");
  setenv("_POSIX2_VERSION", "199209", 1);
  EXPECT_EQ(run({"+1", "-2", folder / "t.txt"}).out, "b 1\na 2\n");
  EXPECT_EQ(run({"+1nr", folder / "t.txt"}).out, "a 2\nb 1\n");
  setenv("_POSIX2_VERSION", "200112", 1);
  EXPECT_EQ(run({"+1", folder / "t.txt"}).code, 2); // +1 is a file name here
  EXPECT_EQ(run({"+1", "-2", folder / "t.txt"}).out, "b 1\na 2\n");
  unsetenv("_POSIX2_VERSION");
}

} // namespace
} // namespace weft::test
