// Measures lcs on the GPU in cells of the m x n table per second. There are rows only if there is a GPU;
// WEFT_BENCH_LARGE=1 adds the sizes that take minutes. The file also has the program's main(), because the
// CUDA runtime must not be called before main().
//
//   gpu/length|edit|path|edit-path/ENGINE/TEXTS/SIZE    M = 2^20 symbols; dna: the whole files
//                                                       pair-SIZE-{a,far}.seq or similar generated texts
//                                                       (inputs.hpp); the row's label says which
//   gpu/path/ENGINE/paper/SIZE     the sizes of the paper's Tables 1 and 2, random bases; here M = 10^6 and
//                                  MB = 2^20
//   gpu/all-pairs/lcs|edit/TEXTS   10,000 sequences of 1,000 symbols
//
// Every timed result is checked.
//   Values   are compared with the CPU's (bit-sliced) up to 3 * 10^12 cells. Larger tables would take minutes
//            on a small machine; for them systolic computes the value of the exchanged and reversed texts.
//            The value is the same, but the table is another one, with other masks and other differences
//            between its strips. A mistake that does not depend on them would not be found there; the
//            smaller rows run the same code.
//   Paths    must have the expected value and lead from one text to the other: each run is checked.
//   Batches  Every value is compared with that of the reversed batch, as above; the values of every tenth
//            sequence with every other tenth one are compared with the CPU's.
// A row's first call is not timed, but checked, too. Rows of wavefront have no such call.
#include <algorithm>
#include <bench/define.hpp>
#include <bench/lcs/inputs.hpp>
#include <cstdio>
#include <exception>
#include <set>
#include <weft/lcs/lcs.hpp>

namespace {

using weft::lcs_metric;
using weft_bench::count_cells, weft_bench::define, weft_bench::text_pair;

// A row for a pair of texts, with the engine and the metric that it measures.
struct texts_row {
  std::string texts, size_name;
  std::size_t m, n;
  lcs_metric metric;
  std::string engine, name;

  [[nodiscard]] const text_pair& input() const {
    return texts == "dna" ? weft_bench::related_pair(size_name, m, true)
                          : weft_bench::random_pair(texts, m, n);
  }
  [[nodiscard]] bool is_slow() const { return engine == "wavefront"; }
  [[nodiscard]] weft::lcs_options options() const {
    return {.metric = metric, .engine = engine, .device = {weft::device_kind::gpu}};
  }
};

void label(benchmark::State& state, const texts_row& row) {
  if (row.texts == "dna") state.SetLabel(weft_bench::has_real_pair(row.size_name) ? "files" : "generated");
}

std::string reversed(const std::string& text) { return {text.rbegin(), text.rend()}; }

std::uint64_t expected(const text_pair& texts, lcs_metric metric) {
  static std::map<std::pair<const text_pair*, lcs_metric>, std::uint64_t> known;
  if (const auto found = known.find({&texts, metric}); found != known.end()) return found->second;
  const auto& [a, b] = texts;
  weft::lcs_options options{.metric = metric, .engine = "bit-sliced"};
  options.device.kind = weft::device_kind::cpu;
  std::uint64_t value = 0;
  if (static_cast<double>(a.size()) * static_cast<double>(b.size()) <= 3e12) {
    value = weft::lcs_value(a, b, options);
  } else {
    options.engine = "systolic", options.device.kind = weft::device_kind::gpu;
    value = weft::lcs_value(reversed(b), reversed(a), options);
  }
  return known[{&texts, metric}] = value;
}

// Returns true if the path leads from the first text to the second one and has this value.
bool is_path_between(const weft::edit_script& path, const text_pair& texts, lcs_metric metric,
                     std::uint64_t value) {
  const std::string &a = texts.first, &b = texts.second;
  std::uint64_t i = 0, j = 0, matches = 0, edits = 0;
  for (const weft::edit_run& run : path.runs) {
    const bool down = run.op != weft::edit_op::insert, right = run.op != weft::edit_op::remove;
    if ((down && run.length > a.size() - i) || (right && run.length > b.size() - j)) return false;
    const bool match = run.op == weft::edit_op::match;
    if (match && a.compare(i, run.length, b, j, run.length) != 0) return false;
    (match ? matches : edits) += run.length;
    i += down ? run.length : 0, j += right ? run.length : 0;
  }
  return i == a.size() && j == b.size() && matches == path.matches &&
         value == (metric == lcs_metric::edit ? edits : matches);
}

// Times compute(). right() checks the result and is not timed. A slow row has no untimed first call.
template <class Compute, class Right>
void time_checked(benchmark::State& state, const std::string& row, bool is_slow, Compute compute,
                  Right right) {
  static std::set<std::string> warm;
  try {
    if (!is_slow && warm.insert(row).second && !right(compute())) {
      warm.erase(row); // so that each repetition reports the error
      return state.SkipWithError("wrong answer");
    }
    for (auto _ : state) {
      const auto result = compute();
      state.PauseTiming();
      const bool is_right = right(result);
      state.ResumeTiming();
      if (!is_right) {
        state.SkipWithError("wrong answer");
        break;
      }
    }
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

void value(benchmark::State& state, const texts_row& row) {
  const text_pair& texts = row.input();
  time_checked(
      state, row.name, row.is_slow(),
      [&] { return weft::lcs_value(texts.first, texts.second, row.options()); },
      [&](std::uint64_t result) { return result == expected(texts, row.metric); });
  count_cells(state, texts);
  label(state, row);
}

void path(benchmark::State& state, const texts_row& row) {
  const text_pair& texts = row.input();
  time_checked(
      state, row.name, row.is_slow(), [&] { return weft::lcs(texts.first, texts.second, row.options()); },
      [&](const weft::edit_script& result) {
        return is_path_between(result, texts, row.metric, expected(texts, row.metric));
      });
  count_cells(state, texts);
  label(state, row);
}

constexpr std::uint64_t sequences = 10'000, sequence_size = 1'000;

std::uint64_t index_of(std::uint64_t i, std::uint64_t j) { return i * (i - 1) / 2 + j; } // j < i

std::vector<std::uint64_t> offsets_of(std::uint64_t count) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i <= count; ++i) offsets.push_back(i * sequence_size);
  return offsets;
}

// Returns the values of all pairs. Those between sampled sequences are computed by the CPU.
std::vector<std::uint64_t> expected_batch(const std::string& text, lcs_metric metric) {
  constexpr std::uint64_t every = 10;
  weft::lcs_options options{.metric = metric, .engine = "systolic"};
  options.device.kind = weft::device_kind::gpu;
  const std::vector<std::uint64_t> reversed_values =
      weft::lcs_all_pairs(reversed(text), offsets_of(sequences), options);
  std::vector<std::uint64_t> values(reversed_values.size());
  for (std::uint64_t i = 1; i < sequences; ++i)
    for (std::uint64_t j = 0; j < i; ++j)
      values[index_of(i, j)] = reversed_values[index_of(sequences - 1 - j, sequences - 1 - i)];

  std::string sample;
  for (std::uint64_t i = 0; i < sequences; i += every) sample.append(text, i * sequence_size, sequence_size);
  options.engine = "bit-sliced", options.device.kind = weft::device_kind::cpu;
  const std::vector<std::uint64_t> sampled =
      weft::lcs_all_pairs(sample, offsets_of(sequences / every), options);
  for (std::uint64_t i = 1; i < sequences / every; ++i)
    for (std::uint64_t j = 0; j < i; ++j) values[index_of(i * every, j * every)] = sampled[index_of(i, j)];
  return values;
}

void all_pairs(benchmark::State& state, const std::string& row, const std::string& kind, lcs_metric metric) {
  static std::string known_row; // only the answers of the last row are kept: 400 MB
  static std::vector<std::uint64_t> answers;
  const std::string text =
      weft_bench::random_text(sequences * sequence_size, weft_bench::letters_of(kind), 1);
  const std::vector<std::uint64_t> offsets = offsets_of(sequences);
  weft::lcs_options options{.metric = metric, .engine = "systolic"};
  options.device.kind = weft::device_kind::gpu;
  time_checked(
      state, row, false, [&] { return weft::lcs_all_pairs(text, offsets, options); },
      [&](const std::vector<std::uint64_t>& result) {
        if (known_row != row) answers = expected_batch(text, metric), known_row = row;
        return result == answers;
      });
  constexpr auto pairs = static_cast<double>(sequences * (sequences - 1) / 2);
  count_cells(state, pairs * static_cast<double>(sequence_size * sequence_size));
}

// Defines a row. A fast row has three repetitions of as many calls as fill half a second; a slow row has one
// call.
void define_texts(const std::string& what, texts_row row, const std::string& as = {}) {
  row.name = "gpu/" + what + "/" + row.engine + "/" + (as.empty() ? row.texts : as) + "/" + row.size_name;
  auto* const defined = define(row.name, what.ends_with("path") ? path : value, row);
  if (row.is_slow())
    defined->Repetitions(1)->Iterations(1);
  else
    defined->Repetitions(3);
}

void define_systolic() {
  struct size {
    std::string name;
    std::size_t symbols;
  };
  const size one{"1M", std::size_t{1} << 20}, four{"4M", std::size_t{4} << 20},
      sixteen{"16M", std::size_t{16} << 20};
  const auto add = [](const std::string& what, const std::string& texts, const size& at,
                      const std::string& engine = "systolic") {
    define_texts(what, {texts,
                        at.name,
                        at.symbols,
                        at.symbols,
                        what.starts_with("edit") ? lcs_metric::edit : lcs_metric::lcs,
                        engine,
                        {}});
  };
  for (const size& at : {one, four, sixteen}) add("length", "random-dna", at);
  add("length", "random-dna", one, "wavefront");
  for (const size& at : {one, sixteen}) add("length", "dna", at);
  add("length", "protein", sixteen);
  add("length", "bytes", four);
  for (const size& at : {one, sixteen}) add("edit", "dna", at);
  for (const size& at : {one, sixteen}) add("path", "dna", at);
  for (const size& at : {one, sixteen}) add("edit-path", "dna", at);
}

void define_paper() {
  struct table_line {
    std::string name;
    std::size_t m, n;
    bool large;
  };
  std::vector<table_line> lines = {
      {"1.16Mx1.05M", 1'160'000, 1'050'000, false}, {"1.50Mx1.49M", 1'500'000, 1'490'000, false},
      {"1.80Mx0.27M", 1'800'000, 270'000, false},   {"1.80Mx0.41M", 1'800'000, 410'000, false},
      {"1.80Mx1.32M", 1'800'000, 1'320'000, false}, {"1.80Mx1.46M", 1'800'000, 1'460'000, false},
      {"1.80Mx1.51M", 1'800'000, 1'510'000, false}};
  for (const std::size_t size : {2, 4, 8, 16}) {
    const std::string name = std::to_string(size) + "MB";
    lines.push_back({name, size << 20, size << 20, size > 2});
  }
  const char* const asked = std::getenv("WEFT_BENCH_LARGE");
  const bool large = asked != nullptr && std::string(asked) == "1";
  for (const table_line& line : lines)
    for (const std::string engine : {"wavefront", "systolic"})
      if (large || !line.large)
        define_texts("path", {"random-dna", line.name, line.m, line.n, lcs_metric::lcs, engine, {}}, "paper");
}

void define_gpu() {
  for (const weft::engine_info& engine : weft::lcs_engines())
    if (engine.name == "systolic" && !engine.unavailable.empty()) {
      std::fprintf(stderr, "no rows for a GPU: %s\n", engine.unavailable.c_str());
      return;
    }
  define_systolic();
  define_paper();
  for (const lcs_metric metric : {lcs_metric::lcs, lcs_metric::edit})
    for (const std::string kind : {"random-dna", "protein", "bytes"}) {
      const std::string name =
          (metric == lcs_metric::edit ? "gpu/all-pairs/edit/" : "gpu/all-pairs/lcs/") + kind;
      define(name, all_pairs, name, kind, metric)->Repetitions(3);
    }
}

} // namespace

int main(int count, char** arguments) {
  define_gpu();
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
