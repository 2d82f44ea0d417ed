// Tests weft lcs: its formats against golden files, and that edit scripts turn one text into the other.
#include <cctype>
#include <gtest/gtest.h>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

string lcs(const words& given) {
  words all{"lcs", "-q"};
  all.insert(all.end(), given.begin(), given.end());
  const outcome result = weft_run(all);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

// Applies operations such as "3=1D2I1X" to `a`, taking new symbols from `b`. Fails if symbols under = are not
// equal.
template <class Symbols>
void replay(const string& operations, const Symbols& a, const Symbols& b, std::size_t i = 0,
            std::size_t j = 0) {
  std::size_t at = 0;
  while (at < operations.size() && std::isdigit(static_cast<unsigned char>(operations[at])) != 0) {
    std::size_t used = 0;
    const std::size_t length = std::stoul(operations.substr(at), &used);
    const char op = operations.at(at + used);
    at += used + 1;
    for (std::size_t k = 0; k < length; ++k) {
      ASSERT_TRUE(op == 'I' || i < a.size());
      ASSERT_TRUE(op == 'D' || j < b.size());
      if (op == '=') {
        ASSERT_EQ(a[i], b[j]);
      }
      if (op == 'X') {
        ASSERT_NE(a[i], b[j]);
      }
      i += op != 'I';
      j += op != 'D';
    }
  }
  EXPECT_EQ(i, a.size());
  EXPECT_EQ(j, b.size());
}

const string a_text = "ACGTACGTTTACGT", b_text = "TACGTCGTTA";

TEST(lcs_verb, formats_are_golden) {
  for (const char* format : {"lcs", "ops", "paf", "jsonl"})
    EXPECT_EQ(lcs({"a.fa", "b.fa", "--format", format}), file_bytes(data(string("lcs.") + format)));
  EXPECT_EQ(lcs({"a.fa", "b.fa"}), file_bytes(data("lcs.record")));
  EXPECT_EQ(lcs({"--all-pairs", "proteins.fa"}), file_bytes(data("lcs.pairs")));
}

TEST(lcs_verb, numbers) {
  EXPECT_EQ(lcs({"a.fa", "b.fa", "--length"}), "9\n");
  EXPECT_EQ(lcs({"a.fa", "b.fa", "--length", "--metric", "indel"}), "6\n");
  EXPECT_EQ(lcs({"a.fa", "b.fa", "--length", "--metric", "edit"}), "6\n");
  EXPECT_EQ(lcs({"/dev/null", "/dev/null", "--length"}), "0\n");
}

TEST(lcs_verb, records) {
  EXPECT_EQ(
      lcs({"a.fa", "b.fa", "--json"}),
      "{\"a\":\"a.fa\",\"b\":\"b1\",\"a_length\":14,\"b_length\":10,\"lcs_length\":9,\"identity\":0.642857,"
      "\"indel_distance\":6,\"identity_definition\":\"lcs_length / the longer length\"}\n");
  EXPECT_EQ(lcs({"two.fa", "b.fa", "--json", "--metric", "edit", "--a-record", "a1", "--b-record", "b1"}),
            "{\"a\":\"a1\",\"b\":\"b1\",\"a_length\":10,\"b_length\":10,\"edit_distance\":3,\"identity\":0."
            "700000,\"identity_definition\":\"1 - edit_distance / the longer length\"}\n");
}

TEST(lcs_verb, scripts_replay) {
  for (const char* metric : {"lcs", "indel", "edit"})
    for (const char* engine : {"auto", "hirschberg-dp", "bit-parallel"})
      replay(lcs({"a.fa", "b.fa", "--format", "ops", "--metric", metric, "--engine", engine}), a_text,
             b_text);
}

TEST(lcs_verb, paf_leaves_the_ends_out) {
  // Fields 3, 4 and 8, 9 are the bounds of the region that cg:Z: covers.
  const string line = lcs({"a.fa", "b.fa", "--format", "paf"});
  EXPECT_EQ(line.rfind("b1\t10\t1\t10\t+\ta.fa\t14\t0\t11\t9\t11\t255\tNM:i:2\tcg:Z:", 0), 0U) << line;
  replay(line.substr(line.find("cg:Z:") + 5), a_text.substr(0, 11), b_text, 0, 1);
  EXPECT_EQ(lcs({"a.fa", "/dev/null", "--format", "paf"}), "");
}

TEST(lcs_verb, bytes_are_exact) {
  const scratch_folder folder;
  folder.put("a", string("aB\0\xff"
                         "c\n",
                         6));
  folder.put("b", string("AB\0\xff"
                         "C\n",
                         6));
  EXPECT_EQ(lcs({"--raw", folder / "a", folder / "b", "--length"}), "4\n");
  EXPECT_EQ(lcs({"--by", "byte", folder / "a", folder / "b", "--format", "lcs"}), string("B\0\xff\n", 4));
}

TEST(lcs_verb, lines_make_a_diff) {
  EXPECT_EQ(lcs({"--by", "line", "old.txt", "new.txt", "--format", "lcs"}), "one\nthree\nfour\n");
  const words old_lines = {"one", "two", "three", "four"},
              new_lines = {"zero", "one", "three", "four", "five"};
  replay(lcs({"--by", "line", "old.txt", "new.txt", "--format", "ops"}), old_lines, new_lines);
  EXPECT_EQ(lcs({"--by", "line", "old.txt", "old.txt", "--format", "ops"}), "4=\n");
}

TEST(lcs_verb, all_pairs_replace_no_input) {
  const scratch_folder folder;
  const string before = file_bytes(data("proteins.fa")), path = folder / "q.fa";
  folder.put("q.fa", before);
  for (const string& output : {path, folder / "./q.fa"}) {
    const outcome result = weft_run({"lcs", "--all-pairs", path, "-o", output});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.err, "weft: --output '" + output + "' would overwrite the input '" + path + "'\n");
    EXPECT_EQ(file_bytes(path), before);
  }
  EXPECT_EQ(lcs({"--all-pairs", path, "-o", folder / "pairs"}), "");
  EXPECT_EQ(file_bytes(folder / "pairs"), file_bytes(data("lcs.pairs")));
}

TEST(lcs_verb, standard_input_and_files) {
  const scratch_folder folder;
  EXPECT_EQ(shell("cat a.fa | weft lcs - b.fa --length").out, "9\n");
  EXPECT_EQ(shell("gzip -c a.fa | weft lcs - b.fa --length").out, "9\n");
  EXPECT_EQ(lcs({"a.fa", "b.fa", "--format", "ops", "-o", folder / "out"}), "");
  EXPECT_EQ(file_bytes(folder / "out"), file_bytes(data("lcs.ops")));
}

} // namespace

} // namespace weft::test
