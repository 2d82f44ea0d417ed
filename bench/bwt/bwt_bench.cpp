// Measures building an FM-index in symbols per second, and exact counts and positions in patterns per second.
// Every timed result is checked. The data are WEFT_BENCH_DATA/pair-64M-a.seq if that variable is set, or else
// seeded random bases with repeats.
#include <algorithm>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>
#include <weft/bwt/fm_index.hpp>

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
  if (found->second.empty()) found->second = genome_like(16'000'000);
  return found->second;
}

void count_symbols(benchmark::State& state, std::size_t symbols) {
  state.counters["symbols/s"] = weft_bench::rate(symbols);
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
      const weft::fm_hits hits = index.locate({patterns, offsets}, {.run = {.threads = threads}});
      for (std::size_t p = 0; p < begins.size(); p += 97)
        if (!std::binary_search(hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p]),
                                hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p + 1]),
                                weft::fm_hit{0, begins[p]}))
          state.SkipWithError("wrong answer");
    } else {
      const std::vector<std::uint64_t> counts =
          index.count({patterns, offsets}, {.run = {.threads = threads}});
      const auto found =
          counts.size() - static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0));
      if (changed ? found > counts.size() / 10 : found != counts.size()) state.SkipWithError("wrong answer");
    }
  }
  state.counters["patterns/s"] = weft_bench::rate(begins.size());
}

const bool defined = [] {
  const std::string large = "pair-64M-a.seq";
  for (const int threads : {1, 2}) {
    const std::string suffix = "/threads:" + std::to_string(threads);
    define("count/150/" + large + suffix, search, large, false, false, threads);
    define("count/150 with an error/" + large + suffix, search, large, true, false, threads);
    define("locate/150/" + large + suffix, search, large, false, true, threads);
  }
  define("index/" + large, build_index, large);
  return true;
}();

} // namespace
