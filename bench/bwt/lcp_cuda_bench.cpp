// Measures LCP arrays on a GPU in real time. Text, suffix array and result are in device memory.
//
//   gpu/lcp/TEXT/SIZE        weft::gpu::lcp_array, indexes of 32 bits
//   gpu/lcp/wide/TEXT/SIZE   indexes of 64 bits
//
// The names of TEXT are those of texts.hpp, among them `equal` (all symbols are the same) and `one-b` (as
// equal, but the first symbol differs: each level compares one pair of suffixes to the end). Counters:
// symbols/s; `device`: bytes of device memory per symbol in addition to text and arrays. Some rows of each
// result are checked symbol by symbol.
#include <algorithm>
#include <bench/bwt/texts.hpp>
#include <bench/define.hpp>
#include <bench/rate.hpp>
#include <bench/run_on_gpu.hpp>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/bwt/bwt.cuh>
#include <weft/bwt/cuda/lcp/lcp.hpp>

namespace {

using weft::gpu::device_buffer;

bool is_one_run(const std::string& name) { return name == "equal" || name == "one-b"; }

template <class Index>
bool is_right(const std::string& text, const std::vector<Index>& sa, const std::vector<Index>& lcp) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t row = 1 + random() % (text.size() - 1), common = lcp[row],
                        last = std::max(sa[row - 1], sa[row]);
    const auto a = text.begin() + static_cast<std::ptrdiff_t>(sa[row - 1]),
               b = text.begin() + static_cast<std::ptrdiff_t>(sa[row]);
    // Only the last symbols of the common prefix are compared.
    const std::uint64_t some = std::min<std::uint64_t>(common, 1'000'000);
    const auto from = static_cast<std::ptrdiff_t>(common - some), end = static_cast<std::ptrdiff_t>(common);
    if (last + common > text.size() || !std::equal(a + from, a + end, b + from) ||
        (last + common < text.size() && a[end] == b[end]))
      return false;
  }
  return lcp[0] == 0;
}

template <class T> std::vector<T> read(const device_buffer<T>& from, const weft::gpu::stream& work) {
  std::vector<T> items(from.size());
  weft::gpu::copy(items.data(), from.data(), items.size(), work.get(), "copy");
  work.wait();
  return items;
}

template <class Index> void compare(benchmark::State& state, const std::string& name, std::uint64_t n) {
  const std::string& text = weft_bench::text_of(name, n);
  const weft::gpu::stream work;
  const device_buffer<unsigned char> d_text(n, work.get());
  weft::gpu::copy(d_text.data(), reinterpret_cast<const unsigned char*>(text.data()), n, work.get(), "copy");
  const device_buffer<Index> d_sa(n, work.get()), d_lcp(n, work.get());
  if (is_one_run(name)) { // shorter suffixes are smaller
    std::vector<Index> sa(n);
    std::iota(sa.rbegin(), sa.rend(), Index{0});
    weft::gpu::copy(d_sa.data(), sa.data(), n, work.get(), "copy");
    work.wait();
  } else {
    weft::gpu::suffix_array(d_text.data(), n, d_sa.data(), {}, work.get());
  }
  const auto call = [&] {
    weft::gpu::lcp_array(d_text.data(), n, d_sa.data(), d_lcp.data(), {}, work.get());
    work.wait();
  };
  call(); // allocates device memory
  for (auto _ : state) call();
  if (!is_right(text, read(d_sa, work), read(d_lcp, work))) state.SkipWithError("wrong answer");
  state.counters["symbols/s"] = weft_bench::rate(n);
  state.counters["device"] =
      static_cast<double>(weft::bwt_cuda::lcp_memory<Index>(n, {})) / static_cast<double>(n);
}

using body = void (*)(benchmark::State&, const std::string&, std::uint64_t);
void row(benchmark::State& state, body run, const std::string& name, std::uint64_t n) {
  weft_bench::run_on_gpu(state, [&] { run(state, name, n); });
}

const bool defined = [] {
  constexpr std::uint64_t million = 1'000'000;
  for (const std::string name : {"random-dna", "genome-like", "word-text", "repetitive", "equal", "one-b"}) {
    for (const std::uint64_t millions : {100, 1000})
      weft_bench::define("gpu/lcp/" + name + "/" + std::to_string(millions) + "M", row,
                         &compare<std::uint32_t>, name, millions * million);
    weft_bench::define("gpu/lcp/wide/" + name + "/1000M", row, &compare<std::uint64_t>, name, 1000 * million);
  }
  return true;
}();

} // namespace
