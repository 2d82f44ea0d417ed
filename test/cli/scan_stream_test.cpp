// Tests weft scan as a pipeline: its output does not depend on threads or chunks, and it keeps few matches in
// memory.
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <utility>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;

const std::vector<string> formats = {"tsv", "pff", "scan", "fasta", "gff3", "bed", "jsonl", "html"};

// Returns sequences of 100 residues, each with about 7 matches of two of the motifs.
string random_sequences(int count) {
  std::mt19937_64 random(5);
  string text;
  for (int i = 0; i < count; ++i) {
    text += ">s" + std::to_string(i) + "\n";
    for (int k = 0; k < 100; ++k) text += "ACDEFGHIKLMNPQ"[random() % 14];
    text += '\n';
  }
  return text;
}

TEST(scan_blocks, neither_threads_nor_chunks_show) {
  const scratch_folder folder;
  folder.put("many.fa", random_sequences(9000));
  const string line = " weft scan -q -e A -e 'C-x(0,3)-D' -e '<M-x' '" + (folder / "many.fa") + "' --format ";
  for (const string& format : formats) {
    const outcome expected = shell("WEFT_CHUNK=1" + line + format + " -t 1"); // a block holds one sequence
    ASSERT_GT(expected.out.size(), std::size_t{1} << 20);
    for (const char* chunk : {"", "WEFT_CHUNK=5000", "WEFT_CHUNK=300000"})
      for (const char* threads : {"1", "2", "5"}) {
        const outcome actual = shell(chunk + line + format + " -t " + threads);
        EXPECT_EQ(actual.code, 0) << actual.err;
        EXPECT_EQ(actual.err, "");
        EXPECT_TRUE(actual.out == expected.out) << format << ", " << chunk << ", " << threads;
      }
    EXPECT_EQ(shell(line + format + " -o '" + (folder / "out") + "'").out, "");
    EXPECT_TRUE(file_bytes(folder / "out") == expected.out) << format;
  }
}

// Returns the peak that a run of weft with --verbose reported.
double peak_mebibytes(const string& said) {
  const string before = "peak memory ";
  std::istringstream words(said.substr(said.find(before) + before.size()));
  double size = 0;
  string unit;
  words >> size >> unit;
  return size * (unit == "GiB" ? 1024 : unit == "MiB" ? 1 : 0);
}

// Each run writes 200 MB of text, with long matches, and with matches larger than a block.
TEST(scan_blocks, few_are_in_memory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const scratch_folder folder;
  folder.put("long.fa", ">s\n" + string(10'000, 'C') + string(20'000, 'A') + "\n");
  folder.put("longer.fa", ">s\n" + string(50, 'C') + string(4'000'000, 'A') + "D\n");
  const string weft =
      "weft scan -q --alphabet protein --verbose --included --device cpu -t 16 -o /dev/null --format fasta ";
  for (const auto& [pattern, file] : {std::pair("C-x(20000)", "long.fa"), {"C-[AC]*-D", "longer.fa"}}) {
    const outcome result = shell(weft + "-e '" + pattern + "' '" + (folder / file) + "'");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err.rfind("weft scan: ", 0), 0U);
    EXPECT_LT(peak_mebibytes(result.err), 100) << result.err;
  }
}

// There are two matches per residue: without a limit, the matches of the chunks in flight take 800 MB.
TEST(scan_blocks, a_limit_of_memory_counts_matches) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const scratch_folder folder;
  string text;
  for (int i = 0; i < 20'000; ++i) text += ">s\n" + string(200, 'A') + string(200, 'C') + "\n";
  folder.put("dense.fa", text);
  const string line = "weft scan -q --verbose --device cpu -t 2 -o /dev/null --format bed -e x -e 'x(2)' '" +
                      (folder / "dense.fa") + "' --memory ";
  for (const auto& [memory, max_mebibytes] : {std::pair("64M", 100), {"256M", 260}}) {
    const outcome result = shell(line + memory);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_LT(peak_mebibytes(result.err), max_mebibytes) << result.err;
  }
}

TEST(scan_blocks, failures_come_through) {
  const scratch_folder folder;
  folder.put("many.fa", random_sequences(20000));
  const string line = "weft scan -q -e A '" + (folder / "many.fa") + "'";
  const outcome full = shell(line + " > /dev/full");
  EXPECT_EQ(full.code, 3) << full.err;
  const outcome gone = shell(line + " | head -1");
  EXPECT_EQ(gone.out, "sequence\tbegin\tend\tstrand\tmotif\tname\tmatch\n");
  EXPECT_EQ(gone.err, "");
}

} // namespace

} // namespace weft::test
