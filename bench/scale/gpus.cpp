// Predicts the sort of n numbers on g GPUs as
//
//   the time of one GPU for n / g numbers
//   + n / g * 8 * (g - 1) / g bytes over the link
//   + log2(g) rounds of merges, each of which reads and writes n / g numbers at the rate of a copy
//
// from the measured time of one GPU, the measured rate of an exchange between two, and that of a copy.
#include <bench/scale/gpus.hpp>

#include <algorithm>
#include <bench/bench.hpp>
#include <bench/gpu.hpp>
#include <fmt/format.h>
#include <weft/base/device.hpp>
#if defined(WEFT_WITH_CUDA)
#include <atomic>
#include <cmath>
#include <random>
#include <span>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/error.hpp>
#include <weft/multi/nccl.hpp>
#include <weft/sort/sort.hpp>
#endif

namespace weft::bench {

#if defined(WEFT_WITH_CUDA)

namespace {

using multi::gpu_rank;

constexpr int num_runs = 5; // of which the shortest counts, and the first only warms up
constexpr std::uint64_t all_numbers = std::uint64_t{1} << 28;

// Returns the shortest time of several calls of work() by all ranks, each after prepare(). For rank 0.
template <class Prepare, class Work> double time_of(gpu_rank& own, const Prepare& prepare, const Work& work) {
  double best = 0;
  for (int run = 0; run < num_runs; ++run) {
    prepare();
    gpu::check(cudaStreamSynchronize(own.stream), "prepare a sort");
    own.control.barrier();
    const double begin = steady_seconds();
    work();
    own.control.barrier();
    const double seconds = steady_seconds() - begin;
    if (run > 0) best = run == 1 ? seconds : std::min(best, seconds);
  }
  return best;
}

// Returns the time to sort `numbers` on these GPUs, and whether the result is `sorted`.
measured_job sort_on(const std::vector<int>& gpus, std::span<const std::uint64_t> numbers,
                     std::span<const std::uint64_t> sorted) {
  measured_job done{"gpu sort", 0, 0, true};
  std::atomic<bool> is_right = true;
  multi::run_on_gpus(gpus, [&](gpu_rank& own) {
    const std::uint64_t share = numbers.size() / gpus.size(),
                        begin = share * static_cast<std::uint64_t>(own.control.rank());
    const auto d_numbers = gpu::uploaded(numbers.subspan(begin, share), own.stream, "copy numbers");
    const gpu::device_buffer<std::uint64_t> d_items(share, own.stream);
    const double seconds = time_of(
        own, [&] { gpu::copy(d_items.data(), d_numbers.data(), share, own.stream, "copy numbers"); },
        [&] { multi::sort(own, d_items.data(), share); });
    const auto found = gpu::downloaded(d_items.data(), share, own.stream, "copy numbers");
    if (!std::ranges::equal(found, sorted.subspan(begin, share))) is_right = false;
    if (own.control.rank() == 0) done.seconds = seconds;
  });
  done.is_right = is_right;
  return done;
}

// Returns the bytes a second that each of two GPUs sends to the other at the same time.
double rate_of_link(const std::vector<int>& gpus) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 28;
  double seconds = 0;
  multi::run_on_gpus(std::span(gpus).first(2), [&](gpu_rank& own) {
    const gpu::device_buffer<std::byte> from(bytes, own.stream), to(bytes, own.stream);
    std::vector<std::uint64_t> sizes = {bytes, bytes};
    sizes[static_cast<std::size_t>(own.control.rank())] = 0;
    const double best = time_of(
        own, [] {},
        [&] {
          own.device.all_to_all(std::span<const std::byte>(from.data(), bytes), sizes,
                                std::span(to.data(), bytes), sizes);
        });
    if (own.control.rank() == 0) seconds = best;
  });
  return static_cast<double>(bytes) / seconds;
}

} // namespace

gpu_jobs run_gpu_sorts() try {
  std::vector<int> gpus;
  for (const gpu_info& each : known_gpus().devices) gpus.push_back(each.index);
  if (gpus.size() < 2) return {{}, "there are not two GPUs"};
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers(all_numbers);
  for (std::uint64_t& each : numbers) each = random();
  const double link = rate_of_link(gpus), copy = gpu_ceiling(ceiling_kind::copy);
  gpu_jobs done{{},
                fmt::format("{:.0f} GB/s between two GPUs, {:.0f} GB/s of a copy", link / 1e9, copy / 1e9)};
  const std::vector<int> first(gpus.begin(), gpus.begin() + 1);
  for (std::size_t count = 1; count <= gpus.size(); count *= 2) {
    std::vector<std::uint64_t> sorted = numbers,
                               part(numbers.begin(),
                                    numbers.begin() + static_cast<std::ptrdiff_t>(all_numbers / count));
    weft::sort(std::span(sorted));
    measured_job each =
        sort_on({gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(count)}, numbers, sorted);
    std::vector<std::uint64_t> sorted_part = part;
    weft::sort(std::span(sorted_part));
    const auto g = static_cast<double>(count);
    const double bytes = static_cast<double>(all_numbers) / g * 8;
    each.predicted = sort_on(first, part, sorted_part).seconds + bytes * (g - 1) / g / link +
                     std::log2(g) * 2 * bytes / copy;
    done.sorts.push_back(each);
  }
  return done;
} catch (const unavailable_error& fault) {
  return {{}, fault.what()};
}

#else

gpu_jobs run_gpu_sorts() { return {{}, "weft was built without CUDA"}; }

#endif

} // namespace weft::bench
