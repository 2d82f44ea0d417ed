// Tests weft-bench papers, which measures the tables and figures of the four papers.
#include <bench/bench.hpp>
#include <gtest/gtest.h>
#include <test/cli/device_cases.hpp>
#include <test/cli/process.hpp>
#include <weft/base/device.hpp>

#include "bench_lines.hpp"

namespace weft::test {

namespace {

using std::string;

TEST(bench_papers, have_their_tables_and_name_the_others) {
  const outcome list = bench_run({"papers", "--list"});
  EXPECT_EQ(list.code, 0);
  for (const char* part :
       {"lcs-table-1/1.16x1.05", "lcs-table-2/16M", "sort-figure-6-u64/2^28", "sort-figure-7-normal/2^25",
        "sort-table-1-u32/2^25", "sort-figure-1-u64/2^20", "sort-figure-8-u64/2^27", "sort-figure-9-u32/2^27",
        "bwt-figure-2-words/100M", "matching-table-1/1600x180M", "matching-table-2/400x180M", "lcs-figure-3",
        "lcs-figure-4", "lcs-figure-5", "bwt-figure-2-first-kernel"})
    EXPECT_TRUE(has("\n" + list.out, string("\n") + part + "\t")) << list.out;
  EXPECT_FALSE(has(list.out, "rates"));
  const outcome result =
      bench_run({"papers", "--only", "bwt-figure-2-dna/1*K", "--runs", "1", "--device", "cpu"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(result.out, "published: less than a quicksort")) << result.out;
  EXPECT_TRUE(has(line_of(result.out, "ternary-quicksort", "cpu x"), "symbols/s")) << result.out;
  EXPECT_TRUE(has(result.out, "every answer is held against a fixed digest\n")) << result.out;
  EXPECT_TRUE(has(result.out, "\nsort, Table 1 and Figures 1 and 6 (Baxter's merge sort")) << result.out;
  EXPECT_FALSE(has(result.out, "lcs-figure")) << result.out;
}

struct gpu_table {
  string only;
  words methods;
};

// Returns small cases of the tables that only a GPU can measure, and some of their methods.
std::vector<gpu_table> gpu_tables() {
  return {{"sort-table-1-u32/2^22", {"splitters", "prefix sum", "relocation", "merges", "in all"}},
          {"sort-table-1-merge-sort-u64/2^22", {"tile sort", "merges", "in all"}},
          {"sort-figure-1-u64/2^16", {"CUB's merge sort"}},
          {"sort-figure-8-u64/2^22", {"1 bucket", "128 buckets *", "1024 buckets"}},
          {"sort-figure-9-u32/2^22", {"neither *", "aligned", "transposed", "both"}},
          {"bwt-figure-2-dna/100K", {"first kernel", "both kernels"}},
          {"bwt-figure-2-words/10K", {"first kernel", "both kernels"}},
          {"matching-table-2/400x2M", {"NFA-BPL, q = 14 *", "NFA-BP, q = 1024", "NFA-ARRAY, q = 4"}}};
}

TEST(bench_papers, tables_of_a_gpu_say_that_there_is_none) {
  for (const gpu_table& each : gpu_tables()) {
    const outcome result =
        shell("CUDA_VISIBLE_DEVICES= weft-bench papers --runs 1 --only '" + each.only + "'");
    EXPECT_EQ(result.code, 0) << result.err;
    for (const string& method : each.methods) { // a build without CUDA has no engines for GPUs, only peers
      const string row = line_of(result.out, method, "gpu");
      EXPECT_TRUE(has(row, "not on this machine: ") || (row.empty() && !built_with_cuda())) << method << '\n'
                                                                                            << result.out;
    }
  }
  const outcome on_cpu = bench_run({"papers", "--only", "sort-figure-8-u32/2^22", "--device", "cpu"});
  EXPECT_EQ(on_cpu.code, 0);
  EXPECT_TRUE(has(on_cpu.out, "no way on the devices that were asked for\n")) << on_cpu.out;
}

TEST(bench_papers, the_merge_sort_that_stands_for_the_papers_is_right) {
  const outcome result =
      bench_run({"papers", "--only", "sort-figure-1-u*/2^1?", "--runs", "1", "--device", "cpu"});
  EXPECT_EQ(result.code, 0) << result.out; // answers are compared with fixed digests
  EXPECT_TRUE(has(result.out, "every answer is held against a fixed digest\n")) << result.out;
  EXPECT_TRUE(has(line_of(result.out, "std::stable_sort *", "cpu x1"), "items/s")) << result.out;
}

// Seconds in which every row of lcs-figure-3 and of lcs-table-2 has a bound. Sanitizers make the program
// several times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const string budget = "20";
#else
const string budget = "3";
#endif

TEST(bench_papers, figures_draw_the_rows_of_their_table) {
  const words call = {"papers", "--only", "lcs-figure-3", "--budget", budget, "--device", "cpu"};
  const outcome result = bench_run(call);
  EXPECT_EQ(result.code, 0) << result.err;
  const std::size_t at = result.out.find("\nlcs-figure-3: ");
  ASSERT_NE(at, string::npos) << result.out;
  const string drawn = result.out.substr(at);
  for (const char* name : {"lcs-table-1/1.16x1.05", "lcs-table-1/1.80x0.27", "lcs-table-1/1.80x1.51"}) {
    EXPECT_TRUE(has(result.out, string("\n") + name + ": ")) << result.out;
    EXPECT_TRUE(has(line_of(drawn, name, "~"), " s ")) << drawn;
  }
  EXPECT_TRUE(has(drawn, "  15.05\n")) << drawn;
  EXPECT_FALSE(has(result.out, "lcs-figure-4")) << result.out;
  if (!installed("python3")) GTEST_SKIP() << "python3 is not installed";
  const scratch_folder folder;
  EXPECT_EQ(bench_run(with(call, {"--json", "-o", folder / "papers.json"})).code, 0);
  EXPECT_EQ(shell("python3 -c 'import json, sys\n"
                  "figure, = json.load(open(sys.argv[1]))[\"figures\"]\n"
                  "assert figure[\"name\"] == \"lcs-figure-3\" and len(figure[\"rows\"]) == 7\n"
                  "for row in figure[\"rows\"]:\n"
                  "  first, second = row[\"ways\"].values()\n"
                  "  assert abs(first / second / row[\"ratio\"] - 1) < 0.01 and row[\"published\"]' " +
                  (folder / "papers.json"))
                .err,
            "");
}

TEST(bench_papers, a_case_of_hours_is_bounded_by_smaller_ones) {
  const outcome result =
      bench_run({"papers", "--only", "lcs-table-2/16M", "--budget", budget, "--device", "cpu"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(has(line_of(result.out, "hirschberg-dp", "cpu x"), "~")) << result.out;
  EXPECT_FALSE(has(result.out, "lcs-rates")) << result.out;
}

class gpu_bench_papers : public gpu_suite {};

TEST_F(gpu_bench_papers, tables_of_the_papers_are_right) {
  for (const gpu_table& each : gpu_tables()) {
    const outcome result = bench_run({"papers", "--only", each.only, "--runs", "2", "--device", "gpu"});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    EXPECT_TRUE(has(result.out, "every answer is held against a fixed digest\n")) << result.out;
    for (const string& method : each.methods)
      EXPECT_TRUE(has(line_of(result.out, method, "gpu"), "/s")) << method << '\n' << result.out;
    EXPECT_FALSE(has(result.out, "WRONG") || has(result.out, "not on this machine")) << result.out;
  }
}

TEST(bench_papers, a_figure_has_ways_side_by_side) {
  const bench::bench_case of{"made/1", "", 1, 1, 0, {}, {}};
  const bench::suite suite{"made", "items", bench::ceiling_kind::copy, "", {}};
  bench::suite_rows rows{&suite};
  rows.cases.push_back({&of, {{"slow", "cpu x1"}, {"quick", "gpu"}, {"faulty", "gpu"}}});
  rows.cases[0].rows[0].seconds = {3};
  rows.cases[0].rows[1].extrapolated = 0.5;
  rows.cases[0].rows[2].seconds = {1};
  rows.cases[0].rows[2].wrong = true;
  const auto line = [&](const string& second) {
    const string table = figure_table(rows, {"drawn", "", {"slow", second}, {{"made/1", "5.0"}}});
    return line_of(table, "made/1", "3 s");
  };
  EXPECT_TRUE(has(line("quick"), "~500 ms") && has(line("quick"), " ~6  5.0")) << line("quick");
  for (const char* second : {"faulty", "none"})
    EXPECT_TRUE(has(line(second), " -        -  5.0")) << line(second);
}

} // namespace

} // namespace weft::test
