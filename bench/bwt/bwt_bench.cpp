// Measures suffix arrays, transforms and their inverse in symbols per second, and exact counts and positions
// in patterns per second, beside libdivsufsort and the inverse by one chain in the same run. Every timed
// result is checked. The data are WEFT_BENCH_DATA/ecoli.fa and pair-64M-a.seq if that variable is set, or
// else seeded random bases with repeats.
#include <algorithm>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <cstdlib>
#include <divsufsort.h>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/cpu/inverse.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace {

using weft_bench::define;

// Returns random bases. Half of the pieces are copies of earlier text with 5 % substitutions.
std::string genome_like(std::size_t size) {
  std::mt19937_64 random(1);
  std::string text;
  while (text.size() < size) {
    const std::size_t piece = 300 + random() % 6000;
    const std::size_t from =
        text.size() > piece && random() % 2 == 0 ? random() % (text.size() - piece) : size;
    for (std::size_t i = 0; i < piece; ++i)
      text += from < size && random() % 20 != 0 ? text[from + i] : "ACGT"[random() % 4];
  }
  text.resize(size);
  return text;
}

const std::string& input(const std::string& name) {
  static std::map<std::string, std::string> cache;
  auto [found, fresh] = cache.try_emplace(name);
  if (!fresh) return found->second;
  const char* folder = std::getenv("WEFT_BENCH_DATA");
  const std::string path = folder == nullptr ? "" : std::string(folder) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  found->second.assign(std::istreambuf_iterator<char>(file), {});
  if (found->second.empty()) found->second = genome_like(name == "ecoli.fa" ? 4'700'000 : 16'000'000);
  return found->second;
}

void count_symbols(benchmark::State& state, std::size_t symbols) {
  state.counters["symbols/s"] = weft_bench::rate(symbols);
}

void suffix_array(benchmark::State& state, std::string name) {
  const std::string& text = input(name);
  std::vector<saidx_t> expected(text.size());
  divsufsort(reinterpret_cast<const sauchar_t*>(text.data()), expected.data(),
             static_cast<saidx_t>(text.size()));
  std::vector<std::uint32_t> sa(text.size());
  for (auto _ : state) weft::suffix_array_into(text, sa);
  if (!std::equal(sa.begin(), sa.end(), expected.begin(),
                  [](auto a, auto b) { return a == static_cast<std::uint32_t>(b); }))
    state.SkipWithError("wrong answer");
  count_symbols(state, text.size());
}

void divsufsort_alone(benchmark::State& state, std::string name) {
  const std::string& text = input(name);
  std::vector<saidx_t> sa(text.size());
  for (auto _ : state)
    divsufsort(reinterpret_cast<const sauchar_t*>(text.data()), sa.data(), static_cast<saidx_t>(text.size()));
  count_symbols(state, text.size());
}

void lcp_array(benchmark::State& state, std::string name, int threads) {
  const std::string& text = input(name);
  const std::vector<std::uint32_t> sa = weft::suffix_array(text);
  for (auto _ : state)
    if (weft::lcp_array<std::uint32_t>(text, sa, {.threads = threads}).size() != text.size())
      state.SkipWithError("wrong answer");
  count_symbols(state, text.size());
}

void transform(benchmark::State& state, std::string name, weft::bwt_form form, std::string engine) {
  const std::string text =
      input(name).substr(0, engine == "ternary-quicksort" ? 1'000'000 : std::string::npos);
  weft::bwt_text result;
  for (auto _ : state) result = weft::bwt(text, form, {.engine = engine});
  if (weft::inverse_bwt(result) != text) state.SkipWithError("wrong answer");
  count_symbols(state, text.size());
}

void inverse(benchmark::State& state, std::string name, std::uint64_t chains, int threads) {
  const std::string& text = input(name);
  const weft::bwt_text transformed = weft::bwt(text);
  for (auto _ : state) {
    const std::string back =
        chains == 0
            ? weft::inverse_bwt(transformed, {.threads = threads})
            : weft::detail::inverse_by_chains<std::uint32_t>(transformed.bytes, transformed.primary_index,
                                                             transformed.form, chains, {.threads = threads});
    if (back != text) state.SkipWithError("wrong answer");
  }
  count_symbols(state, text.size());
}

const weft::fm_index& index_of(const std::string& name) {
  static std::map<std::string, weft::fm_index> cache;
  const auto found = cache.find(name);
  if (found != cache.end()) return found->second;
  const std::string& text = input(name);
  const std::vector<std::uint64_t> offsets = {0, text.size()};
  const std::vector<std::string> names = {name};
  return cache.emplace(name, weft::fm_index::build({text, offsets, names})).first->second;
}

void build_index(benchmark::State& state, std::string name) {
  const std::string& text = input(name);
  const std::vector<std::uint64_t> offsets = {0, text.size()};
  const std::vector<std::string> names = {name};
  for (auto _ : state)
    if (weft::fm_index::build({text, offsets, names}).num_symbols() != text.size())
      state.SkipWithError("wrong answer");
  count_symbols(state, text.size());
}

// Searches 200,000 pieces of 150 bases. With `changed`, one base of each piece is changed, so that hardly any
// piece occurs.
void search(benchmark::State& state, std::string name, bool changed, bool locate, int threads) {
  const std::string& text = input(name);
  const weft::fm_index& index = index_of(name);
  std::mt19937_64 random(3);
  std::string patterns;
  std::vector<std::uint64_t> offsets = {0}, begins;
  while (offsets.size() <= 200'000) {
    begins.push_back(random() % (text.size() - 150));
    std::string piece = text.substr(begins.back(), 150);
    if (changed) {
      char& base = piece[random() % 150];
      base = base == 'A' ? 'C' : 'A';
    }
    offsets.push_back((patterns += piece).size());
  }
  for (auto _ : state) {
    if (locate) {
      const weft::fm_hits hits = index.locate(patterns, offsets, {.threads = threads});
      for (std::size_t p = 0; p < begins.size(); p += 97)
        if (!std::binary_search(hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p]),
                                hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p + 1]),
                                weft::fm_hit{0, begins[p]}))
          state.SkipWithError("wrong answer");
    } else {
      const std::vector<std::uint64_t> counts = index.count(patterns, offsets, {.threads = threads});
      const auto found =
          counts.size() - static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0));
      if (changed ? found > counts.size() / 10 : found != counts.size()) state.SkipWithError("wrong answer");
    }
  }
  state.counters["patterns/s"] = weft_bench::rate(begins.size());
}

const bool defined = [] {
  const std::string genome = "ecoli.fa", large = "pair-64M-a.seq";
  define("suffix_array/libdivsufsort/" + genome, divsufsort_alone, genome);
  define("suffix_array/suffix-sort/" + genome, suffix_array, genome);
  define("bwt/suffix-sort/sentinel/" + genome, transform, genome, weft::bwt_form::sentinel, "suffix-sort");
  define("bwt/suffix-sort/rotation/" + genome, transform, genome, weft::bwt_form::rotation, "suffix-sort");
  for (const int threads : {1, 2}) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    define("lcp_array/" + genome + suffix, lcp_array, genome, threads);
    define("inverse/" + genome + suffix, inverse, genome, std::uint64_t{0}, threads);
    define("inverse/" + large + suffix, inverse, large, std::uint64_t{0}, threads);
    define("count/150/" + large + suffix, search, large, false, false, threads);
    define("count/150 with an error/" + large + suffix, search, large, true, false, threads);
    define("locate/150/" + large + suffix, search, large, false, true, threads);
  }
  define("inverse/one chain/" + genome + "/threads:1", inverse, genome, std::uint64_t{1}, 1);
  define("inverse/one chain/" + large + "/threads:1", inverse, large, std::uint64_t{1}, 1);
  define("suffix_array/libdivsufsort/" + large, divsufsort_alone, large);
  define("index/" + large, build_index, large);
  return true;
}();

} // namespace
