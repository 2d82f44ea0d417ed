// Tests weft scan with --memory (test/memory measures the peaks).
#include <gtest/gtest.h>
#include <random>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;
using words = std::vector<string>;

string random_bases(std::size_t count) {
  std::mt19937_64 random(3);
  string bases(count, ' ');
  for (char& c : bases) c = "ACGT"[random() % 4];
  return bases;
}

// Checks that the matches of one record that exceed the memory go through a temporary file and have the same
// bytes.
TEST(scan_memory, many_matches_of_one_record_have_the_same_bytes) {
  const scratch_folder folder;
  folder.put("g.fa", ">g\n" + random_bases(60'000) + "\n>h\nACGT\n");
  for (const char* flags :
       {"-e 'N(1,5)' -e 'A-N(0,3)-C'", "-e 'A*-C' --matches ends", "-e 'N(2)' --format html",
        "-e A -e '[<C]-N' --format gff3", "-e 'A-N(0,2)' -e '[C]-N' --format scan --circular"}) {
    const string line = string("weft scan -q --alphabet dna ") + flags + " " + (folder / "g.fa");
    const string want = shell(line).out;
    EXPECT_GT(want.size(), 100'000U);
    for (const char* limit : {" --memory 64K", " --memory 1M -t 1", " --memory 4M -t 3"})
      EXPECT_TRUE(shell(line + limit).out == want) << line << limit;
  }
}

TEST(scan_memory, a_record_that_is_too_long_is_refused) {
  const scratch_folder folder;
  folder.put("g.fa", ">s\nACGT\n>chr1 long\n" + random_bases(9'000'000) + "\n");
  const outcome result = weft_run({"scan", "-q", "-e", "AC", "--memory", "16M", folder / "g.fa"});
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(result.err,
            "weft: " + (folder / "g.fa") +
                ": record 2 ('chr1') has 9000000 residues, but the memory limit allows only 7864320 in "
                "one record\n");
  EXPECT_EQ(weft_run({"scan", "-q", "-e", "A(12)", "--memory", "20M", folder / "g.fa"}).code, 0);
}

} // namespace

} // namespace weft::test
