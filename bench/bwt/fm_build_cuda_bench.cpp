// Measures building an FM-index on a GPU in real time, from references in host memory to the bytes of the
// index in host memory.
//
//   gpu/index/TEXT/SIZE          the whole construction
//   gpu/index/TEXT/SIZE/code     its part on the host: converting letters to codes
//   gpu/index/TEXT/SIZE/check    its part on the host: fm_index::from_bytes, which checks sums and counts
//
// The names of TEXT are those of texts.hpp. Counters: bytes/s of the text; `device`: the peak device memory
// in bytes per symbol; `index`: bytes of the index per symbol. To check the results, pieces of the text must
// be found at their positions, and the index of the first 2^22 symbols must equal the one that the CPU
// builds.
#include <algorithm>
#include <bench/bwt/texts.hpp>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <bench/run_on_gpu.hpp>
#include <optional>
#include <string>
#include <test/base/device_memory_taken.hpp>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/bwt/cpu/fm_code.hpp>
#include <weft/bwt/fm_index.hpp>

namespace {

// A text divided into two records.
struct references {
  explicit references(std::string_view of) : text(of), offsets{0, of.size() / 3, of.size()} {}
  [[nodiscard]] weft::sequences_view view() const { return {text, offsets, names}; }
  std::string_view text;
  std::vector<std::uint64_t> offsets;
  std::vector<std::string> names{"first", "second"};
};

weft::fm_alphabet alphabet_of(const std::string& name) {
  return name == "word-text" ? weft::fm_alphabet::bytes : weft::fm_alphabet::dna;
}

weft::fm_index build_index(std::string_view text, weft::fm_alphabet alphabet, weft::device_kind kind) {
  return weft::fm_index::build(references(text).view(), {.alphabet = alphabet, .run = {.device = {kind, 0}}});
}

bool equals_cpu_index(std::string_view text, weft::fm_alphabet alphabet) {
  const weft::fm_index gpu_index = build_index(text, alphabet, weft::device_kind::gpu),
                       cpu_index = build_index(text, alphabet, weft::device_kind::cpu);
  return std::ranges::equal(gpu_index.bytes(), cpu_index.bytes());
}

bool finds_pieces(const weft::fm_index& index, const references& of) {
  std::string patterns;
  std::vector<std::uint64_t> offsets = {0}, positions;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t at = (of.text.size() - of.offsets[1] - 100) / 1000 * i;
    const std::string_view piece = of.text.substr(of.offsets[1] + at, 100);
    if (piece.find('N') != std::string_view::npos) continue;
    positions.push_back(at);
    offsets.push_back((patterns += piece).size());
  }
  const weft::fm_hits hits =
      index.locate({patterns, offsets}, {.run = {.device = {weft::device_kind::cpu, 0}}});
  for (std::size_t p = 0; p < positions.size(); ++p)
    if (!std::binary_search(hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p]),
                            hits.hits.begin() + static_cast<std::ptrdiff_t>(hits.offsets[p + 1]),
                            weft::fm_hit{1, positions[p]}))
      return false;
  return true;
}

void set_rate(benchmark::State& state, std::uint64_t n) { state.counters["bytes/s"] = weft_bench::rate(n); }

void build(benchmark::State& state, const std::string& name, std::uint64_t n) {
  if (weft_bench::skip_without_gpu(state)) return;
  const std::string& text = weft_bench::text_of(name, n);
  const references of(text);
  const weft::fm_alphabet alphabet = alphabet_of(name);
  if (!equals_cpu_index(of.text.substr(0, std::uint64_t{1} << 22), alphabet))
    state.SkipWithError("not the CPU's index");
  const weft_test::device_memory_taken taken;
  taken.reset();
  // Allocates device memory.
  std::optional<weft::fm_index> index = build_index(text, alphabet, weft::device_kind::gpu);
  const std::uint64_t peak_bytes = taken.peak_bytes();
  for (auto _ : state) {
    index.reset();
    index = build_index(text, alphabet, weft::device_kind::gpu);
  }
  if (!finds_pieces(*index, of)) state.SkipWithError("wrong answer");
  set_rate(state, n);
  state.counters["device"] = static_cast<double>(peak_bytes) / static_cast<double>(n);
  state.counters["index"] = static_cast<double>(index->bytes().size()) / static_cast<double>(n);
}

void code(benchmark::State& state, const std::string& name, std::uint64_t n) {
  const references of(weft_bench::text_of(name, n));
  const weft::fm_alphabet alphabet = alphabet_of(name);
  for (auto _ : state) {
    const weft::detail::fm_extent extent = weft::detail::extent_of(of.view(), alphabet, {});
    weft::detail::fm_symbols symbols(extent.symbols);
    std::vector<char, weft::unwritten_allocator<char>> letters(
        alphabet == weft::fm_alphabet::dna ? 0 : extent.symbols);
    std::vector<weft::detail::fm_segment> segments(extent.segments);
    std::vector<weft::detail::fm_run> runs(extent.runs);
    weft::detail::code_references(of.view(), alphabet, extent, {symbols, letters, segments, runs}, {});
    benchmark::DoNotOptimize(symbols.data());
  }
  set_rate(state, n);
}

void check(benchmark::State& state, const std::string& name, std::uint64_t n) {
  if (weft_bench::skip_without_gpu(state)) return;
  const weft::fm_index index =
      build_index(weft_bench::text_of(name, n), alphabet_of(name), weft::device_kind::gpu);
  for (auto _ : state)
    if (weft::fm_index::from_bytes(index.bytes()).num_symbols() != n) state.SkipWithError("wrong answer");
  set_rate(state, n);
}

const bool defined = [] {
  for (const auto& [name, size] : {std::pair<std::string, std::uint64_t>{"random-dna", 1'000'000'000},
                                   {"random-dna", 100'000'000},
                                   {"genome-like", 1'000'000'000},
                                   {"word-text", 250'000'000}}) {
    const std::string row = "gpu/index/" + name + "/" + std::to_string(size / 1'000'000) + "M";
    weft_bench::define(row, build, name, size);
    weft_bench::define(row + "/code", code, name, size);
    weft_bench::define(row + "/check", check, name, size);
  }
  return true;
}();

} // namespace
