// Measures the paper's Figure 2 on a GPU: ternary quicksort of the rotations of a text. Each call is timed in
// real time, from page-locked host memory to page-locked host memory, including the transfers of text and
// rows.
//
//   gpu/figure2/TEXT/SIZE   SIZE: 1K to 100M bytes; TEXT: DNA (four random letters) or words (of a vocabulary
//                           whose frequent words are short); both are seeded
//
// Counters: `first`, the share in percent of the paper's first kernel (which counts, and finds where the '='
// part begins) in the time of both kernels, measured in a separate call; `levels`; `cpu/gpu`, up to 10 MB:
// the time of libdivsufsort's suffix array of the same text in the same run, divided by the time on the GPU.
// The rows must be the rotations in order, and all calls must give the same rows. Up to 10 MB, the rows of
// suffixes must equal libdivsufsort's array.
#include <algorithm>
#include <bench/rate.hpp>
#include <bench/run_on_gpu.hpp>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cmath>
#include <divsufsort.h>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <test/reference/row_order.hpp>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/core/min_rotation.hpp>
#include <weft/bwt/published/cuda/ternary_quicksort.hpp>

namespace {

using weft::bwt_cuda::quicksort_options;
using weft::bwt_cuda::quicksort_times;

constexpr std::size_t checked_by_divsufsort = 10'000'000;

std::string make_text(const std::string& kind, std::size_t size) {
  std::mt19937_64 random(size);
  std::string text;
  if (kind == "DNA") {
    text.resize(size);
    for (char& c : text) c = "ACGT"[random() % 4];
    return text;
  }
  std::vector<std::string> words(20'000);
  for (std::size_t i = 0; i < words.size(); ++i)
    for (std::size_t length = 2 + i / 4000 + random() % 5; length > 0; --length)
      words[i] += static_cast<char>('a' + random() % 26);
  std::uniform_real_distribution<double> rank(0, 1);
  while (text.size() < size) { // by Zipf's law, the k-th word is about 1 / k as frequent as the first
    const double exponent = rank(random);
    text += words[static_cast<std::size_t>(std::pow(static_cast<double>(words.size()), exponent)) - 1] + ' ';
  }
  text.resize(size);
  return text;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A text on the host, and page-locked memory for the input and the result.
class figure_row {
public:
  figure_row(const std::string& kind, std::size_t size)
      : text_(make_text(kind, size)), root_(weft::detail::shortest_root(text_)), in_(size), out_(size) {
    std::copy(text_.begin(), text_.end(), in_.data());
  }

  // Copies the text to the device, sorts it and copies the rows back. Returns the seconds. The device memory
  // is allocated within the time, from the pool after the first call.
  double sort(bool cyclic, const quicksort_options& options) {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t n = text_.size();
    const weft::gpu::device_buffer<unsigned char> d_text(n, work_.get());
    const weft::gpu::device_buffer<std::uint32_t> d_rows(n, work_.get());
    weft::gpu::copy(d_text.data(), in_.data(), n, work_.get(), "copy a text");
    weft::bwt_cuda::ternary_quicksort<std::uint32_t>(d_text.data(), n, cyclic, cyclic ? root_ : n,
                                                     d_rows.data(), options, work_.get());
    weft::gpu::copy(out_.data(), d_rows.data(), n, work_.get(), "copy rows");
    work_.wait();
    return seconds_since(begin);
  }
  [[nodiscard]] std::span<const std::uint32_t> rows() const { return {out_.data(), out_.size()}; }
  [[nodiscard]] bool rotations_are_right() const {
    return weft::reference::is_rotation_order<std::uint32_t>(text_, root_, rows());
  }
  // Returns the time of libdivsufsort, or -1 if its suffix array differs from the rows of suffixes.
  double time_divsufsort() {
    (void)sort(false, {});
    std::vector<saidx_t> sa(text_.size());
    const auto begin = std::chrono::steady_clock::now();
    divsufsort(in_.data(), sa.data(), static_cast<saidx_t>(sa.size()));
    const double time = seconds_since(begin);
    const bool same = std::equal(sa.begin(), sa.end(), out_.data(), [](saidx_t a, std::uint32_t b) {
      return static_cast<std::uint32_t>(a) == b;
    });
    return same ? time : -1;
  }

private:
  std::string text_;
  std::size_t root_;
  weft::gpu::stream work_;
  weft::gpu::pinned_buffer<unsigned char> in_;
  weft::gpu::pinned_buffer<std::uint32_t> out_;
};

// The data that the calls of a row share, made at the first call: the right answer, with which later ones are
// compared, the times of the kernels, and the time of libdivsufsort.
struct prepared_row {
  figure_row row;
  std::vector<std::uint32_t> answer;
  quicksort_times times;
  double cpu = 0; // seconds of libdivsufsort; 0: not measured, negative: the answer is wrong

  prepared_row(const std::string& kind, std::size_t size) : row(kind, size) {
    if (size <= checked_by_divsufsort) cpu = row.time_divsufsort();
    (void)row.sort(true, {.times = &times});
    if (!row.rotations_are_right()) cpu = -1;
    answer.assign(row.rows().begin(), row.rows().end());
  }
  [[nodiscard]] bool is_right() const { return cpu >= 0; }
};

prepared_row& prepared(const std::string& kind, std::size_t size) {
  static std::unique_ptr<prepared_row> row; // the last row
  static std::pair<std::string, std::size_t> of;
  if (row == nullptr || of != std::pair(kind, size)) {
    row.reset();
    row = std::make_unique<prepared_row>(kind, size);
    of = {kind, size};
  }
  return *row;
}

void run_row(benchmark::State& state, const std::string& kind, std::size_t size) {
  prepared_row& at = prepared(kind, size);
  if (!at.is_right()) return state.SkipWithError("wrong answer");
  (void)at.row.sort(true, {});
  std::vector<double> all;
  for (auto _ : state) {
    all.push_back(at.row.sort(true, {}));
    state.SetIterationTime(all.back());
  }
  if (!std::equal(at.answer.begin(), at.answer.end(), at.row.rows().begin()))
    return state.SkipWithError("wrong answer");
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  state.counters["first"] = 100 * at.times.first / (at.times.first + at.times.second);
  state.counters["levels"] = static_cast<double>(at.times.levels);
  if (at.cpu > 0) state.counters["cpu/gpu"] = at.cpu / all[all.size() / 2];
  state.counters["symbols/s"] = weft_bench::rate(size);
}

void run(benchmark::State& state, const std::string& kind, std::size_t size) {
  weft_bench::run_on_gpu(state, [&] { run_row(state, kind, size); });
}

const bool defined = [] {
  for (const char* const kind : {"DNA", "words"})
    for (const auto& [name, size] :
         {std::pair("1K", 1'000), std::pair("10K", 10'000), std::pair("100K", 100'000),
          std::pair("1M", 1'000'000), std::pair("10M", 10'000'000), std::pair("100M", 100'000'000)})
      benchmark::RegisterBenchmark((std::string("gpu/figure2/") + kind + "/" + name).c_str(), run,
                                   std::string(kind), static_cast<std::size_t>(size))
          ->Unit(benchmark::kMillisecond)
          ->UseManualTime()
          ->MinTime(0.1)
          ->Repetitions(5)
          ->ReportAggregatesOnly();
  return true;
}();

} // namespace
