// Measures the inverse transform, compared with the fastest possible inversion by one chain of reads, and the
// engines that bwt_bench.cpp leaves out, in bytes of text per second. Every timed result is checked. The data
// are the residues of WEFT_BENCH_DATA/ecoli.fa if that variable is set, or else 4.6 million bases, half of
// them mutated repeats; ten mutated copies of them; and random bytes. Random data are seeded.
#include <algorithm>
#include <array>
#include <bench/bwt/texts.hpp>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <divsufsort.h>
#include <map>
#include <random>
#include <string>
#include <vector>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/suffix_array.hpp>

namespace {

std::string make_genome(std::size_t size) {
  std::mt19937_64 random(1);
  std::string text;
  while (text.size() < size) {
    const std::size_t length = 200 + random() % 3000;
    const bool repeat = text.size() > 10'000 && random() % 2 == 0;
    const std::size_t from = repeat ? random() % (text.size() - length) : 0;
    for (std::size_t i = 0; i < length; ++i)
      text += repeat && random() % 50 != 0 ? text[from + i] : "ACGT"[random() % 4];
  }
  return text.substr(0, size);
}

// Returns the text `name`. dna: the bases; dna-x10: ten copies, nine of them with about one base in 1000
// changed, which exceed the caches; bytes: 2^24 random bytes.
const std::string& input(const std::string& name) {
  static std::map<std::string, std::string> cache;
  auto [found, fresh] = cache.try_emplace(name);
  if (!fresh) return found->second;
  std::mt19937_64 random(2);
  std::string text;
  if (name == "bytes") {
    text.resize(std::size_t{1} << 24);
    for (char& c : text) c = static_cast<char>(random());
  } else {
    text = weft_bench::residues_of("ecoli.fa");
    if (text.empty()) text = make_genome(4'600'000);
    const std::size_t size = text.size();
    for (int copy = 1; name == "dna-x10" && copy < 10; ++copy)
      for (std::size_t i = 0; i < size; ++i) text += random() % 1000 == 0 ? "ACGT"[random() % 4] : text[i];
  }
  return found->second = std::move(text);
}

const std::vector<std::uint32_t>& expected_array(const std::string& name) {
  static std::map<std::string, std::vector<std::uint32_t>> cache;
  auto [found, fresh] = cache.try_emplace(name);
  if (fresh) found->second = weft::suffix_array(input(name));
  return found->second;
}

const weft::bwt_text& expected_transform(const std::string& name, weft::bwt_form form) {
  static std::map<std::pair<std::string, weft::bwt_form>, weft::bwt_text> cache;
  auto [found, fresh] = cache.try_emplace({name, form});
  if (fresh) found->second = weft::bwt(input(name), form);
  return found->second;
}

void count_bytes(benchmark::State& state, const std::string& text) {
  state.counters["bytes/s"] = weft_bench::rate(text.size());
}

void array(benchmark::State& state, std::string name, std::string engine, int threads) {
  const std::string& text = input(name);
  const auto& answer = expected_array(name);
  for (auto _ : state) {
    const auto sa = weft::suffix_array(text, {.engine = engine, .threads = threads});
    state.PauseTiming();
    if (sa != answer) state.SkipWithError("wrong answer");
    state.ResumeTiming();
  }
  count_bytes(state, text);
}

void array_of_symbols(benchmark::State& state, std::string name, int threads) {
  const std::string& text = input(name);
  const auto& answer = expected_array(name);
  std::vector<std::uint16_t> symbols;
  for (const char c : text) symbols.push_back(static_cast<unsigned char>(c));
  for (auto _ : state)
    if (weft::suffix_array(std::span<const std::uint16_t>(symbols), {.threads = threads}) != answer)
      state.SkipWithError("wrong answer");
  count_bytes(state, text);
}

void transform(benchmark::State& state, std::string name, weft::bwt_form form, std::string engine,
               int threads) {
  const std::string& text = input(name);
  const auto& answer = expected_transform(name, form);
  for (auto _ : state)
    if (weft::bwt(text, form, {.engine = engine, .threads = threads}) != answer)
      state.SkipWithError("wrong answer");
  count_bytes(state, text);
}

// The textbook's inverse: follows one chain. (next row, byte) are packed in one word, so that a symbol costs
// one random read.
template <class Word> std::string invert_by_one_chain(const weft::bwt_text& from) {
  const std::size_t n = from.bytes.size();
  std::array<std::size_t, 256> c_array{};
  for (const char c : from.bytes) ++c_array[static_cast<unsigned char>(c)];
  std::size_t sum = 1;
  for (std::size_t& each : c_array) sum += std::exchange(each, sum);
  std::vector<Word> next(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<unsigned char>(from.bytes[i]);
    const std::size_t row = i + (i >= from.primary_index ? 1 : 0);
    next[c_array[c]++] = static_cast<Word>(row << 8 | c);
  }
  std::string text(n, '\0');
  Word row = static_cast<Word>(from.primary_index);
  for (char& c : text) {
    c = static_cast<char>(next[row] & 255);
    row = next[row] >> 8;
  }
  return text;
}

void one_chain(benchmark::State& state, std::string name) {
  const std::string& text = input(name);
  const weft::bwt_text& from = expected_transform(name, weft::bwt_form::sentinel);
  for (auto _ : state)
    if ((text.size() < std::size_t{1} << 24 ? invert_by_one_chain<std::uint32_t>(from)
                                            : invert_by_one_chain<std::uint64_t>(from)) != text)
      state.SkipWithError("wrong answer");
  count_bytes(state, text);
}

void inverse(benchmark::State& state, std::string name, weft::bwt_form form, int threads) {
  const std::string& text = input(name);
  const weft::bwt_text& from = expected_transform(name, form);
  for (auto _ : state)
    if (weft::inverse_bwt(from, {.threads = threads}) != text) state.SkipWithError("wrong answer");
  count_bytes(state, text);
}

void divsufsort_inverse(benchmark::State& state, std::string name) {
  const std::string& text = input(name);
  const weft::bwt_text& from = expected_transform(name, weft::bwt_form::sentinel);
  std::string back(text.size(), '\0');
  for (auto _ : state) {
    const int status = inverse_bw_transform(
        reinterpret_cast<const sauchar_t*>(from.bytes.data()), reinterpret_cast<sauchar_t*>(back.data()),
        nullptr, static_cast<saidx_t>(text.size()), static_cast<saidx_t>(from.primary_index));
    if (status != 0 || back != text) state.SkipWithError("wrong answer");
  }
  count_bytes(state, text);
}

using weft_bench::define;

const bool defined = [] {
  using weft::bwt_form;
  for (const std::string data : {"dna", "dna-x10", "bytes"}) {
    const auto at = [&](int threads) { return "/" + data + "/threads:" + std::to_string(threads); };
    define("unbwt/one-chain" + at(1), one_chain, data);
    define("unbwt/libdivsufsort" + at(1), divsufsort_inverse, data);
    for (const int threads : {1, 2}) {
      define("unbwt/sentinel" + at(threads), inverse, data, bwt_form::sentinel, threads);
      define("unbwt/rotation" + at(threads), inverse, data, bwt_form::rotation, threads);
      if (data == "dna-x10") continue; // would take minutes
      define("sa/ternary-quicksort" + at(threads), array, data, "ternary-quicksort", threads);
      define("bwt/ternary-quicksort/rotation" + at(threads), transform, data, bwt_form::rotation,
             "ternary-quicksort", threads);
      define("sa/u16-symbols" + at(threads), array_of_symbols, data, threads);
    }
  }
  return true;
}();

} // namespace
