// Measures the highest rates of this machine: for copies of memory, and for logic on vectors in registers.
#include <algorithm>
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <cstring>
#include <memory>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/ceiling.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::bench::HWY_NAMESPACE {

// Computes `steps` steps of eight chains, each of one operation on a whole vector. Returns the number of bits
// that the operations process. `*sink` receives a value that depends on all of them, so that the compiler
// cannot remove the computation.
std::uint64_t logic_steps(std::uint64_t steps, std::uint64_t seed, std::uint64_t* sink) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<std::uint64_t> d;
  const auto one = hn::Set(d, seed | 1);
  auto a = hn::Iota(d, seed), b = hn::Add(a, one), c = hn::Add(b, one), e = hn::Add(c, one);
  auto f = hn::Add(e, one), g = hn::Add(f, one), h = hn::Add(g, one), i = hn::Add(h, one);
  for (std::uint64_t step = 0; step < steps; ++step) {
    a = hn::Add(a, b);
    b = hn::Xor(b, c);
    c = hn::Add(c, e);
    e = hn::Xor(e, f);
    f = hn::Add(f, g);
    g = hn::Xor(g, h);
    h = hn::Add(h, i);
    i = hn::Xor(i, a);
  }
  HWY_ALIGN std::uint64_t lanes[hn::MaxLanes(d)];
  hn::Store(hn::Xor(hn::Xor(hn::Xor(a, b), hn::Xor(c, e)), hn::Xor(hn::Xor(f, g), hn::Xor(h, i))), d, lanes);
  *sink = lanes[0] ^ lanes[hn::Lanes(d) - 1];
  return steps * 8 * 64 * hn::Lanes(d);
}

} // namespace weft::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::bench {

HWY_EXPORT(logic_steps);

namespace {

constexpr int times = 5; // repetitions, of which the best one counts

// work() returns the amount of work that it has done.
template <class Work> double best_rate(const Work& work) {
  double best = 0;
  for (int i = 0; i < times; ++i) {
    const double begin = steady_seconds(), amount = work();
    best = std::max(best, amount / (steady_seconds() - begin));
  }
  return best;
}

double copy_rate(int threads) {
  const std::uint64_t max_bytes = std::max<std::uint64_t>(memory_limit(0) / 4, 1 << 20);
  const std::uint64_t bytes = std::min<std::uint64_t>(max_bytes, std::uint64_t{256} << 20);
  const std::unique_ptr<char[]> from(new char[bytes]), to(new char[bytes]);
  std::memset(from.get(), 1, bytes);
  std::memset(to.get(), 2, bytes);
  return best_rate([&] {
    parallel_for(0, bytes, std::uint64_t{1} << 20, threads, [&](std::uint64_t first, std::uint64_t last) {
      std::memcpy(to.get() + first, from.get() + first, last - first);
    });
    return 2.0 * static_cast<double>(bytes);
  });
}

double logic_rate(int threads) {
  const int members = thread_count(threads);
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(members)), sink(bits.size());
  return best_rate([&] {
    run_team(members, [&](int member) {
      const auto at = static_cast<std::size_t>(member);
      std::uint64_t sum = 0;
      bits[at] = HWY_DYNAMIC_DISPATCH(logic_steps)(4'000'000, at + 1, &sum);
      sink[at] = sum;
    });
    double all = 0;
    for (const std::uint64_t each : bits) all += static_cast<double>(each);
    return all;
  });
}

} // namespace

double cpu_ceiling(ceiling_kind kind, int threads) {
  return kind == ceiling_kind::copy ? copy_rate(threads) : logic_rate(threads);
}

ceilings measure_ceilings(ceiling_kind kind, const limits& asked) {
  ceilings rates;
  if (asked.cpu) rates.cpu = cpu_ceiling(kind, asked.threads);
  if (asked.gpu && !known_gpus().devices.empty()) rates.gpu = gpu_ceiling(kind);
  return rates;
}

} // namespace weft::bench
#endif
