// Measures lcs on the CPU in cells of the m x n table per second: weft's engines and edlib in the same run.
// Every timed result is checked. The data are those of inputs.hpp. lcs_gpu_bench.cpp measures the GPU.
#include <bench/define.hpp>
#include <bench/lcs/inputs.hpp>
#include <map>
#include <string>
#include <weft/lcs/lcs.hpp>
#if defined(WEFT_BENCH_EDLIB)
#include <edlib.h>
#endif

namespace {

using weft_bench::count_cells, weft_bench::text_pair;

// Returns a pair of texts. name: dna (the pair of files if it exists, cut to `size` symbols each),
// random-dna, protein (20 letters), bytes.
const text_pair& input(const std::string& name, std::size_t size) {
  return name == "dna" ? weft_bench::related_pair("1M", size, false)
                       : weft_bench::random_pair(name, size, size);
}

// Returns the expected answer, computed by another engine than the one that is timed.
std::uint64_t expected(const text_pair& texts, weft::lcs_metric metric, const std::string& engine) {
  static std::map<std::pair<const text_pair*, weft::lcs_metric>, std::uint64_t> cache;
  auto [found, fresh] = cache.try_emplace({&texts, metric});
  if (fresh) {
    const std::string other = engine == "bit-parallel" ? "auto" : "bit-parallel";
    found->second = weft::lcs_value(texts.first, texts.second, {.metric = metric, .engine = other});
  }
  return found->second;
}

void value(benchmark::State& state, std::string data, std::size_t size, weft::lcs_metric metric,
           std::string engine, int threads) {
  const text_pair& texts = input(data, size);
  const weft::lcs_options options{.metric = metric, .engine = engine, .threads = threads};
  const std::uint64_t answer = expected(texts, metric, engine);
  for (auto _ : state)
    if (weft::lcs_value(texts.first, texts.second, options) != answer) state.SkipWithError("wrong answer");
  count_cells(state, texts);
}

void path(benchmark::State& state, std::string data, std::size_t size, std::string engine, int threads) {
  const text_pair& texts = input(data, size);
  const weft::lcs_options options{.engine = engine, .threads = threads};
  const std::uint64_t answer = expected(texts, weft::lcs_metric::lcs, engine);
  for (auto _ : state)
    if (weft::lcs(texts.first, texts.second, options).matches != answer) state.SkipWithError("wrong answer");
  count_cells(state, texts);
}

#if defined(WEFT_BENCH_EDLIB)
void edlib(benchmark::State& state, std::string data, std::size_t size) {
  const text_pair& texts = input(data, size);
  const std::uint64_t answer = expected(texts, weft::lcs_metric::edit, "edlib");
  for (auto _ : state) {
    const EdlibAlignResult result =
        edlibAlign(texts.first.data(), static_cast<int>(texts.first.size()), texts.second.data(),
                   static_cast<int>(texts.second.size()), edlibDefaultAlignConfig());
    if (static_cast<std::uint64_t>(result.editDistance) != answer) state.SkipWithError("wrong answer");
    edlibFreeAlignResult(result);
  }
  count_cells(state, texts);
}
#endif

using weft_bench::define;

const bool defined = [] {
  using weft::lcs_metric;
  for (const int threads : {1, 2}) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    for (const std::size_t size : {100'000, 1'000'000}) {
      const std::string at = "/" + std::to_string(size) + suffix;
      define("length/bit-sliced/random-dna" + at, value, "random-dna", size, lcs_metric::lcs, "bit-sliced",
             threads);
      define("length/bit-sliced/dna" + at, value, "dna", size, lcs_metric::lcs, "bit-sliced", threads);
      define("length/bit-sliced/protein" + at, value, "protein", size, lcs_metric::lcs, "bit-sliced",
             threads);
      define("length/bit-sliced/bytes" + at, value, "bytes", size, lcs_metric::lcs, "bit-sliced", threads);
      define("edit/bit-sliced/random-dna" + at, value, "random-dna", size, lcs_metric::edit, "bit-sliced",
             threads);
      define("path/bit-sliced/random-dna" + at, path, "random-dna", size, "bit-sliced", threads);
      define("path/bit-sliced/dna" + at, path, "dna", size, "bit-sliced", threads);
      define("path/auto/dna" + at, path, "dna", size, "auto", threads);
    }
  }
  define("length/bit-parallel/random-dna/100000/threads:1", value, "random-dna", std::size_t{100'000},
         lcs_metric::lcs, "bit-parallel", 1);
  define("length/hirschberg-dp/random-dna/20000/threads:1", value, "random-dna", std::size_t{20'000},
         lcs_metric::lcs, "hirschberg-dp", 1);
#if defined(WEFT_BENCH_EDLIB)
  define("edit/edlib/random-dna/100000/threads:1", edlib, "random-dna", std::size_t{100'000});
#endif
  return true;
}();

} // namespace
