// The engines on a GPU, text and motifs in its memory: find() of all ends, or starts, between events; and a
// whole scan there, by the clock round the call.
//
//   gpu/shift-and/PLACEMENT/MOTIFS/RESIDUES     the paper's Table 1 has 100 to 1,600 motifs and 180 MB
//   gpu/shift-and/PLACEMENT/400/180M/q:THREADS  its Table 2
//   gpu/nfa-array/memory/MOTIFS/RESIDUES
//   gpu/bit-stream/EDGE/MOTIFS/RESIDUES         to 1,600 motifs; to 100,000 where the file has as many
//   gpu/resident/RULE/MOTIFS/RESIDUES           weft::gpu::scan: text to matches, both in device memory
//   gpu/host/RULE/MOTIFS/RESIDUES               weft::scan: both in host memory
//   gpu/host/copy-of-text/RESIDUES              its yardstick
//
// Motifs: the first of the file WEFT_BENCH_MOTIFS, as PROSITE's (1,600: those from the first on again behind
// the 1,309), else random ones; the label tells. A file of 100,000: motif_variants.py beside this. Residues:
// seeded, with the frequencies of Swiss-Prot, in sequences of 360 on the average. Checked: every occurrence,
// or match, of a part of the text against the CPU's, and the count of each call.
#include "scan_gpu_bench_data.hpp"

#include <algorithm>
#include <bench/on_a_gpu.hpp>
#include <bench/rate.hpp>
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

constexpr std::uint64_t checked_cells = 1'000'000'000; // and checked_residues, whichever is less

enum class engine_kind { nfa_array, shift_and, bit_stream };

struct gpu_row {
  engine_kind kind;
  nfa_options options;
  edge which;
  std::size_t motifs;
  std::uint64_t residues;
};

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

// call(), by the clock.
template <class Call> auto timed(benchmark::State& state, const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = call();
  state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return result;
}

void tell(benchmark::State& state, std::uint64_t matches) {
  state.counters["matches"] = static_cast<double>(matches);
  state.SetLabel(motifs_of_bench().label);
}

void find(benchmark::State& state, const gpu_row& row) {
  on_a_gpu(state, [&] {
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
    tell(state, expected);
    state.counters["pattern_characters_per_second"] =
        weft_bench::rate(static_cast<double>(row.residues) * static_cast<double>(row.motifs));
  });
}

bool matches_at_the_beginning(const weft::motif_set& motifs, const text_on_gpu& text,
                              const weft::gpu::scan_device_options& options) {
  const weft::sequence_batch beginning = text.beginning();
  const weft::scan_cuda::device_text there = text.uploaded->text();
  const cudaStream_t stream = text.stream.get();
  const weft::gpu::scan_matches matches = weft::gpu::scan(
      motifs, {there.residues, beginning.residues.size(), there.offsets, beginning.count()}, options, stream);
  weft::match_vector have(matches.count());
  weft::gpu::copy(have.data(), matches.data(), have.size(), stream, "read matches");
  text.stream.wait();
  return have == weft::scan(motifs, beginning, {.rule = options.rule, .device = {weft::device_kind::cpu, 0}});
}

void scan_resident(benchmark::State& state, weft::match_rule rule, std::size_t count,
                   std::uint64_t residues) {
  on_a_gpu(state, [&] {
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
    for (auto _ : state)
      if (timed(state, call) != expected) state.SkipWithError("wrong answer");
    tell(state, expected);
  });
}

// From host memory to host memory, by all that weft::scan does.
void scan_host(benchmark::State& state, std::uint64_t residues) {
  on_a_gpu(state, [&] {
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
    tell(state, expected.size());
  });
}

// The text from memory that is not page-locked, by the driver: the yardstick of that.
void copy_text(benchmark::State& state, std::uint64_t residues) {
  on_a_gpu(state, [&] {
    const text_on_gpu& text = text_of(residues);
    const weft::gpu::device_buffer<char> there(text.residues.size(), text.stream.get());
    for (auto _ : state)
      timed(state, [&] {
        weft::gpu::copy(there.data(), text.residues.data(), text.residues.size(), text.stream.get(),
                        "copy a text");
        text.stream.wait();
        return 0;
      });
  });
}

// A row that tells its times itself.
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
  define_host_rows("10M", 10'000'000);
  define_rows("180M", 180'000'000);
  define_resident_rows("180M", 180'000'000);
  define_host_rows("180M", 180'000'000);
  define_rows_of_many("180M", 180'000'000);
  return true;
}();

} // namespace
