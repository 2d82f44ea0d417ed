// Measures the inverse transform on a GPU in bytes of text per second of real time.
//
//   gpu/inverse/DATA/SIZE        weft::gpu::inverse_bwt: transform and text in device memory
//   gpu/inverse/bits:B/DATA/SIZE the same with chains that start about 2^B rows apart
//   gpu/inverse/wide/DATA/SIZE   the same with links of 40 bits
//   gpu/pinned/DATA/SIZE         the same, including copies from and to page-locked host memory
//   gpu/host/DATA/SIZE           weft::inverse_bwt: both in pageable host memory
//
// DATA is random-dna or word-text (texts.hpp), 64M is 2^26 symbols, 1G is 10^9 symbols. The suffix sort on
// the GPU makes the transforms. Every text that comes back is checked.
#include <bench/bwt/texts.hpp>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <bench/run_on_gpu.hpp>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/cuda/inverse/inverse.hpp>

namespace {

using weft::bwt_text;

// A transform, and the text that its inverse must give.
struct inversion {
  bwt_text from;
  std::string text;
};

// Returns a text and its transform. Only the last ones are kept, because they may have gigabytes.
const inversion& inversion_of(const std::string& data, const std::string& size) {
  static std::string kept;
  static inversion item;
  if (std::exchange(kept, data + size) == data + size) return item;
  item.text = weft_bench::text_maker(size == "1G" ? 1'000'000'000 : 1U << 26).make(data);
  item.from = weft::bwt(item.text, weft::bwt_form::sentinel, {.device = {weft::device_kind::gpu, 0}});
  return item;
}

// Times call(), which waits for its work. check() is not timed and returns whether the text is right.
void time(benchmark::State& state, std::size_t size, const std::function<void()>& call,
          const std::function<bool()>& check) {
  call(); // allocates memory and wakes up the GPU
  for (auto _ : state) call();
  if (!check()) state.SkipWithError("wrong answer");
  state.counters["bytes/s"] = weft_bench::rate(size);
}

// Times the inverse of a transform in device memory.
void in_device_memory(benchmark::State& state, const inversion& item,
                      const weft::bwt_cuda::inverse_options& options) {
  const weft::gpu::stream work;
  const std::size_t n = item.text.size();
  const weft::gpu::device_buffer<unsigned char> from(n, work.get()), text(n, work.get());
  weft::gpu::copy(from.data(), reinterpret_cast<const unsigned char*>(item.from.bytes.data()), n, work.get(),
                  "copy");
  const std::uint64_t first = item.from.primary_index;
  const auto call = [&] {
    if (options.wide || options.stretch_bits >= 0)
      weft::bwt_cuda::invert_transform(from.data(), n, first, item.from.form, text.data(), options,
                                       work.get());
    else
      weft::gpu::inverse_bwt(from.data(), n, first, item.from.form, text.data(), {}, work.get());
    work.wait();
  };
  time(state, n, call, [&] {
    std::string back(n, '\0');
    weft::gpu::copy(reinterpret_cast<unsigned char*>(back.data()), text.data(), n, work.get(), "copy");
    work.wait();
    return back == item.text;
  });
}

void pinned(benchmark::State& state, const inversion& item) {
  const weft::gpu::stream work;
  const std::size_t n = item.text.size();
  const weft::gpu::device_buffer<unsigned char> d_from(n, work.get()), d_text(n, work.get());
  const weft::gpu::pinned_buffer<unsigned char> from(n), text(n);
  std::memcpy(from.data(), item.from.bytes.data(), n);
  const auto call = [&] {
    weft::gpu::copy(d_from.data(), from.data(), n, work.get(), "copy");
    weft::gpu::inverse_bwt(d_from.data(), n, item.from.primary_index, item.from.form, d_text.data(), {},
                           work.get());
    weft::gpu::copy(text.data(), d_text.data(), n, work.get(), "copy");
    work.wait();
  };
  time(state, n, call, [&] { return std::memcmp(text.data(), item.text.data(), n) == 0; });
}

void host(benchmark::State& state, const inversion& item) {
  std::string text;
  const auto call = [&] { text = weft::inverse_bwt(item.from, {.device = {weft::device_kind::gpu, 0}}); };
  time(state, item.text.size(), call, [&] { return text == item.text; });
}

void row(benchmark::State& state, const std::string& data, const std::string& size,
         const std::function<void(benchmark::State&, const inversion&)>& body) {
  weft_bench::run_on_gpu(state, [&] { body(state, inversion_of(data, size)); });
}

const bool defined = [] {
  using weft::bwt_cuda::inverse_options;
  for (const std::string data : {"random-dna", "word-text"})
    for (const std::string size : {"64M", "1G"}) {
      const std::string at = "/" + data + "/" + size;
      const auto define = [&](const std::string& name, const auto& body) {
        weft_bench::define(name + at, row, data, size, body);
      };
      const auto resident = [&](const std::string& name, const inverse_options& options) {
        define(name, [options](benchmark::State& state, const inversion& item) {
          in_device_memory(state, item, options);
        });
      };
      resident("gpu/inverse", {});
      for (const int bits : {7, 8, 9, 10, 11})
        if (data == "random-dna")
          resident("gpu/inverse/bits:" + std::to_string(bits), {.stretch_bits = bits});
      resident("gpu/inverse/wide", {.wide = true});
      define("gpu/pinned", pinned);
      define("gpu/host", host);
    }
  return true;
}();

} // namespace
