// Checks the ways of weft-bench that run on a GPU.
#include <bench/gpu.hpp>
#include <bench/sort/gpu_pairs.hpp>
#include <gtest/gtest.h>
#include <test/base/gpu_suite.hpp>
#include <test/cli/process.hpp>
#include <weft/io/checksum.hpp>

#include "bench_lines.hpp"

namespace weft::test {

namespace {

using std::string;

class gpu_bench : public gpu_suite {};

TEST_F(gpu_bench, every_engine_is_right) {
  const std::vector<std::pair<string, string>> runs = {{"sort", "u*-uniform/2^20"},
                                                       {"sort", "f64-uniform/2^20"},
                                                       {"sort", "u*+u*/2^16"},
                                                       {"sort", "records-*/2^16"},
                                                       {"sort", "u128-*/2^16"},
                                                       {"sort", "segments-*/2^20"},
                                                       {"sort", "u64-misleading/2^22"},
                                                       {"bwt", "*/1M"},
                                                       {"bwt", "sa-*/200k"},
                                                       {"bwt", "batch-*/9M"},
                                                       {"lcs", "*/10k"},
                                                       {"lcs", "all-pairs-*/1000"},
                                                       {"lcs", "all-pairs-affine-*/1415"},
                                                       {"scan", "*/20k"},
                                                       {"papers", "bwt-figure-2-dna/1M"}};
  for (const auto& [capability, only] : runs) {
    const outcome result = bench_run({capability, "--only", only, "--runs", "2", "--device", "gpu"});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    EXPECT_TRUE(has(result.out, " gpu: ") && has(result.out, "/s\n")) << result.out;
    EXPECT_FALSE(has(result.out, "WRONG") || has(result.out, "not on this machine")) << result.out;
  }
}

TEST_F(gpu_bench, pairs_in_gpu_memory_are_told_from_others) {
  const std::vector<std::uint64_t> keys = {3, 1, 2, 2, 7, 1}; // as keys of 32 bits: 3, 0, 1, 0, 2, 0, ...
  for (const auto items : {bench::item_kind::u32_u32, bench::item_kind::u64_u32, bench::item_kind::u64_u64,
                           bench::item_kind::record16})
    for (bench::method& each :
         bench::pairs_in_gpu_memory(items, [&] { return std::as_bytes(std::span(keys)); }))
      for (int round = 0; round < 2; ++round) {
        each.prepare();
        EXPECT_FALSE(each.is_right()) << each.name;
        each.run();
        EXPECT_TRUE(each.is_right()) << each.name;
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

} // namespace
} // namespace weft::test
