// The cases of `weft-bench bwt` that locate patterns with differences in an FM-index.
#include <algorithm>
#include <bench/bwt/gpu_searches.hpp>
#include <bench/bwt/index_builds.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <weft/base/mixed.hpp>
#include <weft/io/checksum.hpp>

namespace weft::bench {

namespace {

// Patterns that are pieces of a text, each with up to three other letters; both strands are searched.
struct near_definition {
  text_definition text;
  std::uint64_t pattern_size, num_patterns;
  near_metric metric;
  std::uint32_t max_distance;
};

constexpr near_definition searched[] = {
    {{"random-dna", "1M", 1'000'000}, 20, 2'000, near_metric::mismatches, 3},
    {{"random-dna", "64M", 64'000'000}, 20, 100'000, near_metric::mismatches, 3},
    {{"random-dna", "1M", 1'000'000}, 150, 20'000, near_metric::mismatches, 4},
    {{"random-dna", "64M", 64'000'000}, 150, 1'000'000, near_metric::mismatches, 4},
    {{"random-dna", "1M", 1'000'000}, 150, 20'000, near_metric::errors, 4},
    {{"random-dna", "64M", 64'000'000}, 150, 1'000'000, near_metric::errors, 4},
    {{"genome-like", "64M", 64'000'000}, 150, 300'000, near_metric::errors, 4},
};

struct near_input {
  std::string text;
  fm_index index;
};

near_input make_input(const text_definition& of) {
  std::string text = text_maker(of.size).make(of.name);
  const std::vector<std::uint64_t> offsets = {0, of.size};
  fm_index index = fm_index::build({text, offsets}, {.contexts = true});
  return {std::move(text), std::move(index)};
}

// The data that the methods of a case share.
struct near_data {
  near_definition of;
  std::shared_ptr<const near_input> input = {};
  std::string letters = {}; // of all patterns, end to end
  std::vector<std::uint64_t> offsets = {};
  near_hits hits = {}; // the last answer

  const near_input& indexed() {
    if (input == nullptr)
      input = input_of<near_input>(fmt::format("near index {} {}", of.text.name, of.text.size),
                                   [this] { return make_input(of.text); });
    return *input;
  }
  sequences_view patterns() {
    if (letters.empty()) take_patterns();
    return {letters, offsets};
  }

private:
  void take_patterns() {
    const std::string& text = indexed().text;
    const std::uint64_t size = of.pattern_size, num_positions = text.size() - size + 1;
    letters.reserve(of.num_patterns * size);
    offsets = {0};
    for (std::uint64_t p = 0; p < of.num_patterns; ++p) {
      letters += std::string_view(text).substr(weft::base_detail::mixed(p) % num_positions, size);
      for (std::uint64_t i = 0; i < p % 4; ++i)
        letters[p * size + weft::base_detail::mixed(8 * p + i) % size] = "ACGT"[i];
      offsets.push_back(letters.size());
    }
  }
};

std::uint64_t digest_of(const near_hits& hits) {
  io::running_checksum sum;
  for (const auto* each : {&hits.record, &hits.begin, &hits.end, &hits.offsets, &hits.totals})
    sum.add({reinterpret_cast<const char*>(each->data()), each->size() * sizeof(std::uint64_t)});
  for (const auto* each : {&hits.distance, &hits.reverse})
    sum.add({reinterpret_cast<const char*>(each->data()), each->size()});
  return sum.value();
}

std::vector<method> near_methods(const near_definition& of, int threads) {
  const auto data = std::make_shared<near_data>();
  data->of = of;
  const auto by_index = [=](const std::string& name, device_choice device, int shown, int own_threads) {
    return method{.name = name,
                  .threads = shown,
                  .prepare =
                      [data] {
                        (void)data->patterns();
                        data->hits = {};
                      },
                  .run =
                      [=] {
                        data->hits = data->indexed().index.locate_near(
                            data->patterns(), {.metric = of.metric,
                                               .max_distance = of.max_distance,
                                               .both_strands = true,
                                               .run = {.device = device, .threads = own_threads}});
                      },
                  .digest = [data] { return digest_of(data->hits); }};
  };
  std::vector<method> methods = {by_index("index", on_cpu, 0, threads),
                                 by_index("index, one thread", on_cpu, 1, 1),
                                 by_index("index, from host memory", first_gpu(), 0, threads)};
  methods.back().on_gpu = true;
  methods.back().unavailable_reason = known_gpus().unavailable;
  return methods;
}

bench_case near_case(const near_definition& of, const limits& given) {
  const auto symbols = static_cast<double>(of.num_patterns * of.pattern_size);
  const char* const metric = of.metric == near_metric::errors ? "errors" : "mismatches";
  bench_case made{fmt::format("{}-{}-of-{}-{}/{}", metric, of.max_distance, of.pattern_size, of.text.name,
                              of.text.size_name),
                  fmt::format("{} patterns of {} symbols, both strands, up to {} {}, {} bytes, {}, seed 1",
                              of.num_patterns, of.pattern_size, of.max_distance, metric, of.text.size,
                              of.text.name),
                  symbols,
                  symbols + 8 * static_cast<double>(of.num_patterns),
                  28 * of.text.size + 8 * of.num_patterns * (of.pattern_size + 100),
                  std::nullopt,
                  [=, threads = given.threads] { return near_methods(of, threads); }};
  made.setup_seconds = static_cast<double>(of.text.size) / 1e7;
  made.on_request = true;
  return made;
}

} // namespace

std::vector<bench_case> near_cases(const limits& asked) {
  std::vector<bench_case> made;
  for (const near_definition& each : searched) made.push_back(near_case(each, asked));
  return made;
}

} // namespace weft::bench
