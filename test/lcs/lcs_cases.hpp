// Lists the engines as test parameters: engines of the CPU, and engines that need a GPU. The gtest names of
// the latter begin with gpu, by which CTest labels them.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft_test {

// This list does not call lcs_engines(), because that function looks for GPUs, and every test case is a
// process.
inline const std::vector<std::string> cpu_engines = {"auto",       "hirschberg-dp",     "bit-parallel",
                                                     "bit-sliced", "furthest-reaching", "hunt-szymanski"};
// The engines of metric affine.
inline const std::vector<std::string> affine_engines = {"auto", "affine-wavefront", "affine-table"};
inline const std::vector<std::string> gpu_engines = {"auto on gpu", "systolic", "wavefront"};

inline bool on_gpu(const std::string& engine) {
  return std::find(gpu_engines.begin(), gpu_engines.end(), engine) != gpu_engines.end();
}

inline bool has_metric(const std::string& engine, weft::lcs_metric metric) {
  return (engine != "wavefront" && engine != "hunt-szymanski") || metric != weft::lcs_metric::edit;
}

inline std::vector<weft::lcs_metric> metrics_of(const std::string& engine) {
  std::vector<weft::lcs_metric> metrics = {weft::lcs_metric::lcs, weft::lcs_metric::indel};
  if (has_metric(engine, weft::lcs_metric::edit)) metrics.push_back(weft::lcs_metric::edit);
  return metrics;
}

inline weft::lcs_options with(const std::string& engine, weft::lcs_metric metric, int threads = 2) {
  weft::lcs_options options{.metric = metric, .run = {.engine = engine, .threads = threads}};
  options.run.device.kind = on_gpu(engine) ? weft::device_kind::gpu : weft::device_kind::cpu;
  if (engine == "auto on gpu") options.run.engine = "auto";
  return options;
}

// Returns why the engine cannot be tested on this machine; empty if it can.
inline std::string reason_to_skip(const std::string& engine) {
  if (!on_gpu(engine) || !weft::known_gpus().devices.empty()) return "";
  return "no GPU can be used: " + weft::known_gpus().unavailable;
}

inline std::string without_punctuation(std::string name) {
  for (char& c : name)
    if (c == '-' || c == ' ') c = '_';
  return name;
}

inline std::string engine_name(const testing::TestParamInfo<std::string>& instance) {
  return without_punctuation(instance.param);
}

// A test parameter: an engine and a metric.
using engine_and_metric = std::tuple<std::string, weft::lcs_metric>;

inline std::string engine_and_metric_name(const testing::TestParamInfo<engine_and_metric>& instance) {
  const char* metrics[] = {"lcs", "indel", "edit"};
  return without_punctuation(std::get<0>(instance.param)) + "_" +
         metrics[static_cast<int>(std::get<1>(instance.param))];
}

// Skips tests that cannot run on this machine, and says why.
class engine_suite : public testing::TestWithParam<engine_and_metric> {
protected:
  void SetUp() override {
    if (!has_metric(engine(), metric())) GTEST_SKIP() << "engine " << engine() << " has no metric edit";
    if (const std::string reason = reason_to_skip(engine()); !reason.empty()) GTEST_SKIP() << reason;
  }
  [[nodiscard]] static std::string engine() { return std::get<0>(GetParam()); }
  [[nodiscard]] static weft::lcs_metric metric() { return std::get<1>(GetParam()); }
  [[nodiscard]] static weft::lcs_options options() { return with(engine(), metric(), 1); }
};

// Returns n random symbols below sigma.
template <class Random> std::string random_symbols(Random& random, std::size_t n, unsigned sigma) {
  std::string text(n, '\0');
  for (char& c : text) c = static_cast<char>(random() % sigma);
  return text;
}

// Returns the text with each symbol replaced by fresh(), dropped or doubled with a probability of 1 / `each`.
template <class Fresh>
std::string mutate(std::mt19937_64& random, const std::string& text, unsigned each, const Fresh& fresh) {
  std::string copy;
  for (const char c : text) {
    const std::uint64_t roll = random() % (3 * each);
    if (roll == 0) continue;
    copy += roll == 1 ? fresh() : c;
    if (roll == 2) copy += c;
  }
  return copy;
}

inline std::string random_text(std::mt19937_64& random, std::size_t n, unsigned sigma) {
  std::string text(n, 'a');
  for (char& c : text) c = static_cast<char>('a' + random() % sigma);
  return text;
}

// Returns the sums of the values that `count` shares of all pairs have.
inline std::vector<std::uint64_t> sum_of_shares(const weft::sequences_view& batch, weft::lcs_options options,
                                                std::uint64_t count) {
  std::vector<std::uint64_t> sums(batch.count() < 2 ? 0 : batch.count() * (batch.count() - 1) / 2);
  for (std::uint64_t index = 0; index < count; ++index) {
    options.share = {index, count};
    const std::vector<std::uint64_t> values = weft::lcs_all_pairs(batch, options);
    EXPECT_EQ(values.size(), sums.size());
    for (std::size_t i = 0; i < std::min(values.size(), sums.size()); ++i) sums[i] += values[i];
  }
  return sums;
}

} // namespace weft_test
