// weft-bench: every engine and a yardstick in each case, answers that are checked, budgets, and its outputs.
#include <algorithm>
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <test/cli/device_cases.hpp>
#include <test/cli/process.hpp>
#include <test_paths.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt_options.hpp>
#include <weft/io/checksum.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/scan/scan.hpp>
#include <weft/sort/sort.hpp>

#include "bench_lines.hpp"

namespace weft::test {

namespace {

using std::string;

// ThreadSanitizer does not see what the threads of TBB, which is built without it, wait for.
#if defined(__SANITIZE_THREAD__)
const string threads = "1";
#else
const string threads = "2";
#endif

struct small_run {
  string capability, only;
  std::vector<engine_info> engines;
  words yardsticks;
};

std::vector<small_run> small_runs() {
  return {{"sort",
           "u64-uniform/2^10",
           sort_engines(),
           {"std::sort *", "std::stable_sort *", "tbb::parallel_sort *"}},
          {"bwt", "bwt-random-dna/10k", bwt_engines(), {"libdivsufsort *", "libsais *"}},
          {"lcs", "length-dna/1k", lcs_engines(), {"plain 64-bit rows *"}},
          {"lcs", "edit-dna/10k", {}, {"plain 64-bit rows *", "edlib *"}},
          {"scan", "ps-scan-16-motifs/200k", scan_engines(), {"shift-and *", "nfa-array *"}}};
}

TEST(bench, each_capability_runs_every_engine_and_a_yardstick) {
  for (const small_run& each : small_runs()) {
    const outcome result = bench_run({each.capability, "--only", each.only, "--runs", "1", "-t", threads});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    EXPECT_TRUE(has(result.out, "\n" + each.only + ": ")) << result.out;
    for (const engine_info& engine : each.engines)
      EXPECT_NE(line_of(result.out, engine.name, ""), "") << engine.name << '\n' << result.out;
    for (const string& name : each.yardsticks) {
      const string line = line_of(result.out, name, "cpu x");
      EXPECT_TRUE(has(line, "/s") || has(line, "not on this machine: ")) << name << '\n' << result.out;
    }
    EXPECT_TRUE(has(result.out, "ceiling: ")) << result.out;
    EXPECT_FALSE(has(result.out, "WRONG")) << result.out;
  }
}

TEST(bench, inverses_and_every_end_as_well) {
  const outcome inverse =
      bench_run({"bwt", "--only", "unbwt-genome-like/1M", "--runs", "1", "--device", "cpu"});
  EXPECT_EQ(inverse.code, 0) << inverse.out;
  EXPECT_TRUE(has(line_of(inverse.out, "chains", "cpu x"), " 1")) << inverse.out;
  EXPECT_TRUE(has(line_of(inverse.out, "libdivsufsort *", "cpu x1"), "symbols/s")) << inverse.out;
  const outcome ends = bench_run({"scan", "--only", "ends-*/20k", "--runs", "1", "--device", "cpu"});
  EXPECT_EQ(ends.code, 0) << ends.out;
  EXPECT_NE(line_of(ends.out, "Hyperscan, a call a sequence *", "cpu x1"), "") << ends.out;
}

TEST(bench, rows_without_a_gpu_say_so) {
  const outcome result = shell("CUDA_VISIBLE_DEVICES= weft-bench lcs --only length-dna/1k --runs 1");
  EXPECT_EQ(result.code, 0);
  for (const char* engine : {"systolic", "wavefront"})
    EXPECT_TRUE(has(line_of(result.out, engine, "gpu"), "not on this machine: ")) << result.out;
  EXPECT_EQ(shell("CUDA_VISIBLE_DEVICES= weft-bench lcs --only length-dna/1k --device gpu").code, 4);
  EXPECT_EQ(line_of(bench_run({"lcs", "--only", "length-dna/1k", "--runs", "1", "--device", "cpu"}).out,
                    "systolic", "gpu"),
            "");
}

TEST(bench, the_list_names_cases_and_runs_none) {
  for (const small_run& each : small_runs()) {
    const outcome result = bench_run({each.capability, "--list"});
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(has("\n" + result.out, "\n" + each.only + "\t")) << result.out;
    EXPECT_FALSE(has(result.out, "ceiling"));
  }
  EXPECT_EQ(bench_run({"sort", "--list", "--only", "u64-*/2^1?"}).out,
            "u64-uniform/2^10\t1024 items of 8 bytes, uniform, seed 1\n"
            "u64-uniform/2^16\t65536 items of 8 bytes, uniform, seed 1\n");
}

TEST(bench, json_is_what_compare_reads) {
  if (!installed("python3")) GTEST_SKIP() << "python3 is not installed";
  const scratch_folder folder;
  for (const char* name : {"old.json", "new.json"})
    EXPECT_EQ(
        bench_run({"sort", "--only", "2^10", "--runs", "3", "-t", threads, "--json", "-o", folder / name})
            .code,
        0);
  EXPECT_EQ(
      shell(
          "python3 -c 'import json, sys\n"
          "record = json.load(open(sys.argv[1]))\n"
          "rows = {row[\"way\"]: row for row in record[\"benchmarks\"]}\n"
          "assert record[\"context\"][\"program\"] == \"weft-bench sort\" and record[\"context\"][\"cpu\"]\n"
          "assert len(bytes.fromhex(record[\"context\"][\"commit\"])) in (0, 20)\n"
          "assert len(rows[\"vqsort\"][\"runs_ns\"]) == 3 and rows[\"vqsort\"][\"ratio_to\"] in rows\n"
          "assert rows[\"vqsort\"][\"digest\"] == rows[\"std::sort\"][\"expected\"]\n"
          "assert all(row[\"reason\"] for row in record[\"not_run\"])' " +
          (folder / "old.json"))
          .err,
      "");
  const outcome compared =
      shell(WEFT_BENCH_COMPARE " " + (folder / "old.json") + " " + (folder / "new.json"));
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_TRUE(has(compared.out, "\nsort/u64-uniform/2^10/std::sort/cpu x1 ")) << compared.out;
}

TEST(bench, a_budget_that_is_over_leaves_rows_out_and_is_no_fault) {
  const outcome result = bench_run({"lcs", "--budget", "0.001", "--device", "cpu"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(has(line_of(result.out, "bit-sliced", "cpu x"), "not run within the budget")) << result.out;
  EXPECT_FALSE(has(result.out, "cells/s")) << result.out;
}

TEST(bench, wrong_use) {
  const auto refused = [](const words& given, int code, const string& message) {
    const outcome result = bench_run(given);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(has(result.err, message)) << result.err;
  };
  refused({}, 2, "papers      the tables and figures");
  refused({"sorts"}, 2, "there is no verb 'sorts'; did you mean sort?\n'weft-bench help' lists the verbs\n");
  refused({"sort", "--only", "u63"}, 2, "no case 'u63'");
  for (const char* budget : {"0", "-1", "soon", "1s", "nan", "inf"})
    refused({"sort", string("--budget=") + budget}, 2, budget);
  refused({"sort", "--runs", "0"}, 2, "--runs");
  refused({"sort", "--list", "--threads", "1025"}, 2, "--threads is 1024 at most, not 1025\n");
  refused({"sort", "--lists"}, 2, "weft-bench sort has no flag '--lists'; did you mean --list?\n");
  refused({"sort", "--device", "tpu"}, 2, "tpu");
  refused({"sort", "motifs.txt", "proteins.fa"}, 2, "weft-bench sort: wrong number of arguments (2)\n");
  refused({"scan", "motifs.txt"}, 2, "motifs and sequences");
  refused({"scan", "motifs.txt", "missing.fa"}, 3, "missing.fa");
  refused({"sort", "--only", "2^10", "-o", "/no/such/folder/x"}, 3, "/no/such/folder");
}

TEST(bench, own_motifs_and_sequences_have_parts_before_them_for_rates) {
  const bench::suite of =
      bench::scan_suite({}, {data("motifs.txt"), WEFT_TEST_DATA "/../../examples/data/proteins.fa"});
  ASSERT_EQ(of.cases.size(), 3);
  for (std::size_t i = 0; i < of.cases.size(); ++i) {
    EXPECT_EQ(of.cases[i].for_rates, i < 2);
    EXPECT_EQ(kind_of(of.cases[i]), kind_of(of.cases[2]));
    EXPECT_NEAR(of.cases[2].units / of.cases[i].units, i == 0 ? 64 : i == 1 ? 8 : 1, 4);
  }
  const outcome list = bench_run({"scan", "motifs.txt", "proteins.fa", "--list"});
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 1) << list.out;
}

TEST(bench, own_motifs_and_sequences_are_held_against_the_first) {
  const outcome result = bench_run({"scan", "motifs.txt", "proteins.fa", "--runs", "1", "--device", "cpu"});
  EXPECT_EQ(result.code, 0) << result.err << result.out;
  EXPECT_TRUE(has(result.out, "held against that of the first way")) << result.out;
  EXPECT_TRUE(has(line_of(result.out, "nfa-array *", "cpu x"), "/s")) << result.out;
}

class gpu_bench : public gpu_suite {};

TEST_F(gpu_bench, every_engine_is_right) {
  const std::vector<std::pair<string, string>> runs = {
      {"sort", "u*-uniform/2^20"}, {"sort", "f64-uniform/2^20"},     {"bwt", "*/1M"}, {"lcs", "*/10k"},
      {"scan", "*/20k"},           {"papers", "bwt-figure-2-dna/1M"}};
  for (const auto& [capability, only] : runs) {
    const outcome result = bench_run({capability, "--only", only, "--runs", "2", "--device", "gpu"});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    EXPECT_TRUE(has(result.out, " gpu: ") && has(result.out, "/s\n")) << result.out;
    EXPECT_FALSE(has(result.out, "WRONG") || has(result.out, "not on this machine")) << result.out;
  }
}

TEST_F(gpu_bench, digests_of_items_in_gpu_memory_tell_orders_apart) {
  const std::vector<std::uint32_t> items = {3, 1, 2, 2, 7}, sorted = {1, 2, 2, 3, 7};
  const auto digest_of = [](const std::vector<std::uint32_t>& of) {
    return io::checksum({reinterpret_cast<const char*>(of.data()), of.size() * sizeof of[0]});
  };
  for (bench::method& each : bench::sorts_in_gpu_memory(
           "sort", "", [&] { return std::as_bytes(std::span(items)); }, number_type_of<std::uint32_t>(false)))
    for (int round = 0; round < 2; ++round) {
      each.prepare();
      EXPECT_EQ(each.digest(), digest_of(items)) << each.name;
      each.run();
      EXPECT_EQ(each.digest(), digest_of(sorted)) << each.name;
      EXPECT_EQ(each.digest(), digest_of(sorted)) << each.name;
    }
}

// A case of three ways that answer 7, 7 and `last`.
bench::bench_case made_case(std::optional<std::uint64_t> expected, std::uint64_t last) {
  return {"made/1", "", 1, 1, 0, expected, [last] {
            std::vector<bench::method> methods;
            for (const std::uint64_t answer : {std::uint64_t{7}, std::uint64_t{7}, last})
              methods.push_back({"way", false, false, 1, "", [] {}, [] {}, [answer] { return answer; }});
            methods.front().yardstick = true;
            return methods;
          }};
}

bench::case_rows run_one(bench::runner& runner, const bench::bench_case& of, std::size_t cases_left = 1) {
  return runner.run({&of, 1}, 0, cases_left);
}

std::vector<bool> wrong_rows(const bench::bench_case& of) {
  bench::runner runner({.budget = 60, .runs = 2});
  const bench::case_rows rows = run_one(runner, of);
  std::vector<bool> wrong;
  for (const bench::row& each : rows.rows) wrong.push_back(each.wrong);
  EXPECT_EQ(bench::is_wrong({rows}), std::count(wrong.begin(), wrong.end(), true) > 0);
  return wrong;
}

TEST(bench, a_wrong_answer_is_found) {
  EXPECT_EQ(wrong_rows(made_case(7, 7)), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(wrong_rows(made_case(7, 8)), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(wrong_rows(made_case(8, 8)), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(wrong_rows(made_case({}, 7)), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(wrong_rows(made_case({}, 8)), (std::vector<bool>{false, false, true}));
  bench::runner runner({.budget = 60, .runs = 1});
  const bench::bench_case nine = made_case(9, 9);
  EXPECT_EQ(bench::quickest_yardstick(run_one(runner, nine)), nullptr); // it is wrong
}

TEST(bench, ways_take_turns_and_a_slow_one_is_told_by_a_smaller_case) {
  string order;
  const auto made = [&](const string& name, double units) {
    return bench::bench_case{name, "", units, 1, 0, 0, [&order] {
                               std::vector<bench::method> methods;
                               for (const char letter : {'a', 'b'})
                                 methods.push_back({string(1, letter), false, false, 1, "", [] {},
                                                    [&order, letter] { order += letter; }, [] { return 0; }});
                               return methods;
                             }};
  };
  bench::runner runner({.budget = 60, .runs = 2});
  const auto first = made("kind/small", 1), second = made("kind/large", 1e15),
             other = made("other/large", 1e15);
  EXPECT_EQ(run_one(runner, first, 3).rows.front().seconds.size(), 2U);
  EXPECT_EQ(order, "aabbab"); // the first of each is not counted
  const bench::row told = run_one(runner, second, 2).rows.front();
  EXPECT_TRUE(has(told.not_run, "not run within the budget; extrapolated")) << told.not_run;
  EXPECT_GT(told.extrapolated, 60);
  EXPECT_EQ(told.time(), told.extrapolated);
  EXPECT_EQ(run_one(runner, other).rows.front().not_run, "");
}

double made_seconds = 0; // of a clock that only what is run here sets forward
double made_clock() { return made_seconds; }

// Cases of two ways, of which the second is slower: their checks take milliseconds of that clock, their runs
// hardly anything.
std::vector<bench::bench_case> slowly_checked(const std::vector<double>& units) {
  std::vector<bench::bench_case> cases;
  for (const double size : units)
    cases.push_back({fmt::format("made/{}", size), "", size, 1, 0, {}, [size] {
                       std::vector<bench::method> methods;
                       for (const double milliseconds : {1, 4})
                         methods.push_back({fmt::format("of {}", milliseconds), false, false, 1, "", [] {},
                                            [] { made_seconds += 1e-6; },
                                            [=] {
                                              made_seconds += milliseconds * size / 1e3;
                                              return 0;
                                            }});
                       return methods;
                     }});
  return cases;
}

std::vector<bench::case_rows> run_all(bench::runner& runner, const std::vector<bench::bench_case>& cases) {
  std::vector<bench::case_rows> rows;
  for (std::size_t i = 0; i < cases.size(); ++i) rows.push_back(runner.run(cases, i, cases.size() - i));
  return rows;
}

TEST(bench, cases_share_the_budget_with_their_checks) {
  const auto cases = slowly_checked({1, 1, 1, 1, 1, 1});
  bench::runner runner({.budget = 0.6}, made_clock);
  for (const bench::case_rows& rows : run_all(runner, cases)) {
    EXPECT_GE(rows.rows[0].seconds.size(), rows.rows[1].seconds.size());
    EXPECT_GE(rows.rows[1].seconds.size(), 1U);
    EXPECT_LT(rows.rows[1].seconds.size(), 25U); // 26 checks take more than a sixth of the budget
  }
  EXPECT_GT(runner.seconds_left(), -0.01);
}

TEST(bench, what_a_case_does_not_need_goes_to_those_after_it) {
  const auto cases = slowly_checked({0.1, 0.1, 0.1, 10}); // two runs of the last take 100 ms
  bench::runner runner({.budget = 0.3}, made_clock);
  const auto rows = run_all(runner, cases);
  EXPECT_GE(rows[3].rows[0].seconds.size(), 1U);
  EXPECT_GE(rows[3].rows[1].seconds.size(), 1U);
}

TEST(bench, a_slow_way_leaves_room_for_the_cases_after_it) {
  const auto cases = slowly_checked({1, 20, 1}); // of the second case 40 and 160 ms
  bench::runner runner({.budget = 0.2}, made_clock);
  const auto rows = run_all(runner, cases);
  EXPECT_GE(rows[1].rows[0].seconds.size(), 1U);
  EXPECT_TRUE(has(rows[1].rows[1].not_run, "not run within the budget; extrapolated"));
  EXPECT_GE(rows[2].rows[1].seconds.size(), 1U);
}

TEST(bench, a_case_that_is_too_large_in_any_way_takes_no_room) {
  // Of the second case 20 and 80 ms, of those after it seconds.
  const auto cases = slowly_checked({1, 10, 1000, 1000, 1000});
  bench::runner runner({.budget = 0.35}, made_clock);
  const auto rows = run_all(runner, cases);
  EXPECT_GE(rows[1].rows[1].seconds.size(), 1U);
  EXPECT_TRUE(has(rows[2].rows[0].not_run, "not run within the budget; extrapolated"));
}

TEST(bench, a_first_run_that_takes_all_is_said_to_be_not_counted) {
  auto cases = slowly_checked({1});
  cases[0].methods = [] {
    std::vector<bench::method> methods = slowly_checked({1})[0].methods();
    methods[0].run = [] { made_seconds += 0.02; };
    return methods;
  };
  bench::runner runner({.budget = 0.03}, made_clock);
  const bench::row first = run_all(runner, cases)[0].rows[0];
  EXPECT_TRUE(has(first.not_run, "but for its first run")) << first.not_run;
  EXPECT_NEAR(first.time(), 0.02, 1e-9);
  EXPECT_TRUE(first.seconds.empty());
}

TEST(bench, inputs_that_are_the_same_are_made_once) {
  int made = 0;
  const auto ask = [&](const string& key) {
    return *bench::input_of<string>(key, [&] { return ++made, "of " + key; });
  };
  EXPECT_EQ(ask("a") + ask("a") + ask("b") + ask("a"), "of aof aof bof a");
  EXPECT_EQ(made, 3);
  bench::last_input() = {};
}

TEST(bench, a_way_that_cannot_says_why) {
  bench::bench_case of = made_case(7, 7);
  of.methods = [] {
    std::vector<bench::method> methods(1);
    methods[0].run = [] { throw error(errc::invalid_input, "not this"); };
    return methods;
  };
  bench::runner runner({.budget = 60, .runs = 1});
  EXPECT_EQ(run_one(runner, of).rows.front().not_run, "not this");
  of.methods = [] {
    std::vector<bench::method> methods(1);
    methods[0].run = [] { throw error(errc::device, "broken"); };
    return methods;
  };
  EXPECT_THROW((void)run_one(runner, of), error);
  of.memory = ~std::uint64_t{0};
  EXPECT_TRUE(has(run_one(runner, of).rows.front().not_run, "of memory"));
}

TEST(bench, a_way_may_have_a_clock_of_its_own) {
  bench::bench_case of = made_case(7, 7);
  of.methods = [methods = of.methods()] {
    std::vector<bench::method> made = methods;
    made.back().seconds = [] { return 0.25; };
    return made;
  };
  bench::runner runner({.budget = 60, .runs = 2});
  const bench::case_rows rows = run_one(runner, of);
  EXPECT_EQ(rows.rows.back().seconds, (std::vector<double>{0.25, 0.25}));
  EXPECT_LT(rows.rows.front().time(), 0.25);
}

TEST(bench, medians) {
  EXPECT_EQ(bench::median({3, 1, 2}), 2);
  EXPECT_EQ(bench::median({4, 1, 2, 3}), 2.5);
}

TEST(bench, ceilings_are_measured) {
  EXPECT_GT(bench::cpu_ceiling(bench::ceiling_kind::copy, 1), 1e7);
  EXPECT_GT(bench::cpu_ceiling(bench::ceiling_kind::logic, 1), 1e8);
}

} // namespace

} // namespace weft::test
