// Tests that the help of weft-bench agrees with its tables, and that its examples run.
#include <bench/program.hpp>
#include <gtest/gtest.h>
#include <test/cli/process.hpp>

namespace weft::test {

namespace {

TEST(bench_program, help_names_every_verb_and_flag) {
  const std::string whole = bench_run({"--help"}).out;
  EXPECT_EQ(bench_run({"help"}).out, whole);
  for (const cli::verb& known : bench::benchmarks.verbs()) {
    EXPECT_TRUE(has(whole, "\n  " + std::string(known.name) + " ")) << known.name;
    const std::string text = bench_run({std::string(known.name), "--help"}).out;
    EXPECT_EQ(bench_run({"help", std::string(known.name)}).out, text);
    EXPECT_TRUE(has(text, "usage: weft-bench " + std::string(known.name))) << text;
    for (const cli::flag* each : cli::flags_of(known))
      EXPECT_TRUE(has(text, "--" + std::string(each->name))) << known.name << ' ' << each->name;
  }
}

TEST(bench_program, the_examples_of_the_help_run) {
  const scratch_folder folder;
  for (const cli::verb& known : bench::benchmarks.verbs()) {
    EXPECT_TRUE(known.name == "help" || !known.examples.empty()) << known.name;
    for (const std::string_view line : cli::example_lines(known)) {
      const outcome result = shell("cd '" + (folder / "") + "'; set -eo pipefail; " + std::string(line));
      EXPECT_EQ(result.code, 0) << line << '\n' << result.err;
    }
  }
}

TEST(bench_program, has_a_version_and_refuses_an_output_that_is_an_input) {
  EXPECT_TRUE(bench_run({"--version"}).out.starts_with("weft-bench "));
  EXPECT_EQ(bench_run({"help", "sorting"}).code, 2);
  const outcome result = bench_run({"scan", "motifs.txt", "proteins.fa", "-o", "motifs.txt"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(has(result.err, "would overwrite the input")) << result.err;
}

TEST(bench_program, the_command_weft_has_no_benchmarks) { EXPECT_EQ(weft_run({"bench", "sort"}).code, 2); }

} // namespace

} // namespace weft::test
