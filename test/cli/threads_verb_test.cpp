// Checks that every verb does its work with one thread if the system cannot create any.
#include <gtest/gtest.h>
#include <test_paths.hpp>

#include "process.hpp"

namespace weft::test {

namespace {

using std::string;

// Runs the program with a pthread_create() that always fails (no_threads.cpp).
TEST(threads, every_verb_does_without_where_there_are_none) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the libraries of sanitizers have to be loaded first";
#endif
  const scratch_folder folder;
  const string proteins = "'" + string(WEFT_EXAMPLE_DATA) + "/proteins.fa'",
               genome = "'" + string(WEFT_EXAMPLE_DATA) + "/mt_human.fa'",
               other = "'" + string(WEFT_EXAMPLE_DATA) + "/mt_orang.fa'",
               index = "'" + (folder / "p.wfi") + "'";
  ASSERT_EQ(shell("weft index " + proteins + " -o " + index).code, 0);
  for (const string& line :
       {"weft scan --alphabet protein -t 4 '" + string(WEFT_EXAMPLE_DATA) + "/motifs.txt' " + proteins,
        "weft scan --alphabet protein -t 4 --matches count -e 'C-x(0,3)' " + proteins,
        "weft scan --alphabet protein -t 4 --format html -e 'C-x(0,3)' " + proteins,
        "weft sort -t 4 " + proteins, "weft bwt -t 4 -o - " + proteins + " | sha256sum",
        "weft sa -t 4 -o - " + genome + " | sha256sum", "weft index -t 4 -o - " + genome + " | sha256sum",
        "weft find -t 4 " + index + " -e ACD -e WW", "weft mem -t 4 " + genome + " " + other,
        "weft lcs -t 4 --format ops " + genome + " " + other, "weft variants -t 4 " + genome + " " + other}) {
    const string limited = "export LD_PRELOAD='" WEFT_NO_THREADS "'; " + line;
    const outcome want = shell(line), have = shell(limited);
    EXPECT_EQ(want.code, 0) << line << want.err;
    EXPECT_EQ(have.code, 0) << line << have.err;
    EXPECT_EQ(have.out, want.out) << line;
    EXPECT_NE(want.out, "") << line;
  }
}

} // namespace

} // namespace weft::test
