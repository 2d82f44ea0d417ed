// Tests the predictions of weft-bench scale: against the rates that they are made of, and against the bytes
// that ranks send. Tests its jobs of several GPUs by ranks that run on the CPU.
#include <algorithm>
#include <atomic>
#include <bench/scale/gpu_jobs.hpp>
#include <bench/scale/measure.hpp>
#include <bench/scale/model.hpp>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <string>
#include <test/cli/process.hpp>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/multi/sort.hpp>
#include <weft/multi/suffixes.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace weft::bench {

namespace {

constexpr rank_rates rates{.sort_item = 1e-9,
                           .sort_level = 1e-10,
                           .merge_item = 1e-9,
                           .search_pivot = 1e-7,
                           .cell = 1e-11,
                           .count_symbol = 2e-9,
                           .sort_suffix = 1e-7,
                           .take_suffix = 1e-9,
                           .read_preceding = 2e-9,
                           .check_byte = 1e-10,
                           .scan_residue = 1e-8};
constexpr network usual{.bandwidth = 1e10, .latency = 2e-6};
// Seconds are bytes.
constexpr network bytes_alone{.bandwidth = 1, .latency = 0};

TEST(scale, one_rank_takes_what_its_rates_say) {
  EXPECT_DOUBLE_EQ(predict_sort(1 << 20, 1, rates, usual).total, (1 << 20) * (1e-9 + 20 * 1e-10));
  EXPECT_DOUBLE_EQ(predict_lcs(1e6, 1e6, 1, rates, usual).total, 10);
  EXPECT_DOUBLE_EQ(predict_suffixes(1e9, 1, rates, usual).total, 1e9 * (2e-9 + 1e-7 + 1e-9));
  EXPECT_DOUBLE_EQ(predict_transform(1e9, 1, rates, usual).total, 1e9 * (2e-9 + 1e-7 + 2e-9 + 2 * 1e-10));
  EXPECT_DOUBLE_EQ(predict_scan(1e9, 1, rates, usual).total, 10);
}

TEST(scale, more_ranks_take_less_time_and_never_less_than_their_share) {
  const auto check = [](const auto& predict) {
    const double alone = predict(1).total;
    for (int ranks = 2; ranks <= 64; ranks *= 2) {
      const prediction each = predict(ranks);
      EXPECT_LT(each.total, predict(ranks / 2).total) << ranks;
      EXPECT_GE(each.total, alone / ranks * 0.5) << ranks; // smaller arrays have fewer levels
      EXPECT_GE(each.total, std::max(each.computing, each.exchanging)) << ranks;
      EXPECT_LE(each.total, each.computing + each.exchanging) << ranks;
    }
  };
  check([](int ranks) { return predict_sort(0x1p34, ranks, rates, usual); });
  check([](int ranks) { return predict_lcs(0x1p24, 0x1p24, ranks, rates, usual); });
  check([](int ranks) { return predict_suffixes(0x1p33, ranks, rates, usual); });
  check([](int ranks) { return predict_transform(0x1p33, ranks, rates, usual); });
  check([](int ranks) { return predict_scan(0x1p34, ranks, rates, usual); });
}

TEST(scale, a_slower_network_takes_more_time) {
  constexpr network slow{.bandwidth = 1e8, .latency = 1e-3};
  EXPECT_GT(predict_sort(0x1p34, 16, rates, slow).total, predict_sort(0x1p34, 16, rates, usual).total);
  EXPECT_GT(predict_lcs(0x1p24, 0x1p24, 16, rates, slow).total,
            predict_lcs(0x1p24, 0x1p24, 16, rates, usual).total);
  EXPECT_GT(predict_suffixes(0x1p33, 16, rates, slow).total,
            predict_suffixes(0x1p33, 16, rates, usual).total);
  EXPECT_GT(predict_transform(0x1p33, 16, rates, slow).total,
            predict_transform(0x1p33, 16, rates, usual).total);
}

TEST(scale, a_sort_sends_the_bytes_of_the_model) {
  constexpr std::uint64_t items = std::uint64_t{1} << 22;
  for (const int count : {2, 4}) {
    std::atomic<std::uint64_t> sent{0};
    multi::run_ranks(count, [&](multi::communicator& ranks) {
      std::mt19937_64 random(static_cast<std::uint64_t>(ranks.rank()));
      std::vector<std::uint64_t> own(items / static_cast<std::uint64_t>(count));
      for (std::uint64_t& each : own) each = random();
      multi::sort(ranks, std::span(own), {}, {.run = {.threads = 1}});
      sent += ranks.sent().bytes;
    });
    const double of_rank = static_cast<double>(sent) / count,
                 predicted = predict_sort(static_cast<double>(items), count, {}, bytes_alone).exchanging;
    EXPECT_LE(of_rank, predicted);
    EXPECT_GE(of_rank, predicted * 0.8); // the pivots of other ranks are received
  }
}

TEST(scale, suffixes_send_the_bytes_of_the_model) {
  constexpr std::uint64_t symbols = 1 << 20;
  std::mt19937_64 random(1);
  std::string text(symbols, ' ');
  for (char& base : text) base = "ACGT"[random() % 4];
  for (const int count : {2, 4}) {
    std::atomic<std::uint64_t> sent{0};
    multi::run_ranks(count, [&](multi::communicator& ranks) {
      multi::suffix_parts parts(ranks, text, {.threads = 1});
      for (std::uint64_t part = 0; part < parts.count(); ++part) parts.exchange(part);
      sent += ranks.sent().bytes;
    });
    // Rank 0 counts the text once; on a link it takes twice its bytes. All send suffixes at the same time.
    const double of_text = symbols / 4.0,
                 predicted = predict_suffixes(symbols, count, {}, bytes_alone).exchanging - 2 * of_text;
    EXPECT_NEAR((static_cast<double>(sent) - of_text) / count, predicted, predicted * 0.01);
  }
}

TEST(scale, ranks_are_timed_after_they_have_warmed_up) {
  int prepared = 0, checked = 0;
  std::atomic<int> worked = 0;
  const double seconds = time_of_ranks(
      2, [&] { ++prepared; }, [&](multi::communicator&) { ++worked; },
      [&] {
        ++checked;
        EXPECT_EQ(prepared, checked);
        EXPECT_EQ(worked, 2 * checked);
      },
      2);
  EXPECT_GE(seconds, 0);
  EXPECT_EQ(checked, 5);
}

constexpr gpu_job_sizes small_sizes{.table_side = 5000,
                                    .num_sequences = 300,
                                    .sequence_bases = 50,
                                    .index_bases = 100'000,
                                    .num_patterns = 1000,
                                    .pattern_bases = 30,
                                    .residues = 200'000,
                                    .num_motifs = 20,
                                    .text_bases = 100'000};
const std::vector<device_choice> two_cpus(2, device_choice{device_kind::cpu, 0});

TEST(scale, jobs_of_several_devices_have_right_answers_and_predictions) {
  const std::vector<measured_gpu_job> jobs = run_gpu_jobs(two_cpus, "", small_sizes);
  ASSERT_EQ(jobs.size(), gpu_job_names.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const measured_gpu_job& job = jobs[i];
    EXPECT_EQ(job.name, gpu_job_names[i]);
    EXPECT_EQ(job.failure, "") << job.name;
    EXPECT_FALSE(job.about.empty()) << job.name;
    ASSERT_EQ(job.runs.size(), 2U) << job.name;
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(job.runs[k].num_devices, k + 1) << job.name;
      EXPECT_TRUE(job.runs[k].is_right) << job.name << k;
      EXPECT_FALSE(job.runs[k].is_extrapolated) << job.name << k;
      EXPECT_GT(job.runs[k].seconds, 0) << job.name << k;
      EXPECT_GT(job.runs[k].predicted, 0) << job.name << k;
    }
    EXPECT_EQ(job.runs[0].predicted, job.runs[0].seconds) << job.name;
  }
}

TEST(scale, jobs_that_would_take_too_long_are_extrapolated_from_a_sample) {
  gpu_job_sizes sizes = small_sizes;
  sizes.max_seconds = 0;
  const std::vector<measured_gpu_job> jobs = run_gpu_jobs(two_cpus, "all-*", sizes);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].name, "all-pairs");
  ASSERT_EQ(jobs[0].runs.size(), 2U);
  for (const gpu_job_run& each : jobs[0].runs) {
    EXPECT_TRUE(each.is_extrapolated);
    EXPECT_TRUE(each.is_right);
    EXPECT_GT(each.seconds, 0);
  }
}

TEST(scale, a_job_that_cannot_run_says_why) {
  const std::vector<device_choice> absent = {{device_kind::gpu, 1000}};
  const std::vector<measured_gpu_job> jobs = run_gpu_jobs(absent, "transform", small_sizes);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_TRUE(jobs[0].runs.empty());
  EXPECT_FALSE(jobs[0].failure.empty());
}

TEST(scale, only_selects_jobs_of_several_gpus) {
  using test::bench_run, test::has, test::outcome;
  const outcome unknown = bench_run({"scale", "--gpus", "--only", "sorting"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "--only: no job 'sorting'; the jobs are sort, lcs,")) << unknown.err;
  EXPECT_EQ(bench_run({"scale", "--only", "sort"}).code, 2);
  const outcome absent = test::shell("CUDA_VISIBLE_DEVICES= weft-bench scale --gpus");
  EXPECT_EQ(absent.code, 4);
  EXPECT_TRUE(has(absent.err, "several GPUs cannot be measured: ")) << absent.err;
}

} // namespace

} // namespace weft::bench
