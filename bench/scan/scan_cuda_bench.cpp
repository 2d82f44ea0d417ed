// Measures the engines on a GPU with text and motifs in its memory: find() of all ends or starts, timed
// between events, and whole scans, timed in real time.
//
//   gpu/shift-and/PLACEMENT/MOTIFS/RESIDUES     the paper's Table 1 has 100 to 1,600 motifs and 180 MB
//   gpu/shift-and/PLACEMENT/400/180M/q:THREADS  the paper's Table 2
//   gpu/nfa-array/memory/MOTIFS/RESIDUES
//   gpu/bit-stream/EDGE/MOTIFS/RESIDUES         up to 1,600 motifs, or up to 100,000 if the file has as many
//   gpu/resident/RULE/MOTIFS/RESIDUES           weft::gpu::scan: text and matches in device memory
//   gpu/host/RULE/MOTIFS/RESIDUES               weft::scan: text and matches in host memory
//   gpu/host/copy-of-text/RESIDUES              the yardstick of gpu/host
//
// The motifs are the first ones of the file WEFT_BENCH_MOTIFS, for example PROSITE's (more motifs than the
// file has: its motifs are repeated from the first one on), or else random ones; the label says which.
// motif_variants.py in this folder writes a file of 100,000 motifs. The residues are seeded, with the
// frequencies of Swiss-Prot, in sequences of 360 residues on the average. To check the results, all
// occurrences or matches in a part of the text are compared with the CPU's, and every call must find the same
// number.
#include "scan_cuda_bench_data.hpp"

#include <algorithm>
#include <bench/rate.hpp>
#include <bench/run_on_gpu.hpp>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdlib>
#include <string>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/scan/cpu/nfa_engines.hpp>
#include <weft/scan/cuda/nfa/nfa_engines.hpp>
#include <weft/scan/scan.cuh>

namespace {

using namespace weft_bench;
using weft::scan_cuda::edge;
using weft::scan_cuda::gpu_engine;
using weft::scan_cuda::mask_placement;
using weft::scan_cuda::nfa_options;

// The beginning of a text that is checked has at most checked_cells / motifs residues, and at most
// checked_residues.
constexpr std::uint64_t checked_cells = 1'000'000'000;

enum class engine_kind { nfa_array, shift_and, bit_stream };

// A row that measures find() of an engine.
struct gpu_row {
  engine_kind kind;
  nfa_options options;
  edge which;
  std::size_t motifs;
  std::uint64_t residues;
};

// A timing_event marks a point in a stream and returns the time between two points.
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

// A call of find(), whose result stays on the device.
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

// Returns true if the engine reports the right occurrences at the beginning of the text. It may report an
// occurrence more than once.
bool is_right_at_beginning(gpu_engine& engine, edge which, const weft::motif_set& motifs,
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
  const std::uint64_t capacity = 2 * want.size() + 65'536;
  find_call call(engine, text, capacity);
  const std::uint64_t count = call(end);
  if (count > capacity) return false;
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

// Returns the result of call() and sets the iteration's time to its real time.
template <class Call> auto timed(benchmark::State& state, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = call();
  state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return result;
}

void set_result(benchmark::State& state, std::uint64_t matches) {
  state.counters["matches"] = static_cast<double>(matches);
  state.SetLabel(motifs_of_bench().label);
}

void find(benchmark::State& state, const gpu_row& row) {
  run_on_gpu(state, [&] {
    const text_on_gpu& text = text_of(row.residues);
    const weft::motif_set motifs = first_motifs(row.motifs);
    const auto engine = make_engine(row, motifs, text.stream.get());
    if (!is_right_at_beginning(*engine, row.which, motifs, text)) return state.SkipWithError("wrong answer");
    const std::uint64_t expected = find_call(*engine, text, 0)(row.residues);
    find_call call(*engine, text, expected);
    for (auto _ : state) {
      if (call(row.residues) != expected) state.SkipWithError("wrong answer");
      state.SetIterationTime(call.seconds());
    }
    set_result(state, expected);
    state.counters["pattern_characters_per_second"] =
        weft_bench::rate(static_cast<double>(row.residues) * static_cast<double>(row.motifs));
  });
}

bool scan_is_right_at_beginning(const weft::motif_set& motifs, const text_on_gpu& text,
                                const weft::gpu::scan_device_options& options) {
  const weft::sequence_batch beginning = text.beginning();
  const weft::scan_cuda::device_text d_text = text.uploaded->text();
  const cudaStream_t stream = text.stream.get();
  const weft::gpu::scan_matches matches =
      weft::gpu::scan(motifs, {d_text.residues, beginning.residues.size(), d_text.offsets, beginning.count()},
                      options, stream);
  weft::match_vector found(matches.count());
  weft::gpu::copy(found.data(), matches.data(), found.size(), stream, "read matches");
  text.stream.wait();
  return found ==
         weft::scan(motifs, beginning, {.rule = options.rule, .device = {weft::device_kind::cpu, 0}});
}

void scan_resident(benchmark::State& state, weft::match_rule rule, std::size_t count,
                   std::uint64_t residues) {
  run_on_gpu(state, [&] {
    const text_on_gpu& text = text_of(residues);
    const weft::motif_set motifs = first_motifs(count);
    const weft::gpu::scan_device_options options{.rule = rule};
    if (!scan_is_right_at_beginning(motifs, text, options)) return state.SkipWithError("wrong answer");
    const weft::scan_cuda::device_text d_text = text.uploaded->text();
    const auto call = [&] {
      return weft::gpu::scan(motifs, {d_text.residues, d_text.size, d_text.offsets, d_text.sequences},
                             options, text.stream.get())
          .count();
    };
    const std::uint64_t expected = call();
    for (auto _ : state)
      if (timed(state, call) != expected) state.SkipWithError("wrong answer");
    set_result(state, expected);
  });
}

// Times weft::scan as a whole, from host memory to host memory.
void scan_host(benchmark::State& state, std::uint64_t residues) {
  run_on_gpu(state, [&] {
    const text_on_gpu& text = text_of(residues);
    const weft::motif_set motifs = first_motifs(1309);
    const auto call = [&] {
      return weft::scan(motifs, text.batch(), {.device = {weft::device_kind::gpu, 0}});
    };
    const weft::match_vector expected = call();
    const weft::match_vector first =
        weft::scan(motifs, text.beginning(), {.device = {weft::device_kind::cpu, 0}});
    if (first.size() > expected.size() || !std::equal(first.begin(), first.end(), expected.begin()))
      return state.SkipWithError("wrong answer");
    for (auto _ : state)
      if (timed(state, call) != expected) state.SkipWithError("wrong answer");
    set_result(state, expected.size());
  });
}

// Times the driver's copy of the text from pageable host memory, which is the yardstick of scan_host().
void copy_text(benchmark::State& state, std::uint64_t residues) {
  run_on_gpu(state, [&] {
    const text_on_gpu& text = text_of(residues);
    const weft::gpu::device_buffer<char> d_text(text.residues.size(), text.stream.get());
    for (auto _ : state)
      timed(state, [&] {
        weft::gpu::copy(d_text.data(), text.residues.data(), text.residues.size(), text.stream.get(),
                        "copy a text");
        text.stream.wait();
        return 0;
      });
  });
}

// Registers a row that sets its times itself.
template <class Function, class... Arguments>
auto* define_manual(const std::string& name, Function function, const Arguments&... arguments) {
  return benchmark::RegisterBenchmark(name.c_str(), function, arguments...)
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}
template <class Function, class... Arguments>
void define_repeated(const std::string& name, Function function, const Arguments&... arguments) {
  define_manual(name, function, arguments...)->MinTime(0.2)->Repetitions(5)->ReportAggregatesOnly();
}

void define_host_rows(const std::string& text, std::uint64_t residues) {
  for (const auto& [name, row] :
       {std::pair("gpu/host/copy-of-text/", &copy_text), std::pair("gpu/host/ps-scan/1309/", &scan_host)})
    define_repeated(name + text, row, residues);
}

void define_resident_rows(const std::string& text, std::uint64_t residues) {
  for (const auto& [name, rule] :
       {std::pair("ps-scan", weft::match_rule::ps_scan), std::pair("starts", weft::match_rule::starts),
        std::pair("ends", weft::match_rule::ends)}) {
    define_repeated(std::string("gpu/resident/") + name + "/1309/" + text, scan_resident, rule,
                    std::size_t{1309}, residues);
  }
}

void define_row(const std::string& form, const std::string& residues, const gpu_row& row) {
  std::string name = "gpu/" + form + "/" + std::to_string(row.motifs) + "/" + residues;
  if (row.options.threads != 0) name += "/q:" + std::to_string(row.options.threads);
  if (row.kind == engine_kind::nfa_array)
    define_manual(name, find, row)->Iterations(1);
  else
    define_repeated(name, find, row);
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

// Defines rows for the file WEFT_BENCH_MOTIFS, for the numbers of motifs that it has.
void define_rows_of_large_sets(const std::string& text, std::uint64_t residues) {
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
  define_host_rows("10M", 10'000'000);
  define_rows("180M", 180'000'000);
  define_resident_rows("180M", 180'000'000);
  define_host_rows("180M", 180'000'000);
  define_rows_of_large_sets("180M", 180'000'000);
  return true;
}();

} // namespace
