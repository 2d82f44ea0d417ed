// Tests weft mem, end to end, and against mummer where that is installed.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <test_paths.hpp>
#include <vector>
#include <weft/base/device.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

const string header = "query\tquery_begin\tquery_end\tstrand\treference\tbegin\tend\tlength\n";

// A fixture with references and queries:
//   r1  TTACGGATCCNACGGTTT    r2  GGATACGG
//   q1  ccACGGATacg           q2  CCGTNNACGG (its reverse complement is CCGTNNACGG, too)
class mem_verb : public testing::Test {
protected:
  void SetUp() override {
    folder_.put("r.fa", ">r1 first\nTTACGGATCC\nNACGGTTT\n>r2\nGGATACGG\n");
    folder_.put("q.fa", ">q1\nccACGGATacg\n>q2\nCCGTNNACGG\n");
    ASSERT_EQ(weft_run({"index", references(), "-o", index()}).code, 0);
  }
  [[nodiscard]] string references() const { return folder_ / "r.fa"; }
  [[nodiscard]] string queries() const { return folder_ / "q.fa"; }
  [[nodiscard]] string index() const { return folder_ / "r.wfi"; }
  static string mem(words given, const string& warning = "") {
    given.insert(given.begin(), "mem");
    const outcome result = weft_run(given);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, warning);
    return result.out;
  }
  scratch_folder folder_;
};

// The matches of at least 4 letters: of the queries as they are, and with those of the reverse strand.
const string maximal = header + "q1\t3\t8\t+\tr1\t3\t8\t6\n"
                                "q1\t3\t6\t+\tr1\t12\t15\t4\n"
                                "q1\t3\t6\t+\tr2\t5\t8\t4\n"
                                "q1\t5\t11\t+\tr2\t1\t7\t7\n"
                                "q1\t8\t11\t+\tr1\t2\t5\t4\n"
                                "q2\t7\t10\t+\tr1\t3\t6\t4\n"
                                "q2\t7\t10\t+\tr1\t12\t15\t4\n"
                                "q2\t7\t10\t+\tr2\t5\t8\t4\n";
const string on_both_strands = header + "q1\t3\t8\t+\tr1\t3\t8\t6\n"
                                        "q1\t3\t6\t+\tr1\t12\t15\t4\n"
                                        "q1\t3\t6\t+\tr2\t5\t8\t4\n"
                                        "q1\t5\t11\t+\tr2\t1\t7\t7\n"
                                        "q1\t8\t11\t+\tr1\t2\t5\t4\n"
                                        "q1\t5\t8\t-\tr1\t7\t10\t4\n"
                                        "q2\t7\t10\t+\tr1\t3\t6\t4\n"
                                        "q2\t7\t10\t+\tr1\t12\t15\t4\n"
                                        "q2\t7\t10\t+\tr2\t5\t8\t4\n"
                                        "q2\t1\t4\t-\tr1\t3\t6\t4\n"
                                        "q2\t1\t4\t-\tr1\t12\t15\t4\n"
                                        "q2\t1\t4\t-\tr2\t5\t8\t4\n";

TEST_F(mem_verb, lists_maximal_matches_in_the_order_of_the_queries) {
  EXPECT_EQ(mem({index(), queries(), "-l", "4"}), maximal);
  EXPECT_EQ(mem({references(), queries(), "--min-length", "4", "--kind", "mem"}), maximal);
  EXPECT_EQ(mem({index(), queries(), "-l", "4", "--both-strands"}), on_both_strands);
  EXPECT_EQ(mem({index(), queries()}), header);
  EXPECT_EQ(weft_run({"mem", index(), queries(), "--fail-if-none"}).code, 1);
  EXPECT_EQ(weft_run({"mem", index(), queries(), "--fail-if-none", "-l", "7"}).code, 0);
}

TEST_F(mem_verb, lists_unique_and_super_maximal_matches) {
  const string unique = header + "q1\t3\t8\t+\tr1\t3\t8\t6\nq1\t5\t11\t+\tr2\t1\t7\t7\n";
  EXPECT_EQ(mem({index(), queries(), "-l", "4", "--kind", "mum-ref"}), unique);
  EXPECT_EQ(mem({index(), queries(), "-l", "4", "--kind", "mum"}), unique);
  EXPECT_EQ(mem({index(), queries(), "-l", "4", "--kind", "mum", "--both-strands"}),
            unique + "q1\t5\t8\t-\tr1\t7\t10\t4\n");
  folder_.put("twice.fa", ">t\nACGGATNACGGAT\n");
  EXPECT_EQ(mem({index(), folder_ / "twice.fa", "-l", "6", "--kind", "mum-ref"}),
            header + "t\t1\t6\t+\tr1\t3\t8\t6\nt\t8\t13\t+\tr1\t3\t8\t6\n");
  EXPECT_EQ(mem({index(), folder_ / "twice.fa", "-l", "6", "--kind", "mum"}), header);
  const string in_q2 = "q2\t7\t10\t+\tr1\t3\t6\t4\nq2\t7\t10\t+\tr1\t12\t15\t4\nq2\t7\t10\t+\tr2\t5\t8\t4\n";
  EXPECT_EQ(mem({index(), queries(), "-l", "4", "--kind", "smem"}), unique + in_q2);
  EXPECT_EQ(mem({index(), queries(), "-l", "4", "--kind", "smem", "--min-occ", "3"}),
            header + "q1\t3\t6\t+\tr1\t3\t6\t4\nq1\t3\t6\t+\tr1\t12\t15\t4\nq1\t3\t6\t+\tr2\t5\t8\t4\n" +
                in_q2);
}

TEST_F(mem_verb, writes_paf_and_jsonl) {
  const words common = {index(), queries(), "-l", "4", "--kind", "mum", "--both-strands", "--format"};
  const auto as = [&](const char* format) {
    words given = common;
    given.emplace_back(format);
    return mem(given);
  };
  EXPECT_EQ(as("tsv"), mem({index(), queries(), "-l", "4", "--kind", "mum", "--both-strands"}));
  EXPECT_EQ(as("paf"), "q1\t11\t2\t8\t+\tr1\t18\t2\t8\t6\t6\t255\tNM:i:0\tcg:Z:6=\n"
                       "q1\t11\t4\t11\t+\tr2\t8\t0\t7\t7\t7\t255\tNM:i:0\tcg:Z:7=\n"
                       "q1\t11\t4\t8\t-\tr1\t18\t6\t10\t4\t4\t255\tNM:i:0\tcg:Z:4=\n");
  EXPECT_EQ(as("jsonl"), "{\"query\":\"q1\",\"query_begin\":3,\"query_end\":8,\"strand\":\"+\","
                         "\"reference\":\"r1\",\"begin\":3,\"end\":8,\"length\":6}\n"
                         "{\"query\":\"q1\",\"query_begin\":5,\"query_end\":11,\"strand\":\"+\","
                         "\"reference\":\"r2\",\"begin\":1,\"end\":7,\"length\":7}\n"
                         "{\"query\":\"q1\",\"query_begin\":5,\"query_end\":8,\"strand\":\"-\","
                         "\"reference\":\"r1\",\"begin\":7,\"end\":10,\"length\":4}\n");
}

TEST_F(mem_verb, reads_pipes_compressed_files_and_several_files) {
  const string reference = references(), query = queries(), arguments = " -l 4";
  EXPECT_EQ(shell("weft mem " + index() + " - < " + query + arguments).out, maximal);
  EXPECT_EQ(shell("cat " + query + " | weft mem " + reference + " -" + arguments).out, maximal);
  EXPECT_EQ(shell("cat " + reference + " | weft mem - " + query + arguments).out, maximal);
  EXPECT_EQ(shell("gzip -c " + reference + " > " + folder_ / "r.fa.gz" + "; gzip -c " + query +
                  " | weft mem " + folder_ / "r.fa.gz" + " /dev/stdin" + arguments)
                .out,
            maximal);
  folder_.put("q1.fq", "@q1\nccACGGATacg\n+\nIIIIIIIIIII\n");
  folder_.put("q2.fa", ">q2\nCCGUNNACGG\n");
  EXPECT_EQ(mem({index(), folder_ / "q1.fq", folder_ / "q2.fa", "-l", "4", "--both-strands"}),
            on_both_strands);
  EXPECT_EQ(mem({index(), queries(), "-l", "4", "-o", folder_ / "out.tsv"}), "");
  EXPECT_EQ(file_bytes(folder_ / "out.tsv"), maximal);
}

// Large files are read while the index is built; a pipe is not.
TEST_F(mem_verb, reads_large_files_early) {
  std::mt19937_64 random(5);
  string letters, text;
  for (int i = 0; i < 2'000'000; ++i) letters += "ACGT"[random() % 4];
  for (int record = 0; record < 9; ++record) {
    letters[record * 1000] = 'N';
    text += ">r" + std::to_string(record) + "\n" + letters + "\n";
  }
  folder_.put("large.fa", text);
  folder_.put("part.fa", ">part\n" + letters.substr(0, 20'000) + "\n");
  const string found = mem({folder_ / "part.fa", folder_ / "large.fa", "-l", "100"});
  EXPECT_EQ(std::count(found.begin(), found.end(), '\n'),
            1 + 9 * 9); // each record has the nine stretches of the part
  const outcome piped =
      shell("cat '" + (folder_ / "large.fa") + "' | weft mem '" + (folder_ / "part.fa") + "' - -l 100");
  EXPECT_EQ(piped.out, found);
  folder_.put("bad.fa", text + ">x\nA\x01\n");
  expect_failure({"mem", folder_ / "part.fa", folder_ / "bad.fa", "-l", "100"}, 2, "bad.fa");
  expect_failure({"mem", folder_ / "none.fa", folder_ / "bad.fa", "-l", "100"}, 3, "none.fa");
}

TEST_F(mem_verb, refuses_what_it_cannot_do) {
  expect_failure({"mem", index()}, 2, "weft mem needs an argument");
  expect_failure({"mem", "-", "-"}, 2, "standard input (-) can be read only once");
  expect_failure({"mem", index(), queries(), "-l", "0"}, 2, "--min-length");
  expect_failure({"mem", index(), queries(), "--kind", "mam"}, 2, "--kind");
  expect_failure({"mem", index(), queries(), "--min-occ", "2"}, 2,
                 "--min-occ can be used only with --kind smem");
  expect_failure({"mem", index(), queries(), "--kind", "smem", "--min-occ", "0"}, 2, "--min-occ");
  expect_failure({"mem", index(), queries(), "--format", "sam"}, 2, "--format");
  expect_failure({"mem", index(), queries(), "--engine", "batch"}, 2, "batch");
  expect_failure({"mem", index(), queries(), "--kind", "mum", "--device", "gpu"}, 2,
                 "weft mem --kind mum runs only on the CPU");
  expect_failure({"mem", index(), folder_ / "none.fa"}, 3, "none.fa");
  expect_failure({"mem", folder_ / "none.fa", queries()}, 3, "none.fa");
  folder_.put("protein.fa", ">p\nMKVLAAGIVGLMKV\n");
  expect_failure({"mem", folder_ / "protein.fa", queries()}, 2, "protein.fa: the references are not DNA");
  ASSERT_EQ(weft_run({"index", folder_ / "protein.fa", "-o", folder_ / "p.wfi"}).code, 0);
  expect_failure({"mem", folder_ / "p.wfi", queries()}, 2, "p.wfi: weft mem needs an index of DNA");
  folder_.put("cut.wfi", file_bytes(index()).substr(0, 600));
  expect_failure({"mem", folder_ / "cut.wfi", queries()}, 2, "cut.wfi");
}

TEST_F(mem_verb, finds_the_same_on_a_gpu) {
  if (known_gpus().devices.empty())
    expect_failure({"mem", index(), queries(), "--device", "gpu"}, 4, "GPU");
  else
    EXPECT_EQ(mem({index(), queries(), "-l", "4", "--device", "gpu"}),
              mem({index(), queries(), "-l", "4", "--device", "cpu"}));
}

TEST_F(mem_verb, of_nothing_finds_nothing) {
  folder_.put("empty.fa", "");
  folder_.put("n.fa", ">n\nNNNNNNNN\n>empty\n");
  EXPECT_EQ(mem({index(), folder_ / "empty.fa"}, "weft: the queries have no letters\n"), header);
  EXPECT_EQ(mem({index(), folder_ / "empty.fa", "--quiet"}), header);
  EXPECT_EQ(mem({index(), folder_ / "n.fa", "-l", "1"}), header);
  EXPECT_EQ(mem({folder_ / "empty.fa", queries(), "-l", "1"}), header);
}

TEST_F(mem_verb, escapes_names) {
  folder_.put("r.fa", ">r\x1b[2J\nACGTACGT\n");
  folder_.put("q.fa", ">q\x1b[2J\nACGTACGT\n");
  EXPECT_EQ(mem({references(), queries(), "-l", "8"}), header + "q\\x1b[2J\t1\t8\t+\tr\\x1b[2J\t1\t8\t8\n");
  for (const char* format : {"paf", "jsonl"})
    EXPECT_EQ(mem({references(), queries(), "-l", "8", "--format", format}).find('\x1b'), string::npos);
}

// Returns the lines of a text in order.
words sorted_lines(const string& text) {
  std::istringstream stream(text);
  words lines;
  for (string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Returns the rows of weft for the output of mummer -b -L, in which positions on the reverse strand count
// from the begin of the reverse complement. The column of the reference is missing if there is only one
// record.
words rows_of_mummer(const string& output, const string& only_reference) {
  std::istringstream stream(output);
  words rows;
  string query;
  std::uint64_t query_length = 0;
  bool reverse = false;
  for (string line; std::getline(stream, line);) {
    std::istringstream columns(line);
    words parts;
    for (string part; columns >> part;) parts.push_back(part);
    if (line.starts_with(">")) { // "> NAME [Reverse] Len = N"
      query = parts.at(1);
      query_length = std::stoull(parts.back());
      reverse = parts.at(2) == "Reverse";
      continue;
    }
    const string reference = parts.size() == 4 ? parts[0] : only_reference;
    const auto number = [&](std::size_t from_end) { return std::stoull(parts.at(parts.size() - from_end)); };
    const std::uint64_t length = number(1), begin = number(3),
                        query_begin = reverse ? query_length - (number(2) - 1) - length + 1 : number(2);
    const auto text = [](std::uint64_t value) { return std::to_string(value); };
    rows.push_back(query + "\t" + text(query_begin) + "\t" + text(query_begin + length - 1) + "\t" +
                   (reverse ? "-" : "+") + "\t" + reference + "\t" + text(begin) + "\t" +
                   text(begin + length - 1) + "\t" + text(length));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Compares the matches of all kinds that mummer has, on both strands, and with one and three threads.
void compare_with_mummer(const string& reference, const string& query, const string& only_reference,
                         const string& min_length) {
  for (const auto& [kind, flag] :
       {std::pair{"mem", "-maxmatch"}, {"mum-ref", "-mumreference"}, {"mum", "-mum"}}) {
    const string common = " -l " + min_length + " '" + reference + "' '" + query + "'";
    const outcome theirs = shell(string("mummer -n -b -L ") + flag + common);
    ASSERT_EQ(theirs.code, 0) << theirs.err;
    const string weft = string("weft mem --both-strands --kind ") + kind + common + " --threads ";
    const outcome ours = shell(weft + "1");
    ASSERT_EQ(ours.code, 0) << ours.err;
    EXPECT_EQ(shell(weft + "3").out, ours.out);
    ASSERT_TRUE(ours.out.starts_with(header));
    const words rows = sorted_lines(ours.out.substr(header.size()));
    EXPECT_TRUE(rows == rows_of_mummer(theirs.out, only_reference))
        << kind << " of " << query << " in " << reference << ": " << rows.size() << " matches";
  }
}

TEST(mem_against_mummer, on_genomes) {
  if (!installed("mummer")) GTEST_SKIP() << "mummer is not installed";
  const string genomes = WEFT_EXAMPLE_DATA "/";
  compare_with_mummer(genomes + "mt_human.fa", genomes + "mt_orang.fa", "MT_human", "12");
  compare_with_mummer(genomes + "sarscov2_WuhanHu1.fa", genomes + "sarscov2_21L_BA2.fa", "MN908947", "20");
}

TEST(mem_against_mummer, on_repetitive_sequences) {
  if (!installed("mummer")) GTEST_SKIP() << "mummer is not installed";
  const scratch_folder folder;
  std::mt19937_64 random(11);
  const auto letters = [&](std::size_t size) {
    string text(size, ' ');
    for (char& c : text) c = "ACGT"[random() % 4];
    return text;
  };
  const words units = {letters(700), letters(60), letters(9), "A", "AC"};
  const auto sequence = [&](int pieces) {
    string text = letters(20);
    for (int i = 0; i < pieces; ++i) {
      string piece = units[random() % units.size()];
      for (std::uint64_t copies = piece.size() < 10 ? random() % 20 : 0; copies > 0; --copies)
        piece += units[2 + random() % 3];
      for (char& c : piece)
        if (random() % 20 == 0) c = "ACGTN"[random() % 5];
      text += piece;
    }
    return text;
  };
  string references, queries;
  for (int i = 0; i < 3; ++i) references += ">r" + std::to_string(i) + "\n" + sequence(200) + "\n";
  for (int i = 0; i < 4; ++i) queries += ">q" + std::to_string(i) + "\n" + sequence(60) + "\n";
  folder.put("r.fa", references);
  folder.put("q.fa", queries);
  for (const char* min_length : {"8", "20", "50"})
    compare_with_mummer(folder / "r.fa", folder / "q.fa", "", min_length);
}

TEST(mem_against_mummer, on_bacteria) {
  if (!installed("mummer")) GTEST_SKIP() << "mummer is not installed";
  if (std::getenv("WEFT_TEST_LARGE") == nullptr) GTEST_SKIP() << "WEFT_TEST_LARGE is not set: takes a minute";
  const scratch_folder folder;
  const string reference = folder / "e.fa", query = folder / "s.fa";
  if (shell("xz -dc " WEFT_EXTRA_DATA "/ecoli_MG1655.fa.xz > " + reference +
            " && xz -dc " WEFT_EXTRA_DATA "/salmonella_LT2.fa.xz > " + query)
          .code != 0)
    GTEST_SKIP() << "the genomes are not in " WEFT_EXTRA_DATA;
  const string name = shell("head -c 200 " + reference + " | head -n 1 | cut -d ' ' -f 1").out;
  compare_with_mummer(reference, query, name.substr(1, name.size() - 2), "20");
}

} // namespace

} // namespace weft::test
