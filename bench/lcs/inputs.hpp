// The texts of the benchmarks of lcs. They are made when the first row needs them, and kept.
#pragma once

#include <algorithm>
#include <bench/lcs/texts.hpp>
#include <bench/rate.hpp>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace weft_bench {

using text_pair = std::pair<std::string, std::string>;

// Opens a file of the folder WEFT_BENCH_DATA. If there is none, the stream is not readable.
inline std::ifstream data_file(const std::string& name) {
  const char* folder = std::getenv("WEFT_BENCH_DATA");
  return std::ifstream(folder == nullptr ? "" : std::string(folder) + "/" + name, std::ios::binary);
}

// Returns true if both files of the pair exist in the folder WEFT_BENCH_DATA.
inline bool has_real_pair(const std::string& name) {
  return data_file("pair-" + name + "-a.seq").good() && data_file("pair-" + name + "-far.seq").good();
}

// Returns random texts of these lengths.
inline const text_pair& random_pair(const std::string& kind, std::size_t m, std::size_t n) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t>, text_pair> cache;
  auto [found, fresh] = cache.try_emplace({kind, m, n});
  if (fresh) found->second = {random_text(m, letters_of(kind), 1), random_text(n, letters_of(kind), 2)};
  return found->second;
}

// Returns the texts of WEFT_BENCH_DATA/pair-NAME-{a,far}.seq if both files exist, or else seeded random bases
// and a mutated copy of them (5 % substitutions, 1 % indels). Unless `whole`, each text is cut to `size`
// symbols.
inline const text_pair& related_pair(const std::string& name, std::size_t size, bool whole) {
  static std::map<std::tuple<std::string, std::size_t, bool>, text_pair> cache;
  auto [found, fresh] = cache.try_emplace({name, size, whole});
  if (!fresh) return found->second;
  text_pair texts;
  if (has_real_pair(name)) {
    std::ifstream a = data_file("pair-" + name + "-a.seq"), b = data_file("pair-" + name + "-far.seq");
    texts.first.assign(std::istreambuf_iterator<char>(a), {});
    texts.second.assign(std::istreambuf_iterator<char>(b), {});
  } else {
    texts.first = random_text(size, letters_of("dna"), 1);
    texts.second = mutated(texts.first, 2);
  }
  if (!whole)
    for (std::string* text : {&texts.first, &texts.second}) text->resize(std::min(text->size(), size));
  return found->second = std::move(texts);
}

inline void count_cells(benchmark::State& state, double cells) {
  state.counters["cells/s"] = weft_bench::rate(cells);
}

inline void count_cells(benchmark::State& state, const text_pair& texts) {
  count_cells(state, static_cast<double>(texts.first.size()) * static_cast<double>(texts.second.size()));
}

} // namespace weft_bench
