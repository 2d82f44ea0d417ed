// Tests weft lcs --metric affine.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/device.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

// Returns what weft lcs --metric affine prints for two sequences.
string compare(const string& a, const string& b, const words& flags) {
  const scratch_folder folder;
  folder.put("a.fa", ">a\n" + a + "\n");
  folder.put("b.fa", ">b\n" + b + "\n");
  words given{"lcs", "-q", "--metric", "affine", folder / "a.fa", folder / "b.fa"};
  given.insert(given.end(), flags.begin(), flags.end());
  const outcome result = weft_run(given);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.out;
}

const string before = "GATTACAGCTTAGCAT", gap = "CGTAACGTC", after = "TTGGCATCAGTACGAT";

TEST(lcs_affine, a_deletion_is_one_gap) {
  EXPECT_EQ(compare(before + gap + after, before + after, {"--format", "ops"}), "16=9D16=\n");
  EXPECT_EQ(compare(before + after, before + gap + after, {"--format", "ops"}), "16=9I16=\n");
  EXPECT_EQ(compare(before + gap + after, before + after, {"--length"}), "24\n");
  EXPECT_EQ(compare(before + gap + after, before + after, {"--format", "paf"}),
            "b\t32\t0\t32\t+\ta\t41\t0\t41\t32\t41\t255\tNM:i:9\tcg:Z:16=9D16=\n");
}

TEST(lcs_affine, records) {
  EXPECT_EQ(compare(before + gap + after, before + "A" + after.substr(1), {}),
            "a\ta\nb\tb\na_length\t41\nb_length\t32\naffine_penalty\t28\nmatches\t31\nsubstitutions\t1\n"
            "insertions\t0\ndeletions\t9\ngaps\t1\nidentity\t0.756098\n"
            "identity_definition\tmatches / all steps of the path\n");
  EXPECT_EQ(compare("ACGT", "ACGT", {"--json"}),
            "{\"a\":\"a\",\"b\":\"b\",\"a_length\":4,\"b_length\":4,\"affine_penalty\":0,\"matches\":4,"
            "\"substitutions\":0,\"insertions\":0,\"deletions\":0,\"gaps\":0,\"identity\":1.000000,"
            "\"identity_definition\":\"matches / all steps of the path\"}\n");
  EXPECT_EQ(compare("ACGT", "AT", {"--format", "jsonl"}),
            "{\"a\":\"a\",\"b\":\"b\",\"a_length\":4,\"b_length\":2,\"affine_penalty\":10,\"matches\":2,"
            "\"substitutions\":0,\"insertions\":0,\"deletions\":2,\"gaps\":1,\"identity\":0.500000,"
            "\"identity_definition\":\"matches / all steps of the path\",\"ops\":\"1=2D1=\"}\n");
}

TEST(lcs_affine, penalties) {
  EXPECT_EQ(compare("AAACCC", "AAAGCCC", {"--length", "--gap-open", "0", "--gap-extend", "1"}), "1\n");
  EXPECT_EQ(compare("AAACCC", "AAATCC", {"--length", "--mismatch", "9"}), "9\n");
  EXPECT_EQ(compare("AAACCC", "AAATCC", {"--length", "--mismatch", "100"}), "16\n");
  EXPECT_EQ(compare("AAACCC", "AAATCC", {"--format", "ops", "--mismatch", "100"}), "3=1D1I2=\n");
}

TEST(lcs_affine, engines_and_rules_agree) {
  std::mt19937_64 random(21);
  string a, b;
  for (int i = 0; i < 700; ++i) a += "ACGTN"[random() % 5], b += "ACGTN"[random() % 5];
  for (const char* rule : {"mismatch", "match", "skip"}) {
    const string expected = compare(a, b, {"--unknown", rule, "--format", "ops"});
    for (const char* engine : {"affine-table", "affine-wavefront"})
      EXPECT_EQ(compare(a, b, {"--unknown", rule, "--format", "ops", "--engine", engine}), expected)
          << engine;
  }
  EXPECT_EQ(compare("ACGNT", "ACGNT", {"--length"}), "4\n");
  EXPECT_EQ(compare("ACGNT", "ACGNT", {"--length", "--unknown", "match"}), "0\n");
  EXPECT_EQ(compare("ACGNT", "ACGNT", {"--length", "--unknown", "skip"}), "0\n");
}

TEST(lcs_affine, all_pairs) {
  const scratch_folder folder;
  folder.put("n.fa", ">x\nACGTACGT\n>y\nACGT\n>z\nACGAACGT\n");
  const string call = "weft lcs --metric affine --all-pairs " + folder / "n.fa";
  for (const char* flags : {"", " -t 3", " --engine affine-table", " --engine affine-wavefront"})
    EXPECT_EQ(shell(call + flags).out, "x\ny\t14\nz\t4\t14\n") << flags;
  EXPECT_EQ(shell(call + " --gap-open 0 --gap-extend 1").out, "x\ny\t4\nz\t2\t4\n");
  EXPECT_EQ(shell(call + " --format jsonl | head -n 1").out,
            "{\"a\":\"y\",\"b\":\"x\",\"affine_penalty\":14}\n");
  const outcome on_gpu = shell(call + " --device gpu");
  EXPECT_EQ(on_gpu.code, known_gpus().devices.empty() ? 4 : 0) << on_gpu.err;
  EXPECT_EQ(on_gpu.out, known_gpus().devices.empty() ? "" : "x\ny\t14\nz\t4\t14\n");
}

TEST(lcs_affine, lines_and_bytes) {
  const scratch_folder folder;
  folder.put("a", "one\ntwo\nthree\nfour\n");
  folder.put("b", "one\nfour\n");
  const string files = " " + folder / "a" + " " + folder / "b";
  EXPECT_EQ(shell("weft lcs --metric affine --by line --format ops" + files).out, "1=2D1=\n");
  EXPECT_EQ(shell("weft lcs --metric affine --by line --length" + files).out, "10\n");
  EXPECT_EQ(shell("weft lcs --metric affine --by byte --length" + files).out, "26\n");
  EXPECT_EQ(shell("weft lcs --metric affine --by byte --fail-if-different --length" + files).code, 1);
  EXPECT_NE(shell("weft lcs --metric affine --by line" + files).out.find("deletions\t2\n"), string::npos);
  expect_failure(
      {"lcs", "--metric", "affine", "--by", "line", "--format", "unified", folder / "a", folder / "b"}, 2,
      "--metric lcs or indel");
}

TEST(lcs_affine, wrong_flags) {
  expect_failure({"lcs", "a.fa", "b.fa", "--gap-open", "3"}, 2,
                 "--gap-open can be used only with --metric affine");
  expect_failure({"lcs", "a.fa", "b.fa", "--metric", "edit", "--mismatch", "3"}, 2,
                 "--mismatch can be used only with --metric affine");
  expect_failure({"lcs", "a.fa", "b.fa", "--metric", "affine", "--gap-extend", "0"}, 2,
                 "--gap-extend must be a whole number of at least 1");
  expect_failure({"lcs", "a.fa", "b.fa", "--metric", "affine", "--mismatch", "1000001"}, 2,
                 "--mismatch must be at most 1000000");
  expect_failure({"lcs", "a.fa", "b.fa", "--metric", "affine", "--format", "lcs"}, 2, "least penalty");
  expect_failure({"lcs", "a.fa", "b.fa", "--metric", "affine", "--engine", "bit-sliced"}, 2,
                 "the engines affine-wavefront and affine-table do");
  expect_failure({"lcs", "a.fa", "b.fa", "--engine", "affine-table"}, 2, "it computes metric affine only");
  expect_failure({"lcs", "a.fa", "b.fa", "--metric", "affine", "--device", "gpu"}, 2, "only on the CPU");
  EXPECT_EQ(shell("WEFT_DEVICE=gpu weft lcs a.fa b.fa --metric affine --length").code, 0);
}

} // namespace

} // namespace weft::test
