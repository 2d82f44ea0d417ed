// Tests weft-bench: each case has every engine and a yardstick, answers are checked, budgets are kept; and
// the outputs.
#include <algorithm>
#include <bench/bench.hpp>
#include <bench/kept_input.hpp>
#include <bench/sort/inputs.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <test/cli/device_cases.hpp>
#include <test/cli/process.hpp>
#include <test_paths.hpp>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/bwt/bwt_options.hpp>
#include <weft/lcs/lcs.hpp>
#include <weft/scan/scan.hpp>
#include <weft/sort/sort.hpp>

#include "bench_lines.hpp"

namespace weft::test {

namespace {

using std::string;

// TBB is built without ThreadSanitizer, which therefore does not see how the threads of TBB wait for each
// other.
#if defined(__SANITIZE_THREAD__)
const string threads = "1";
#else
const string threads = "2";
#endif

bench::limits with_threads() { return {.threads = std::stoi(threads)}; }

struct small_run {
  string capability, only;
  std::vector<engine_info> engines;
  words yardsticks;
};

// Returns the engines of lcs that compute metric affine, or the others.
std::vector<engine_info> lcs_engines_that_are(bool affine) {
  std::vector<engine_info> chosen;
  for (const engine_info& each : lcs_engines())
    if (each.name.starts_with("affine-") == affine) chosen.push_back(each);
  return chosen;
}

std::vector<small_run> small_runs() {
  return {{"sort",
           "u64-uniform/2^10",
           sort_engines(),
           {"std::sort *", "std::stable_sort *", "tbb::parallel_sort *"}},
          {"bwt", "bwt-random-dna/10k", bwt_engines(), {"libdivsufsort *", "libsais *"}},
          {"lcs", "length-dna/1k", lcs_engines_that_are(false), {"plain 64-bit rows *"}},
          {"lcs", "penalty-dna/1k", lcs_engines_that_are(true), {"plain rows of Gotoh *"}},
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
  for (const char* engine : {"systolic", "wavefront"}) // a build without CUDA does not have them
    EXPECT_EQ(has(line_of(result.out, engine, "gpu"), "not on this machine: "), built_with_cuda())
        << result.out;
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
  EXPECT_EQ(
      bench_run({"sort", "--list", "--only", "u64*-uniform/2^12"}).out,
      "u64-uniform/2^12\t4096 items of 8 bytes, uniform, seed 1 (only with --all or --only)\n"
      "u64+u32-uniform/2^12\t4096 keys of 8 bytes with values of 4 bytes, uniform, seed 1 (only with --all "
      "or --only)\n"
      "u64+u64-uniform/2^12\t4096 keys of 8 bytes with values of 8 bytes, uniform, seed 1 (only with --all "
      "or --only)\n");
}

TEST(bench, json_is_what_compare_reads) {
  if (!installed("python3")) GTEST_SKIP() << "python3 is not installed";
  const scratch_folder folder;
  for (const char* name : {"old.json", "new.json"})
    EXPECT_EQ(bench_run({"sort", "--only", "u64-uniform/2^10", "--runs", "3", "-t", threads, "--json", "-o",
                         folder / name})
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
  const outcome compared = bench_run({"compare", folder / "old.json", folder / "new.json"});
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
  refused({"sort", "--list", "--threads", "1025"}, 2, "--threads must be at most 1024, not 1025\n");
  refused({"sort", "--lists"}, 2, "weft-bench sort has no flag '--lists'; did you mean --list?\n");
  refused({"sort", "--device", "tpu"}, 2, "tpu");
  refused({"sort", "motifs.txt", "proteins.fa"}, 2,
          "weft-bench sort: too many arguments (2 given, at most 0 allowed)\n");
  refused({"scan", "motifs.txt"}, 2, "needs either no files or two: [MOTIFS SEQUENCES]");
  refused({"scan", "motifs.txt", "missing.fa"}, 3, "missing.fa");
  refused({"sort", "--only", "2^10", "-o", "/no/such/folder/x"}, 3, "/no/such/folder");
}

TEST(bench, own_motifs_and_sequences_have_parts_before_them_for_rates) {
  const bench::suite of =
      bench::scan_suite({}, {data("motifs.txt"), WEFT_TEST_DATA "/../../examples/data/proteins.fa"});
  ASSERT_EQ(of.cases.size(), 12); // three for each of four tasks
  for (std::size_t i = 0; i < of.cases.size(); ++i) {
    const bench::bench_case& whole = of.cases[i / 3 * 3 + 2];
    EXPECT_EQ(of.cases[i].for_rates, i % 3 < 2);
    EXPECT_EQ(of.cases[i].on_request, i >= 3);
    EXPECT_EQ(kind_of(of.cases[i]), kind_of(whole));
    EXPECT_NEAR(whole.units / of.cases[i].units, i % 3 == 0 ? 64 : i % 3 == 1 ? 8 : 1, 4);
  }
  const outcome list = bench_run({"scan", "motifs.txt", "proteins.fa", "--list"});
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 4) << list.out;
}

TEST(bench, two_texts_of_the_user_are_compared) {
  const outcome result = bench_run({"lcs", "a.fa", "b.fa", "--runs", "1", "--device", "cpu", "-t", threads});
  EXPECT_EQ(result.code, 0) << result.err << result.out;
  for (const char* name : {"length", "edit", "path", "edit-path"})
    EXPECT_TRUE(has(result.out, string("\n") + name + "/files: a.fa and b.fa")) << result.out;
  EXPECT_FALSE(has(result.out, "WRONG")) << result.out;
}

TEST(bench, transforms_without_a_fixed_digest_are_inverted) {
  for (const char* only :
       {"bwt-rotation-random-dna/10k", "unbwt-rotation-genome-like/1M", "bwt-fibonacci/1M"}) {
    const outcome result =
        bench_run({"bwt", "--only", only, "--runs", "1", "--device", "cpu", "-t", threads});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    EXPECT_TRUE(has(line_of(result.out, only[0] == 'u' ? "chains" : "suffix-sort", "cpu x"), "/s"))
        << result.out;
  }
  for (const char* only : {"sa-word-text/200k", "sa32-words/1M", "lcp-genome-like/1M"}) {
    const outcome result =
        bench_run({"bwt", "--only", only, "--runs", "1", "--device", "cpu", "-t", threads});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    EXPECT_TRUE(has(line_of(result.out, only[0] == 'l' ? "lcp" : "suffix-sort", "cpu x"), "/s"))
        << result.out;
  }
  const outcome file = bench_run({"bwt", "proteins.fa", "--runs", "1", "--device", "cpu", "-t", threads});
  EXPECT_EQ(file.code, 0) << file.err << file.out;
  EXPECT_TRUE(has(file.out, "\nunbwt/file: ")) << file.out;
}

TEST(bench, names_of_cases_are_unique_and_usual_sorts_have_fixed_digests) {
  for (const bench::suite& of : {bench::sort_suite({}), bench::bwt_suite({}, {})}) {
    std::set<string> names;
    std::map<string, double> units; // units of the last case of each kind
    for (const bench::bench_case& each : of.cases) {
      EXPECT_TRUE(names.insert(each.name).second) << each.name;
      EXPECT_GT(each.units, units[kind_of(each)]) << each.name;
      units[kind_of(each)] = each.units;
      EXPECT_TRUE(of.name != "sort" || each.on_request || each.expected.has_value()) << each.name;
    }
  }
}

TEST(bench, sorted_pairs_are_told_from_others) {
  struct item {
    std::uint32_t key, payload;
  };
  const std::vector<std::uint32_t> input = {5, 3, 5};
  const auto is_right = [&](const std::vector<item>& items, bool stable) {
    return bench::are_sorted_pairs(std::span(input), std::span(items), stable);
  };
  EXPECT_TRUE(is_right({{3, 1}, {5, 0}, {5, 2}}, true));
  EXPECT_TRUE(is_right({{3, 1}, {5, 2}, {5, 0}}, false));
  EXPECT_FALSE(is_right({{3, 1}, {5, 2}, {5, 0}}, true));  // equal keys are in the wrong order
  EXPECT_FALSE(is_right({{5, 0}, {3, 1}, {5, 2}}, false)); // the keys are not sorted
  EXPECT_FALSE(is_right({{3, 0}, {5, 1}, {5, 2}}, false)); // the values belong to other keys
  EXPECT_FALSE(is_right({{3, 1}, {5, 2}, {5, 2}}, false)); // one item occurs twice
  EXPECT_FALSE(is_right({{3, 1}, {5, 0}}, false));         // an item is missing
  EXPECT_FALSE(is_right({{3, 1}, {5, 0}, {5, 3}}, false)); // 3 is no position of the input
}

TEST(bench, methods_that_sort_pairs_refuse_the_input_as_it_is) {
  std::size_t num_checked = 0;
  for (const bench::bench_case& each : bench::sort_suite(with_threads()).cases) {
    if (each.units != 4096 || has(each.name, "sorted") || has(each.name, "equal")) continue;
    for (const bench::method& way : each.methods())
      if (way.is_right && !way.on_gpu) {
        way.prepare();
        EXPECT_FALSE(way.is_right()) << each.name << ' ' << way.name;
        try {
          way.run();
        } catch (const error&) {
          continue; // the engine does not sort records
        }
        EXPECT_TRUE(way.is_right()) << each.name << ' ' << way.name;
        ++num_checked;
      }
  }
  EXPECT_GE(num_checked, 3U * 6 * 4 + 3 * 4);
  bench::last_input() = {};
}

TEST(bench, pairs_records_and_segments_beside_yardsticks) {
  const std::vector<words> runs = {
      {"u64+u64-16-values/2^16", "sort_by_key", "std::stable_sort *", "CUB's radix sort *"},
      {"u32+u32-normal/2^12", "sort_by_key", "tbb::parallel_sort *", "CUB's merge sort *"},
      {"records-by-comparator-16-values/2^16", "merge", "std::stable_sort *", "CUB's merge sort *"},
      {"segments-of-0-to-4096/2^20", "segmented_sort", "std::sort, a call a segment *",
       "CUB's segmented sort *"},
      {"u64-entropy-0.5/2^16", "vqsort", "std::sort *", "CUB's radix sort *"},
      {"u128-16-values/2^16", "vqsort", "std::sort *", "CUB's radix sort *"}};
  for (const words& each : runs) {
    const outcome result =
        shell("CUDA_VISIBLE_DEVICES= weft-bench sort --only '" + each[0] + "' --runs 1 -t " + threads);
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    for (const string& name : {each[1], each[2]})
      EXPECT_TRUE(has(line_of(result.out, name, "cpu x"), "/s")) << name << '\n' << result.out;
    const std::string row = line_of(result.out, each[3], "gpu");
    EXPECT_TRUE(has(row, "not on this machine: ") || (row.empty() && !built_with_cuda())) << result.out;
  }
}

TEST(bench, methods_of_bwt_that_check_their_answers_refuse_an_empty_one) {
  std::size_t num_checked = 0;
  for (const bench::bench_case& each : bench::bwt_suite(with_threads(), {}).cases)
    if (const string name = each.name; each.units <= 2e7 && name.ends_with("/1M") && name.find("bwt") != 0)
      for (const bench::method& way : each.methods())
        if (way.is_right && !way.on_gpu && !name.starts_with("un") && !name.starts_with("lcp")) {
          way.prepare();
          EXPECT_FALSE(way.is_right()) << name << ' ' << way.name;
          way.run();
          EXPECT_TRUE(way.is_right()) << name << ' ' << way.name;
          ++num_checked;
        }
  EXPECT_GE(num_checked, 40U);
  bench::last_input() = {};
}

TEST(bench, batches_collections_and_indexes_beside_libdivsufsort) {
  const std::vector<words> runs = {
      {"batch-word-text-of-900k/9M", "suffix-sort", "libdivsufsort, a call a text *"},
      {"batch-word-text-of-900k/9M", "suffix-sort, one thread", "libdivsufsort, a call a text *"},
      {"collection-reads-of-100/1M", "suffix-sort", "std::sort of the suffixes *"},
      {"collection-reads-of-100/1M", "suffix-sort, one thread", "libdivsufsort, the reads as one text *"},
      {"sa-word-text/1M", "suffix-sort, one thread", "libdivsufsort *"},
      {"sa32-words/1M", "suffix-sort, one thread", "libdivsufsort, as bytes *"},
      {"bwt-periodic/1M", "suffix-sort, one thread", "libdivsufsort *"},
      {"bwt-random-bytes/1M", "suffix-sort", "libdivsufsort *"},
      {"bwt-rotation-fibonacci/1M", "suffix-sort, one thread", "libdivsufsort *"},
      {"index-word-text/1M", "index", "libdivsufsort, the suffix array alone *"},
      {"count-100-with-error-random-dna/1M", "index, one thread", "binary search in libdivsufsort's array *"},
      {"locate-12-random-dna/1M", "index", "binary search in libdivsufsort's array *"}};
  for (const words& each : runs) {
    const outcome result =
        bench_run({"bwt", "--only", each[0], "--runs", "1", "--device", "cpu", "-t", threads});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    for (const string& name : {each[1], each[2]})
      EXPECT_TRUE(has(line_of(result.out, name, "cpu x"), "/s")) << name << '\n' << result.out;
  }
  const outcome large =
      bench_run({"bwt", "--only", "count-100-random-dna/64M", "--budget", "3", "--device", "cpu"});
  EXPECT_EQ(large.code, 0) << large.err;
  EXPECT_TRUE(has(line_of(large.out, "index", "cpu x"), "not run within the budget")) << large.out;
}

TEST(bench, batches_and_paths_of_edits) {
  for (const char* only : {"all-pairs-edit-byte?/100", "edit-path-related/10k"}) {
    const outcome result =
        bench_run({"lcs", "--only", only, "--runs", "1", "--device", "cpu", "-t", threads});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    EXPECT_TRUE(
        has(line_of(result.out, only[0] == 'a' ? "eight sequences at once" : "bit-parallel", "cpu x"), "/s"))
        << result.out;
  }
}

TEST(bench, own_motifs_and_sequences_are_held_against_the_first) {
  const outcome result = bench_run({"scan", "motifs.txt", "proteins.fa", "--runs", "1", "--device", "cpu"});
  EXPECT_EQ(result.code, 0) << result.err << result.out;
  EXPECT_TRUE(has(result.out, "held against that of the first way")) << result.out;
  EXPECT_TRUE(has(line_of(result.out, "nfa-array *", "cpu x"), "/s")) << result.out;
}

TEST(bench, cases_on_request_are_run_with_all_or_by_name) {
  const words call = {"scan", "--budget", "0.001", "--device", "cpu"};
  const string usual = bench_run(call).out, all = bench_run(with(call, {"--all"})).out;
  EXPECT_TRUE(has(usual, "\nends-1309-motifs/20k: ") && has(all, "\nends-1309-motifs/20k: ")) << usual;
  EXPECT_FALSE(has(usual, "\nstarts-1309-motifs/20k: ")) << usual;
  EXPECT_TRUE(has(all, "\nstarts-1309-motifs/20k: ")) << all;
  const outcome named =
      bench_run({"scan", "--only", "starts-1309-motifs/20k", "--runs", "1", "--device", "cpu"});
  EXPECT_EQ(named.code, 0) << named.out;
  EXPECT_TRUE(has(line_of(named.out, "bit-stream", "cpu x"), "/s")) << named.out;
}

} // namespace

} // namespace weft::test
