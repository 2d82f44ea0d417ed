// The engines on a GPU, text and motifs in its memory: find() of all ends, or starts, between events; and a
// whole scan there, by the clock round the call.
//
//   gpu/shift-and/PLACEMENT/MOTIFS/RESIDUES     the paper's Table 1 has 100 to 1,600 motifs and 180 MB
//   gpu/shift-and/PLACEMENT/400/180M/q:THREADS  its Table 2
//   gpu/nfa-array/memory/MOTIFS/RESIDUES
//   gpu/bit-stream/EDGE/MOTIFS/RESIDUES         to 1,600 motifs; to 100,000 where the file has as many
//   gpu/resident/RULE/MOTIFS/RESIDUES           weft::gpu::scan: text to matches, both in device memory
//
// Motifs: the first of PROSITE (the file WEFT_BENCH_MOTIFS, or shared/data/prosite-20.119.dat here or one
// folder up; 1,600: those from the first on again behind the 1,309), else random ones; the label tells. A
// file of 100,000: motif_variants.py beside this. Residues: seeded, with the frequencies of Swiss-Prot, in
// sequences of 360 on the average. Checked: every occurrence, or match, of a part of the text against
// the CPU's, and the count of each call.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/io/motif_reader.hpp>
#include <weft/scan/cpu/nfa_engines.hpp>
#include <weft/scan/cuda/nfa_engines.hpp>
#include <weft/scan/cuda/text_upload.hpp>
#include <weft/scan/scan.cuh>

namespace {

using weft::scan_cuda::edge;
using weft::scan_cuda::gpu_engine;
using weft::scan_cuda::mask_placement;
using weft::scan_cuda::nfa_options;

constexpr std::uint64_t checked_residues = 50'000, checked_cells = 1'000'000'000; // whichever is less

enum class engine_kind { nfa_array, shift_and, bit_stream };

struct gpu_row {
  engine_kind kind;
  nfa_options options;
  edge which;
  std::size_t motifs;
  std::uint64_t residues;
};

struct motif_source {
  std::vector<weft::motif> motifs;
  std::string label;
};

std::string random_pattern(std::mt19937_64& random) {
  const std::string letters = "ALGVESIKDTRPNFQYHMCW";
  std::string pattern;
  for (unsigned k = 8 + static_cast<unsigned>(random() % 6); k > 0; --k) {
    const unsigned roll = random() % 8;
    const std::string one(1, letters[random() % 20]), two(1, letters[random() % 20]);
    pattern += roll < 3    ? one
               : roll < 5  ? "[" + one + two + "]"
               : roll == 5 ? "x(2,4)"
                           : "x(" + std::to_string(1 + random() % 3) + ")";
    if (k > 1) pattern += '-';
  }
  return pattern;
}

const motif_source& motifs_of_bench() {
  static const motif_source source = [] {
    motif_source made;
    std::vector<std::string> paths = {"shared/data/prosite-20.119.dat", "../shared/data/prosite-20.119.dat"};
    if (const char* path = std::getenv("WEFT_BENCH_MOTIFS"); path != nullptr) paths = {path};
    for (const std::string& path : paths)
      if (made.motifs.empty() && std::filesystem::exists(path)) {
        for (const auto& record : weft::io::read_motifs(path).records)
          made.motifs.push_back(weft::parse_motif(record.pattern));
        made.label = std::filesystem::path(path).filename().string();
      }
    if (made.motifs.empty()) made.label = "generated motifs";
    std::mt19937_64 random(1);
    while (made.motifs.size() < 1309) made.motifs.push_back(weft::parse_motif(random_pattern(random)));
    return made;
  }();
  return source;
}

weft::motif_set first_motifs(std::size_t count) {
  const auto& all = motifs_of_bench().motifs;
  std::vector<weft::motif> list;
  for (std::size_t k = 0; k < count; ++k) list.push_back(all[k % all.size()]);
  return weft::motif_set(std::move(list));
}

struct text_on_gpu {
  std::string residues;
  std::vector<std::uint64_t> offsets{0};
  weft::gpu::stream stream;
  std::unique_ptr<weft::scan_cuda::uploaded_text> uploaded;
  [[nodiscard]] weft::sequence_batch batch() const { return {residues, offsets}; }
};

// Only the last one is kept: rows of one text follow each other.
const text_on_gpu& text_of(std::uint64_t residues) {
  static std::unique_ptr<text_on_gpu> kept;
  if (kept != nullptr && kept->residues.size() == residues) return *kept;
  kept.reset();
  const std::string letters = "ARNDCQEGHILKMFPSTWYV";
  const double frequencies[] = {8.25, 5.53, 4.06, 5.46, 1.38, 3.93, 6.72, 7.07, 2.27, 5.91,
                                9.65, 5.80, 2.41, 3.86, 4.74, 6.65, 5.36, 1.10, 2.92, 6.86};
  std::mt19937_64 random(2);
  std::discrete_distribution<std::size_t> draw(std::begin(frequencies), std::end(frequencies));
  std::string drawn(1 << 16, ' ');
  for (char& c : drawn) c = letters[draw(random)];
  auto made = std::make_unique<text_on_gpu>();
  made->residues.resize(residues);
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < residues; ++i, bits >>= 16) {
    if (i % 4 == 0) bits = random();
    made->residues[i] = drawn[bits & 0xffff];
  }
  for (std::uint64_t at = 0; at < residues;) {
    at = std::min(residues, at + 40 + random() % 641);
    made->offsets.push_back(at);
  }
  made->uploaded = std::make_unique<weft::scan_cuda::uploaded_text>(made->batch(), made->stream.get());
  made->stream.wait();
  kept = std::move(made);
  return *kept;
}

class timing_event {
public:
  timing_event() { weft::gpu::check(cudaEventCreate(&handle_), "make an event"); }
  ~timing_event() { (void)cudaEventDestroy(handle_); }
  timing_event(const timing_event&) = delete;
  timing_event& operator=(const timing_event&) = delete;
  void record(cudaStream_t stream) { weft::gpu::check(cudaEventRecord(handle_, stream), "mark a stream"); }
  [[nodiscard]] double seconds_since(const timing_event& before) const {
    float milliseconds = 0;
    weft::gpu::check(cudaEventElapsedTime(&milliseconds, before.handle_, handle_), "read the time");
    return static_cast<double>(milliseconds) / 1000;
  }

private:
  cudaEvent_t handle_ = nullptr;
};

// One call of find(); the found is kept on the device.
class find_call {
public:
  find_call(gpu_engine& engine, const text_on_gpu& text, std::uint64_t capacity)
      : engine_(engine), text_(text), found_(capacity, stream()), count_(1, stream()) {}
  std::uint64_t operator()(std::uint64_t end) {
    weft::gpu::check(cudaMemsetAsync(count_.data(), 0, count_.bytes(), stream()), "prepare");
    begin_.record(stream());
    engine_.find(text_.uploaded->text(), 0, end, {found_.data(), found_.size(), count_.data()}, stream());
    end_.record(stream());
    unsigned long long count = 0;
    weft::gpu::copy(&count, count_.data(), 1, stream(), "read the count");
    text_.stream.wait();
    return count;
  }
  [[nodiscard]] double seconds() const { return end_.seconds_since(begin_); }
  [[nodiscard]] std::vector<std::uint64_t> found(std::uint64_t count) const {
    std::vector<std::uint64_t> items(count);
    weft::gpu::copy(items.data(), found_.data(), count, stream(), "read what was found");
    text_.stream.wait();
    std::sort(items.begin(), items.end());
    return items;
  }

private:
  [[nodiscard]] cudaStream_t stream() const { return text_.stream.get(); }
  gpu_engine& engine_;
  const text_on_gpu& text_;
  weft::gpu::device_buffer<std::uint64_t> found_;
  weft::gpu::device_buffer<unsigned long long> count_;
  timing_event begin_, end_;
};

// Each occurrence once or more.
bool right_at_the_beginning(gpu_engine& engine, edge which, const weft::motif_set& motifs,
                            const text_on_gpu& text) {
  const std::uint64_t end = std::min(
      {checked_residues, checked_cells / motifs.motifs().size(), std::uint64_t{text.residues.size()}});
  std::vector<std::uint64_t> want;
  weft::scan_detail::shift_and(motifs.data(), text.batch(), 0, end, which,
                               [&](const weft::scan_detail::occurrence_block& block) {
                                 for (std::uint64_t k = 0; k + 1 < block.offsets.size(); ++k)
                                   for (auto i = block.offsets[k]; i < block.offsets[k + 1]; ++i)
                                     want.push_back(k << weft::scan_cuda::position_bits | block.positions[i]);
                               });
  std::sort(want.begin(), want.end());
  const std::uint64_t room = 2 * want.size() + 65'536;
  find_call call(engine, text, room);
  const std::uint64_t count = call(end);
  if (count > room) return false;
  std::vector<std::uint64_t> found = call.found(count);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found == want;
}

std::unique_ptr<gpu_engine> make_engine(const gpu_row& row, const weft::motif_set& motifs,
                                        cudaStream_t stream) {
  using namespace weft::scan_cuda;
  if (row.kind == engine_kind::nfa_array)
    return make_nfa_array(motifs.data(), row.which, stream, row.options);
  if (row.kind == engine_kind::shift_and)
    return make_shift_and(motifs.data(), row.which, stream, row.options);
  return make_bit_stream(motifs.data(), row.which, stream);
}

void find(benchmark::State& state, const gpu_row& row) {
  if (weft::known_gpus().devices.empty()) {
    state.SkipWithError(("no GPU can be used: " + weft::known_gpus().unavailable).c_str());
    return;
  }
  try {
    const text_on_gpu& text = text_of(row.residues);
    const weft::motif_set motifs = first_motifs(row.motifs);
    const auto engine = make_engine(row, motifs, text.stream.get());
    if (!right_at_the_beginning(*engine, row.which, motifs, text)) return state.SkipWithError("wrong answer");
    const std::uint64_t expected = find_call(*engine, text, 0)(row.residues);
    find_call call(*engine, text, expected);
    for (auto _ : state) {
      if (call(row.residues) != expected) state.SkipWithError("wrong answer");
      state.SetIterationTime(call.seconds());
    }
    state.counters["matches"] = static_cast<double>(expected);
    state.counters["pattern_characters_per_second"] =
        benchmark::Counter(static_cast<double>(row.residues) * static_cast<double>(row.motifs),
                           benchmark::Counter::kIsIterationInvariantRate);
    state.SetLabel(motifs_of_bench().label);
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

// The sequences that lie in the first checked_residues, on the GPU and on the CPU.
bool matches_at_the_beginning(const weft::motif_set& motifs, const text_on_gpu& text,
                              const weft::gpu::scan_device_options& options) {
  const auto last = std::upper_bound(text.offsets.begin(), text.offsets.end(), checked_residues) - 1;
  const auto sequences = static_cast<std::uint64_t>(last - text.offsets.begin());
  const weft::scan_cuda::device_text there = text.uploaded->text();
  const cudaStream_t stream = text.stream.get();
  const weft::gpu::scan_matches matches =
      weft::gpu::scan(motifs, {there.residues, *last, there.offsets, sequences}, options, stream);
  weft::match_vector have(matches.count());
  weft::gpu::copy(have.data(), matches.data(), have.size(), stream, "read matches");
  text.stream.wait();
  return have == weft::scan(motifs,
                            {std::string_view(text.residues).substr(0, *last),
                             std::span(text.offsets).first(sequences + 1)},
                            {.rule = options.rule, .device = {weft::device_kind::cpu, 0}});
}

void scan_resident(benchmark::State& state, weft::match_rule rule, std::size_t count,
                   std::uint64_t residues) {
  if (weft::known_gpus().devices.empty()) {
    state.SkipWithError(("no GPU can be used: " + weft::known_gpus().unavailable).c_str());
    return;
  }
  try {
    const text_on_gpu& text = text_of(residues);
    const weft::motif_set motifs = first_motifs(count);
    const weft::gpu::scan_device_options options{.rule = rule};
    if (!matches_at_the_beginning(motifs, text, options)) return state.SkipWithError("wrong answer");
    const weft::scan_cuda::device_text there = text.uploaded->text();
    const auto call = [&] {
      return weft::gpu::scan(motifs, {there.residues, there.size, there.offsets, there.sequences}, options,
                             text.stream.get())
          .count();
    };
    const std::uint64_t expected = call();
    for (auto _ : state) {
      const auto begin = std::chrono::steady_clock::now();
      const std::uint64_t matches = call();
      state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      if (matches != expected) state.SkipWithError("wrong answer");
    }
    state.counters["matches"] = static_cast<double>(expected);
    state.SetLabel(motifs_of_bench().label);
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

void define_resident_rows(const std::string& text, std::uint64_t residues) {
  for (const auto& [name, rule] :
       {std::pair("ps-scan", weft::match_rule::ps_scan), std::pair("starts", weft::match_rule::starts),
        std::pair("ends", weft::match_rule::ends)}) {
    const std::string row = std::string("gpu/resident/") + name + "/1309/" + text;
    benchmark::RegisterBenchmark(row.c_str(), scan_resident, rule, std::size_t{1309}, residues)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->MinTime(0.2)
        ->Repetitions(5)
        ->ReportAggregatesOnly();
  }
}

void define_row(const std::string& form, const std::string& residues, const gpu_row& row) {
  std::string name = "gpu/" + form + "/" + std::to_string(row.motifs) + "/" + residues;
  if (row.options.threads != 0) name += "/q:" + std::to_string(row.options.threads);
  auto* const made =
      benchmark::RegisterBenchmark(name.c_str(), find, row)->Unit(benchmark::kMillisecond)->UseManualTime();
  if (row.kind == engine_kind::nfa_array)
    made->Iterations(1);
  else
    made->MinTime(0.2)->Repetitions(5)->ReportAggregatesOnly();
}

void define_rows(const std::string& text, std::uint64_t residues) {
  for (const mask_placement placement : {mask_placement::explicit_shared, mask_placement::cached}) {
    const std::string form = placement == mask_placement::cached ? "shift-and/cached" : "shift-and/explicit";
    for (const std::size_t motifs : {100, 200, 400, 800, 1309, 1600})
      define_row(form, text, {engine_kind::shift_and, {0, 0, placement}, edge::ends, motifs, residues});
    if (residues == 180'000'000)
      for (const std::uint32_t threads : {14, 32, 64, 128, 256, 512, 1024})
        define_row(form, text, {engine_kind::shift_and, {threads, 0, placement}, edge::ends, 400, residues});
  }
  for (const std::size_t motifs : {100, 200, 400, 800, 1309, 1600}) {
    if (residues == 10'000'000 || motifs <= 400)
      define_row("nfa-array/memory", text, {engine_kind::nfa_array, {}, edge::ends, motifs, residues});
    define_row("bit-stream/ends", text, {engine_kind::bit_stream, {}, edge::ends, motifs, residues});
    define_row("bit-stream/starts", text, {engine_kind::bit_stream, {}, edge::starts, motifs, residues});
  }
}

// Of the file WEFT_BENCH_MOTIFS, if it has so many motifs.
void define_rows_of_many(const std::string& text, std::uint64_t residues) {
  if (std::getenv("WEFT_BENCH_MOTIFS") == nullptr) return;
  for (const std::size_t motifs : {10'000, 100'000})
    if (motifs <= motifs_of_bench().motifs.size()) {
      define_row("bit-stream/ends", text, {engine_kind::bit_stream, {}, edge::ends, motifs, residues});
      define_row("bit-stream/starts", text, {engine_kind::bit_stream, {}, edge::starts, motifs, residues});
    }
}

const bool defined = [] {
  define_rows("10M", 10'000'000);
  define_resident_rows("10M", 10'000'000);
  define_rows("180M", 180'000'000);
  define_resident_rows("180M", 180'000'000);
  define_rows_of_many("180M", 180'000'000);
  return true;
}();

} // namespace
