// Measures transforms and suffix arrays on a GPU in real time.
//
//   gpu/bwt/TEXT/SIZE        the sentinel form, from page-locked host memory to page-locked host memory
//   gpu/rotation/TEXT/SIZE   the same for the rotation form
//   gpu/sa/TEXT/SIZE         weft::gpu::suffix_array in device memory
//   gpu/sa32/TEXT/SIZE       the same for symbols of 32 bits: random numbers below 2^20, or the words of a
//                            text as numbers
//
// The names of TEXT are those of texts.hpp. If WEFT_BENCH_DATA is set, there is also a row for each file in
// that folder (gpu/bwt/NAME, the whole file), and a row `mutated`: copies of the residues of its ecoli.fa
// with about one in a hundred changed. Counters: bytes/s (sa32: symbols/s); `sorts`: the time divided by the
// time of a sort of as many pairs (sort_pairs.hpp) in the same run; `device`: the peak device memory in bytes
// per symbol. Each transform is inverted and must give the text.
#include <algorithm>
#include <bench/bwt/sort_pairs.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <bench/run_on_gpu.hpp>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <test/base/device_memory_taken.hpp>
#include <unordered_map>
#include <utility>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/bwt/bwt.cuh>

namespace {

// Returns the first n words of a word text as numbers. A word's number is the number of different words
// before its first occurrence.
std::vector<std::uint32_t> word_numbers(std::uint64_t n) {
  // A word has seven bytes with its space on the average.
  const std::string text = weft_bench::text_maker(8 * n).make("word-text");
  std::unordered_map<std::string_view, std::uint32_t> known;
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = 0; at < text.size() && numbers.size() < n;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = std::string_view(text).substr(at, end - at);
    numbers.push_back(known.try_emplace(word, static_cast<std::uint32_t>(known.size())).first->second);
    at = end + 1;
  }
  if (numbers.size() < n) throw std::runtime_error("too few words");
  return numbers;
}

// Returns n symbols. Only the last ones are kept, because they take much memory.
const std::vector<std::uint32_t>& symbols_of(const std::string& name, std::uint64_t n) {
  static std::string kept;
  static std::vector<std::uint32_t> symbols;
  if (const std::string wanted = name + std::to_string(n); kept != wanted) {
    if (name == "words") {
      symbols = word_numbers(n);
    } else {
      std::mt19937_64 random(1);
      symbols.resize(n);
      for (std::uint32_t& symbol : symbols) symbol = static_cast<std::uint32_t>(random() >> 44);
    }
    kept = wanted;
  }
  return symbols;
}

void set_counters(benchmark::State& state, std::uint64_t n, std::uint64_t taken, double sort_milliseconds,
                  const char* rate = "bytes/s") {
  using benchmark::Counter;
  state.counters[rate] = weft_bench::rate(n);
  state.counters["sorts"] =
      Counter(sort_milliseconds / 1000, Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["device"] = static_cast<double>(taken) / static_cast<double>(n);
}

template <weft::bwt_form Form>
void transform(benchmark::State& state, const std::string& name, std::uint64_t n) {
  const std::string& text = weft_bench::text_of(name, n);
  const double sort = weft_bench::sort_pairs_milliseconds(n);
  const weft::gpu::stream work;
  const weft::gpu::pinned_buffer<unsigned char> from(n), to(n);
  std::memcpy(from.data(), text.data(), n);
  std::uint64_t primary_index = 0;
  const auto call = [&] {
    const weft::gpu::device_buffer<unsigned char> d_text(n, work.get()), d_bwt(n, work.get());
    weft::gpu::copy(d_text.data(), from.data(), n, work.get(), "copy");
    primary_index = weft::gpu::bwt(d_text.data(), n, Form, d_bwt.data(), {}, work.get());
    weft::gpu::copy(to.data(), d_bwt.data(), n, work.get(), "copy");
    work.wait();
  };
  const weft_test::device_memory_taken taken;
  taken.reset();
  call(); // allocates device memory
  const std::uint64_t peak_bytes = taken.peak_bytes();
  for (auto _ : state) call();
  const weft::gpu::device_buffer<unsigned char> d_bwt(n, work.get()), d_text(n, work.get());
  weft::gpu::copy(d_bwt.data(), to.data(), n, work.get(), "copy");
  weft::gpu::inverse_bwt(d_bwt.data(), n, primary_index, Form, d_text.data(), {}, work.get());
  weft::gpu::copy(to.data(), d_text.data(), n, work.get(), "copy");
  work.wait();
  if (std::memcmp(to.data(), text.data(), n) != 0) state.SkipWithError("wrong answer");
  set_counters(state, n, peak_bytes, sort);
}

template <class Symbol>
void sort_suffixes(benchmark::State& state, const Symbol* text, std::uint64_t n, const char* rate) {
  const double sort = weft_bench::sort_pairs_milliseconds(n);
  const weft::gpu::stream work;
  const weft::gpu::device_buffer<Symbol> d_text(n, work.get());
  weft::gpu::copy(d_text.data(), text, n, work.get(), "copy");
  const weft::gpu::device_buffer<std::uint32_t> d_sa(n, work.get());
  const auto call = [&] { weft::gpu::suffix_array(d_text.data(), n, d_sa.data(), {}, work.get()); };
  const weft_test::device_memory_taken taken;
  taken.reset();
  call();
  const std::uint64_t peak_bytes = taken.peak_bytes();
  for (auto _ : state) call();
  set_counters(state, n, peak_bytes, sort, rate);
}
void sort_bytes(benchmark::State& state, const std::string& name, std::uint64_t n) {
  sort_suffixes(state, reinterpret_cast<const unsigned char*>(weft_bench::text_of(name, n).data()), n,
                "bytes/s");
}
void sort_symbols(benchmark::State& state, const std::string& name, std::uint64_t n) {
  sort_suffixes(state, symbols_of(name, n).data(), n, "symbols/s");
}

using body = void (*)(benchmark::State&, const std::string&, std::uint64_t);
void row(benchmark::State& state, body run, const std::string& name, std::uint64_t n) {
  weft_bench::run_on_gpu(state, [&] { run(state, name, n); });
}

const bool defined = [] {
  constexpr std::uint64_t million = 1'000'000;
  for (const auto& [name, sizes] : std::initializer_list<std::pair<const char*, std::vector<std::uint64_t>>>{
           {"random-dna", {million / 5, 100 * million, 1000 * million}},
           {"genome-like", {100 * million, 1000 * million}},
           {"word-text", {million / 5, 100 * million, 1000 * million}},
           {"repetitive", {250 * million}},
           {"fibonacci", {100 * million}}})
    for (const std::uint64_t n : sizes) {
      const std::string at =
          std::string(name) + "/" +
          (n < million ? std::to_string(n / 1000) + "K" : std::to_string(n / million) + "M");
      weft_bench::define("gpu/bwt/" + at, row, &transform<weft::bwt_form::sentinel>, std::string(name), n);
      weft_bench::define("gpu/sa/" + at, row, &sort_bytes, std::string(name), n);
    }
  const body rotation = &transform<weft::bwt_form::rotation>;
  weft_bench::define("gpu/rotation/random-dna/1000M", row, rotation, std::string("random-dna"),
                     1000 * million);
  weft_bench::define("gpu/rotation/fibonacci/100M", row, rotation, std::string("fibonacci"), 100 * million);
  if (!weft_bench::data_folder().empty()) {
    for (const auto& file : std::filesystem::directory_iterator(weft_bench::data_folder()))
      if (file.is_regular_file() && file.file_size() > 0)
        weft_bench::define("gpu/bwt/" + file.path().filename().string(), row,
                           &transform<weft::bwt_form::sentinel>, file.path().filename().string(),
                           file.file_size());
    weft_bench::define("gpu/bwt/mutated/1000M", row, &transform<weft::bwt_form::sentinel>,
                       std::string("mutated"), 1000 * million);
  }
  for (const char* name : {"random", "words"})
    weft_bench::define(std::string("gpu/sa32/") + name + "/100M", row, &sort_symbols, std::string(name),
                       100 * million);
  return true;
}();

} // namespace
