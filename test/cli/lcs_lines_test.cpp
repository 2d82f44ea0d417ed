// Tests weft lcs --by line and --by word: diffs that patch can apply, what -w and -i ignore, and exit codes.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <test/reference/lcs_reference.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

outcome compare(const scratch_folder& folder, const words& flags, const string& by = "line") {
  words all{"lcs", folder / "a", folder / "b", "--by", by};
  all.insert(all.end(), flags.begin(), flags.end());
  return weft_run(all);
}

// Returns the standard output of weft lcs, which must succeed and print nothing on standard error.
string printed(const scratch_folder& folder, const words& flags, const string& by = "line") {
  const outcome result = compare(folder, flags, by);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

// Returns a diff without the header that names the files.
string hunks(const scratch_folder& folder, words flags = {}) {
  flags.insert(flags.end(), {"--format", "unified"});
  const string diff = printed(folder, flags);
  if (diff.empty()) return diff;
  EXPECT_EQ(diff.rfind("--- " + (folder / "a") + "\n+++ " + (folder / "b") + "\n", 0), 0U) << diff;
  return diff.substr(diff.find('\n', diff.find('\n') + 1) + 1);
}

// Returns the lines of a text. A last line without a newline is kept without it.
words lines_of(const string& text) {
  words lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::uint64_t distance(const words& a, const words& b) {
  return weft_test::lcs_table(std::span<const string>(a), std::span<const string>(b), lcs_metric::lcs)[0][0];
}

// Returns up to `max_lines` lines of a few kinds, with bytes of all kinds; the last line may lack its
// newline.
string random_lines(std::mt19937_64& random, std::size_t max_lines) {
  static const words kinds = {
      "",         "a",           "b",     "-", "+x", "\\ No newline at end of file", "\r", string("\0", 1),
      "\xff\xfe", "@@ -1 +1 @@", "--- a", " "};
  string text;
  for (std::size_t n = random() % (max_lines + 1); n > 0; --n)
    text += kinds[random() % kinds.size()] + (n > 1 || random() % 2 ? "\n" : "");
  return text;
}

TEST(lcs_lines, unified_is_what_patch_applies) {
  if (!installed("patch")) GTEST_SKIP() << "patch is not installed";
  const scratch_folder folder;
  std::mt19937_64 random(1);
  for (int round = 0; round < 40; ++round) {
    const string a = random_lines(random, 12), b = round % 4 ? random_lines(random, 12) : a + "end";
    folder.put("a", a);
    folder.put("b", b);
    folder.put("diff", printed(folder, {"--format", "unified", "-U", std::to_string(round % 5)}));
    if (a == b) continue;
    for (const auto& [from, to, flag] : {std::tuple{"a", b, ""}, std::tuple{"b", a, " -R"}}) {
      const outcome applied = shell("cd " + (folder / ".") + " && patch --binary -s" + flag + " -o made " +
                                    from + " diff && cat made && rm made");
      ASSERT_EQ(applied.code, 0) << applied.err << file_bytes(folder / "diff");
      ASSERT_EQ(applied.out, to) << file_bytes(folder / "diff");
    }
  }
}

TEST(lcs_lines, unified_changes_as_few_lines_as_possible) {
  const scratch_folder folder;
  std::mt19937_64 random(2);
  for (int round = 0; round < 30; ++round) {
    const string a = random_lines(random, 15), b = random_lines(random, 15);
    folder.put("a", a);
    folder.put("b", b);
    std::uint64_t changed = 0;
    for (const string& line : lines_of(hunks(folder)))
      changed += line.front() == '+' || line.front() == '-' ? 1 : 0;
    ASSERT_EQ(changed, distance(lines_of(a), lines_of(b))) << a << "\n--\n" << b;
  }
}

TEST(lcs_lines, unified_syntax) {
  const scratch_folder folder;
  folder.put("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  folder.put("b", "1\n2\n3\n4\nx\n6\n7\n8\n9\n");
  EXPECT_EQ(hunks(folder), "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
  EXPECT_EQ(hunks(folder, {"-U", "0"}), "@@ -5 +5 @@\n-5\n+x\n");
  EXPECT_EQ(hunks(folder, {"--context", "1"}), "@@ -4,3 +4,3 @@\n 4\n-5\n+x\n 6\n");
  EXPECT_EQ(hunks(folder, {"-U", "1000000000"}).substr(0, 16), "@@ -1,9 +1,9 @@\n");
  folder.put("b", "0\n1\n2\n3\n4\n5\n6\n7\n8\n");
  EXPECT_EQ(hunks(folder), "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -6,4 +7,3 @@\n 6\n 7\n 8\n-9\n");
  EXPECT_EQ(hunks(folder, {"-U4"}).substr(0, 16), "@@ -1,9 +1,9 @@\n"); // 8 equal lines join the hunks
  EXPECT_EQ(hunks(folder, {"-U0"}), "@@ -0,0 +1 @@\n+0\n@@ -9 +9,0 @@\n-9\n");
}

TEST(lcs_lines, unified_of_empty_and_equal_files) {
  const scratch_folder folder;
  folder.put("a", "");
  folder.put("b", "x\n");
  EXPECT_EQ(hunks(folder), "@@ -0,0 +1 @@\n+x\n");
  folder.put("a", "x\n");
  EXPECT_EQ(hunks(folder), "");
  folder.put("b", "");
  EXPECT_EQ(hunks(folder), "@@ -1 +0,0 @@\n-x\n");
}

TEST(lcs_lines, a_missing_newline_is_a_difference_in_unified) {
  const scratch_folder folder;
  folder.put("a", "x\ny");
  folder.put("b", "x\ny\n");
  EXPECT_EQ(hunks(folder), "@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n");
  EXPECT_EQ(hunks(folder, {"-w"}), ""); // as diff -w reports
  EXPECT_EQ(printed(folder, {"--format", "ops"}), "2=\n");
  EXPECT_EQ(compare(folder, {"--format", "ops", "--fail-if-different"}).code, 1);
  folder.put("b", "z\ny");
  EXPECT_EQ(hunks(folder), "@@ -1,2 +1,2 @@\n-x\n+z\n y\n\\ No newline at end of file\n");
}

TEST(lcs_lines, unified_quotes_names_as_diff_does) {
  const scratch_folder folder;
  folder.put("a", "");
  for (const auto& [name, quoted] :
       {std::pair{"plain", "plain"}, std::pair{"a b", "a b\""}, std::pair{"t\tn\n", "t\\tn\\n\""},
        std::pair{"\x1b[1m", "\\033[1m\""}, std::pair{"\xc3\xa9", "\\303\\251\""},
        std::pair{"q\"\\", "q\\\"\\\\\""}}) {
    folder.put(name, "x\n");
    const string diff =
        weft_run({"lcs", "--by", "line", "--format", "unified", folder / "a", folder / name}).out;
    EXPECT_TRUE(has(diff, string(quoted) + "\n@@")) << diff;
  }
}

TEST(lcs_lines, ignoring_space_and_case) {
  const scratch_folder folder;
  folder.put("a", "One two\n\tthree\nfour\n");
  folder.put("b", "one two\nth ree \nFOUR\n");
  EXPECT_EQ(printed(folder, {"--length"}), "0\n");
  EXPECT_EQ(printed(folder, {"--length", "-w"}), "1\n");
  EXPECT_EQ(printed(folder, {"--length", "-i"}), "2\n");
  // the lines of A are printed
  EXPECT_EQ(printed(folder, {"--format", "lcs", "-w", "-i"}), "One two\n\tthree\nfour\n");
  EXPECT_EQ(compare(folder, {"-w", "-i", "--format", "unified", "--fail-if-different"}).code, 0);
  EXPECT_EQ(compare(folder, {"-w", "--format", "unified", "--fail-if-different"}).code, 1);
  EXPECT_EQ(hunks(folder, {"-i"}), "@@ -1,3 +1,3 @@\n One two\n-\tthree\n+th ree \n four\n");
}

TEST(lcs_lines, ignoring_space_and_case_as_diff_does) {
  if (!installed("diff")) GTEST_SKIP() << "diff is not installed";
  const scratch_folder folder;
  std::mt19937_64 random(3);
  for (int round = 0; round < 30; ++round) {
    for (const char* name : {"a", "b"}) {
      string text;
      for (std::size_t n = random() % 8; n > 0; --n) text += " \t\v\rabAB\n\n"[random() % 10];
      folder.put(name, text);
    }
    for (const words& flags : {words{}, words{"-w"}, words{"-i"}, words{"-w", "-i"}}) {
      words all = flags;
      all.insert(all.end(), {"--fail-if-different", "--length"});
      string line = "diff -a -q";
      for (const string& flag : flags) line += " " + flag;
      ASSERT_EQ(compare(folder, all).code, shell(line + " " + (folder / "a") + " " + (folder / "b")).code)
          << line << "\n"
          << file_bytes(folder / "a") << "--\n"
          << file_bytes(folder / "b");
    }
  }
}

TEST(lcs_lines, fail_if_different) {
  const scratch_folder folder;
  folder.put("a", "x\n");
  folder.put("b", "y\n");
  for (const char* by : {"line", "word", "byte"}) {
    EXPECT_EQ(compare(folder, {"--length"}, by).code, 0);
    const outcome different = compare(folder, {"--length", "--fail-if-different"}, by);
    EXPECT_EQ(different.code, 1);
    EXPECT_EQ(different.err, "");
  }
  folder.put("b", "x\n");
  for (const char* by : {"line", "word", "byte"})
    EXPECT_EQ(compare(folder, {"--length", "--fail-if-different"}, by).code, 0);
  EXPECT_EQ(weft_run({"lcs", "a.fa", "a.fa", "--fail-if-different"}).code, 0);
  EXPECT_EQ(weft_run({"lcs", "a.fa", "b.fa", "--fail-if-different"}).code, 1);
}

TEST(lcs_lines, words_lie_between_white_space) {
  const scratch_folder folder;
  folder.put("a", "  the quick\nbrown\tfox ");
  folder.put("b", "the brown\r\nFox\n\n");
  EXPECT_EQ(printed(folder, {"--format", "lcs"}, "word"), "the\nbrown\n");
  EXPECT_EQ(printed(folder, {"--format", "lcs", "-i"}, "word"), "the\nbrown\nfox\n");
  EXPECT_EQ(printed(folder, {"--format", "ops"}, "word"), "1=1D1=1D1I\n");
  EXPECT_TRUE(has(printed(folder, {}, "word"), "a_length\t4\n"));
}

TEST(lcs_lines, flags_that_would_be_ignored_are_errors) {
  const words line = {"lcs", "old.txt", "new.txt", "--by", "line"},
              byte = {"lcs", "a.fa", "b.fa", "--by", "byte"};
  const auto with = [](words all, const words& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_failure(with(byte, {"-w"}), 2, "--ignore-all-space can be used only with --by line");
  expect_failure(with(byte, {"-i"}), 2, "--ignore-case can be used only with --by line");
  expect_failure(with(byte, {"--format", "unified"}), 2,
                 "--format unified can be used only with --by "
                 "line");
  expect_failure(with(line, {"-U", "2"}), 2, "--context can be used only with --format unified");
  expect_failure(with(line, {"--format", "unified", "-U", "-1"}), 2, "--context");
  expect_failure(with(line, {"--format", "unified", "--metric", "edit"}), 2, "--metric lcs");
  expect_failure({"lcs", "--all-pairs", "proteins.fa", "--fail-if-different"}, 2,
                 "--fail-if-different cannot be combined with --all-pairs");
}

TEST(lcs_lines, what_does_not_fit_the_memory_allowed_is_refused_at_once) {
  const scratch_folder folder;
  folder.put("a", string(1 << 20, '\n'));
  folder.put("b", "x\n");
  expect_failure({"lcs", "--by", "line", "--memory", "1M", folder / "a", folder / "b"}, 4, "is allowed");
  EXPECT_EQ(printed(folder, {"--memory", "32M", "--length"}), "0\n");
}

} // namespace

} // namespace weft::test
