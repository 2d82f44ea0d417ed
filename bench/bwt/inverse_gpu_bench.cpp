// The inverse on a GPU, in bytes of text per second by the clock round the call.
//
//   gpu/inverse/DATA/SIZE        weft::gpu::inverse_bwt: transform and text in device memory
//   gpu/inverse/bits:B/DATA/SIZE the same with chains that start 2^B rows apart, about
//   gpu/inverse/wide/DATA/SIZE   the same by links of 40 bits
//   gpu/pinned/DATA/SIZE         copied there and back from and to page-locked memory of the host
//   gpu/host/DATA/SIZE           weft::inverse_bwt: both in plain memory of the host
//
// DATA is dna, random bases, or text, letters each of which depends on the three before it; seeded. 64M is
// 2^26 of them. 1G is 2^30: the transform of no such text, as no CPU sorts so many suffixes in time, but of
// one that a few exchanges make out of sixteen of it (see doubled), so that steps go as far. Checked: every
// text, against the CPU's at the first call.
#include <algorithm>
#include <array>
#include <bench/define.hpp>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/device.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/bwt.hpp>
#include <weft/bwt/cuda/inverse.hpp>

namespace {

using weft::bwt_form;
using weft::bwt_text;

std::string made(const std::string& data, std::size_t size) {
  std::mt19937_64 random(1);
  std::string text(size, 'A');
  if (data == "dna") {
    for (char& c : text) c = "ACGT"[random() >> 62];
    return text;
  }
  std::array<unsigned char, 3> last{}; // letters 0 to 26
  for (char& c : text) {
    const unsigned context = (last[0] * 27U + last[1]) * 27U + last[2];
    const unsigned few =
        static_cast<unsigned>(random() >> 32) % 10 < 8 ? 4U : 27U; // choices, the first four most
    const auto letter = static_cast<unsigned char>(
        (context * 2654435761U / 7919U + static_cast<unsigned>(random() % few)) % 27U);
    last = {last[1], last[2], letter};
    c = letter == 26 ? ' ' : static_cast<char>('a' + letter);
  }
  return text;
}

// The transform, in rotation form, of a text of twice as many bytes. That of the text twice has each byte
// twice, and of its two cycles of links one has all first ones and one all second ones; exchanging two
// different bytes that stand together, a second and a first, exchanges their links and makes them one cycle.
bwt_text doubled(const bwt_text& from) {
  bwt_text twice{std::string(2 * from.bytes.size(), ' '), 2 * from.primary_index, bwt_form::rotation};
  for (std::size_t i = 0; i < from.bytes.size(); ++i)
    twice.bytes[2 * i] = twice.bytes[2 * i + 1] = from.bytes[i];
  const auto other = std::adjacent_find(from.bytes.begin(), from.bytes.end(), std::not_equal_to<>{});
  const auto at = static_cast<std::size_t>(other - from.bytes.begin());
  std::swap(twice.bytes[2 * at + 1], twice.bytes[2 * at + 2]);
  return twice;
}

struct inversion {
  bwt_text from;
  std::string text; // the CPU's
};

// One at a time: it may have gigabytes.
const inversion& given(const std::string& data, const std::string& size) {
  static std::string kept;
  static inversion item;
  if (std::exchange(kept, data + size) == data + size) return item;
  item = {weft::bwt(made(data, std::size_t{1} << 26), bwt_form::rotation), ""};
  while (size == "1G" && item.from.bytes.size() < std::size_t{1} << 30) item.from = doubled(item.from);
  item.text = weft::inverse_bwt(item.from, {.device = {weft::device_kind::cpu, 0}});
  return item;
}

// Times call(), which ends with the work; check() is not timed and says whether the text is right.
void time(benchmark::State& state, std::size_t size, const std::function<void()>& call,
          const std::function<bool()>& check) {
  call(); // takes memory, and the GPU up
  for (auto _ : state) call();
  if (!check()) state.SkipWithError("wrong answer");
  state.counters["bytes/s"] = benchmark::Counter(
      static_cast<double>(size), benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

// The row of a transform: of any text, if its maker has it.
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
      weft::bwt_cuda::inverse(from.data(), n, first, item.from.form, text.data(), options, work.get());
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
  if (weft::known_gpus().devices.empty()) {
    state.SkipWithError("no GPU can be used");
    return;
  }
  try {
    body(state, given(data, size));
  } catch (const std::exception& failure) {
    state.SkipWithError(failure.what());
  }
}

const bool defined = [] {
  using weft::bwt_cuda::inverse_options;
  for (const std::string data : {"dna", "text"})
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
        if (data == "dna") resident("gpu/inverse/bits:" + std::to_string(bits), {.stretch_bits = bits});
      resident("gpu/inverse/wide", {.wide = true});
      define("gpu/pinned", pinned);
      define("gpu/host", host);
    }
  return true;
}();

} // namespace
