// Measures weft's engines and Hyperscan in the same run, in pattern-characters (motifs x residues) per
// second. Every timed result is checked. The data are the files WEFT_BENCH_MOTIFS (a PROSITE file) and
// WEFT_BENCH_PROTEINS (FASTA) if these variables are set, or else 1,000 random motifs and random residues
// (inputs.hpp).
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <bench/scan/inputs.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <weft/io/motif_reader.hpp>
#include <weft/io/sequence_reader.hpp>
#include <weft/scan/scan.hpp>
#if defined(WEFT_BENCH_HYPERSCAN)
#include <bench/scan/regular_expression.hpp>
#include <hs.h>
#endif

namespace {

const weft::motif_set& motifs() {
  static const weft::motif_set set = [] {
    std::vector<weft::motif> list;
    if (const char* path = std::getenv("WEFT_BENCH_MOTIFS"); path != nullptr)
      for (const auto& record : weft::io::read_motifs(std::string(path)).records)
        list.push_back(weft::parse_motif(record.pattern));
    std::mt19937_64 random(1);
    while (list.size() < 1000) list.push_back(weft::parse_motif(weft_bench::random_pattern(random)));
    return weft::motif_set(std::move(list));
  }();
  return set;
}

const weft::io::sequence_chunk& proteins() {
  static const weft::io::sequence_chunk text = [] {
    if (const char* path = std::getenv("WEFT_BENCH_PROTEINS"); path != nullptr)
      return weft::io::read_sequences(path);
    weft_bench::protein_text proteins = weft_bench::random_proteins(50'000'000);
    weft::io::sequence_chunk made;
    made.names.resize(proteins.offsets.size() - 1);
    made.residues = std::move(proteins.residues);
    made.offsets = std::move(proteins.offsets);
    return made;
  }();
  return text;
}

// Returns the first sequences, which have at least `residues` residues together.
weft::sequence_batch head(std::uint64_t residues) {
  const auto& offsets = proteins().offsets;
  std::size_t count = 0;
  while (count + 1 < offsets.size() && offsets[count] < residues) ++count;
  return {std::string_view(proteins().residues).substr(0, offsets[count]),
          std::span(offsets).first(count + 1)};
}

void count_cells(benchmark::State& state, std::uint64_t residues) {
  state.counters["pattern-characters/s"] =
      weft_bench::rate(static_cast<double>(residues) * static_cast<double>(motifs().motifs().size()));
}

// Times an engine of weft. On a part of the text, all matches are compared with another engine's; on the
// whole text, every call must find the same number of matches.
void scan(benchmark::State& state, std::string engine, std::uint64_t residues, int threads) {
  const weft::sequence_batch text = head(residues), part = head(200'000);
  const weft::scan_options options{.engine = engine, .threads = threads};
  if (weft::scan(motifs(), part, options) !=
      weft::scan(motifs(), part, {.engine = engine == "shift-and" ? "bit-stream" : "shift-and"})) {
    state.SkipWithError("wrong answer");
    return;
  }
  const std::size_t expected = weft::scan(motifs(), text, options).size();
  for (auto _ : state)
    if (weft::scan(motifs(), text, options).size() != expected) state.SkipWithError("wrong answer");
  state.counters["matches"] = static_cast<double>(expected);
  count_cells(state, text.residues.size());
}

#if defined(WEFT_BENCH_HYPERSCAN)
int count_match(unsigned, unsigned long long, unsigned long long, unsigned, void* count) {
  ++*static_cast<std::uint64_t*>(count);
  return 0;
}

// Times Hyperscan in block mode, which finds every end of every match, with one call per sequence.
void hyperscan(benchmark::State& state, std::uint64_t residues) {
  std::vector<std::string> expressions;
  std::vector<const char*> pointers;
  std::vector<unsigned> ids;
  for (const weft::motif& m : motifs().motifs()) {
    expressions.push_back(weft_bench::regular_expression(m));
    ids.push_back(static_cast<unsigned>(ids.size()));
  }
  for (const std::string& text : expressions) pointers.push_back(text.c_str());
  const std::vector<unsigned> flags(ids.size(), HS_FLAG_ALLOWEMPTY | HS_FLAG_DOTALL);
  hs_database_t* database = nullptr;
  hs_compile_error_t* failure = nullptr;
  hs_scratch_t* scratch = nullptr;
  if (hs_compile_multi(pointers.data(), flags.data(), ids.data(), static_cast<unsigned>(ids.size()),
                       HS_MODE_BLOCK, nullptr, &database, &failure) != HS_SUCCESS ||
      hs_alloc_scratch(database, &scratch) != HS_SUCCESS) {
    state.SkipWithError(failure != nullptr ? failure->message : "no scratch");
    return;
  }
  const weft::sequence_batch text = head(residues);
  std::uint64_t matches = 0;
  for (auto _ : state) {
    matches = 0;
    for (std::uint64_t i = 0; i < text.count(); ++i)
      hs_scan(database, text[i].data(), static_cast<unsigned>(text[i].size()), 0, scratch, count_match,
              &matches);
  }
  state.counters["matches"] = static_cast<double>(matches);
  count_cells(state, text.residues.size());
  hs_free_scratch(scratch);
  hs_free_database(database);
}
#endif

using weft_bench::define;

const bool defined = [] {
  constexpr std::uint64_t all = 50'000'000;
  define("scan/bit-stream/threads:1", scan, "bit-stream", all, 1);
  define("scan/bit-stream/threads:2", scan, "bit-stream", all, 2);
  define("scan/shift-and/threads:1", scan, "shift-and", std::uint64_t{200'000}, 1);
  define("scan/nfa-array/threads:1", scan, "nfa-array", std::uint64_t{20'000}, 1);
#if defined(WEFT_BENCH_HYPERSCAN)
  define("scan/hyperscan/threads:1", hyperscan, std::uint64_t{2'000'000});
#endif
  return true;
}();

} // namespace
