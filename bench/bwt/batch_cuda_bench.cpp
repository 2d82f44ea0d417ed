// Measures the transforms of batches of blocks and of collections of reads on a GPU, in real time.
//
//   gpu/batch/TEXT/SIZE/BLOCK   the sentinel forms of all blocks of a text, from page-locked host memory to
//                               page-locked host memory
//   gpu/batch-rotation/...      the rotation forms
//   gpu/one-by-one/...          the sentinel forms, with one call of weft::gpu::bwt for each block
//   gpu/reads/COUNT             the transform of a collection of reads of 100 bases, from and to page-locked
//                               host memory. The reads begin at random positions of a genome-like text that
//                               has a tenth of their bases; one base in 500 is drawn again
//
// The names of TEXT are those of texts.hpp. Counters: bytes/s; `device`: the peak device memory in bytes per
// symbol. To check the results, all blocks are inverted and compared with the text; the transforms of reads
// are checked by the number of each byte and by the reads' starts.
#include <algorithm>
#include <array>
#include <bench/bwt/texts.hpp>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <bench/run_on_gpu.hpp>
#include <cstring>
#include <string>
#include <test/base/device_memory_taken.hpp>
#include <utility>
#include <vector>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/bwt_batch.cuh>

namespace {

using weft::bwt_form;
using weft::gpu::device_buffer;
using weft::gpu::pinned_buffer;

constexpr std::uint64_t million = 1'000'000;

std::vector<std::uint64_t> blocks_of(std::uint64_t size, std::uint64_t block) {
  std::vector<std::uint64_t> offsets = {0};
  while (offsets.back() < size) offsets.push_back(std::min(size, offsets.back() + block));
  return offsets;
}

void set_counters(benchmark::State& state, std::uint64_t n, std::uint64_t taken) {
  state.counters["bytes/s"] = weft_bench::rate(n);
  state.counters["device"] = static_cast<double>(taken) / static_cast<double>(n);
}

// Times work(d_text, d_bwt, stream) together with the copies of the text from page-locked memory and of the
// result to `to`.
template <class Work>
void run_from_host(benchmark::State& state, const std::string& text, const pinned_buffer<unsigned char>& to,
                   const Work& work) {
  const weft::gpu::stream stream;
  const pinned_buffer<unsigned char> from(text.size());
  std::memcpy(from.data(), text.data(), text.size());
  const auto call = [&] {
    const device_buffer<unsigned char> d_text(text.size(), stream.get()), d_bwt(text.size(), stream.get());
    weft::gpu::copy(d_text.data(), from.data(), text.size(), stream.get(), "copy");
    work(d_text.data(), d_bwt.data(), stream.get());
    weft::gpu::copy(to.data(), d_bwt.data(), text.size(), stream.get(), "copy");
    stream.wait();
  };
  const weft_test::device_memory_taken taken;
  taken.reset();
  call(); // allocates device memory
  const std::uint64_t peak_bytes = taken.peak_bytes();
  for (auto _ : state) call();
  set_counters(state, text.size(), peak_bytes);
}

// A row's method: the form of the transforms, and whether all blocks are transformed by one call.
struct batch_method {
  const char* name;
  bwt_form form;
  bool together;
};

void batch(benchmark::State& state, const batch_method& method, const std::string& name, std::uint64_t n,
           std::uint64_t block) {
  const std::string& text = weft_bench::text_of(name, n);
  const std::vector<std::uint64_t> offsets = blocks_of(n, block);
  std::vector<std::uint64_t> indexes(offsets.size() - 1);
  const pinned_buffer<unsigned char> to(n);
  run_from_host(state, text, to, [&](const unsigned char* d_text, unsigned char* d_bwt, cudaStream_t stream) {
    if (method.together)
      return weft::gpu::bwt_batch(d_text, offsets, method.form, d_bwt, indexes, {}, stream);
    for (std::size_t i = 0; i < indexes.size(); ++i)
      indexes[i] = weft::gpu::bwt(d_text + offsets[i], offsets[i + 1] - offsets[i], method.form,
                                  d_bwt + offsets[i], {}, stream);
  });
  const weft::gpu::stream stream;
  const device_buffer<unsigned char> d_bwt(n, stream.get()), d_text(n, stream.get());
  weft::gpu::copy(d_bwt.data(), to.data(), n, stream.get(), "copy");
  for (std::size_t i = 0; i < indexes.size(); ++i)
    weft::gpu::inverse_bwt(d_bwt.data() + offsets[i], offsets[i + 1] - offsets[i], indexes[i], method.form,
                           d_text.data() + offsets[i], {}, stream.get());
  weft::gpu::copy(to.data(), d_text.data(), n, stream.get(), "copy");
  stream.wait();
  if (std::memcmp(to.data(), text.data(), n) != 0) state.SkipWithError("wrong answer");
}

// Returns random reads with errors. Only the last collection is kept.
const std::string& reads_of(std::uint64_t count, std::uint64_t length) {
  static std::string text;
  if (text.size() == count * length) return text;
  text.clear();
  text.reserve(count * length);
  const std::string genome = weft_bench::text_maker(count * length / 10).make("genome-like");
  std::mt19937_64 random(1);
  for (std::uint64_t r = 0; r < count; ++r) text.append(genome, random() % (genome.size() - length), length);
  for (std::uint64_t i = random() % 1000; i < text.size(); i += 1 + random() % 1000)
    text[i] = "ACGT"[random() % 4];
  return text;
}

void reads(benchmark::State& state, std::uint64_t count) {
  constexpr std::uint64_t length = 100;
  const std::string& text = reads_of(count, length);
  const std::vector<std::uint64_t> offsets = blocks_of(text.size(), length);
  std::vector<std::uint64_t> starts(count);
  const pinned_buffer<unsigned char> to(text.size());
  run_from_host(state, text, to, [&](const unsigned char* d_text, unsigned char* d_bwt, cudaStream_t stream) {
    weft::gpu::collection_bwt(d_text, offsets, d_bwt, starts, {}, stream);
  });
  std::array<std::int64_t, 256> counts{};
  for (std::uint64_t i = 0; i < text.size(); ++i) {
    ++counts[static_cast<unsigned char>(text[i])];
    --counts[to.data()[i]];
  }
  bool right = std::all_of(counts.begin(), counts.end(), [](std::int64_t each) { return each == 0; });
  for (std::uint64_t r = 0; r < count; ++r) // row r is the one of record r's end; the rows of starts differ
    right =
        right && to.data()[r] == static_cast<unsigned char>(text[offsets[r + 1] - 1]) && starts[r] >= count;
  std::sort(starts.begin(), starts.end());
  right = right && std::adjacent_find(starts.begin(), starts.end()) == starts.end();
  if (!right) state.SkipWithError("wrong answer");
}

void batch_row(benchmark::State& state, const batch_method& method, const std::string& name, std::uint64_t n,
               std::uint64_t block) {
  weft_bench::run_on_gpu(state, [&] { batch(state, method, name, n, block); });
}
void reads_row(benchmark::State& state, std::uint64_t count) {
  weft_bench::run_on_gpu(state, [&] { reads(state, count); });
}

const bool defined = [] {
  const auto define = [](const batch_method& method, const char* text, std::uint64_t n, std::uint64_t block) {
    const std::string at =
        std::string(text) + "/" + std::to_string(n / million) + "M/" +
        (block < million ? std::to_string(block / 1000) + "K" : std::to_string(block / million) + "M");
    weft_bench::define(std::string("gpu/") + method.name + "/" + at, batch_row, method, std::string(text), n,
                       block);
  };
  constexpr batch_method sentinel = {"batch", bwt_form::sentinel, true},
                         rotation = {"batch-rotation", bwt_form::rotation, true},
                         one_by_one = {"one-by-one", bwt_form::sentinel, false};
  for (const char* text : {"word-text", "random-dna", "genome-like"})
    for (const std::uint64_t n : {1000 * million, 100 * million})
      for (const std::uint64_t block : {9 * million / 10, 25 * million}) {
        define(sentinel, text, n, block);
        define(n > 100 * million ? rotation : one_by_one, text, n, block);
      }
  for (const std::uint64_t count : {million, 10 * million})
    weft_bench::define("gpu/reads/" + std::to_string(count / million) + "M", reads_row, count);
  return true;
}();

} // namespace
