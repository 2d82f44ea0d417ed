// Predicts the sort of n numbers on g GPUs as
//
//   the time of one GPU for n / g numbers
//   + n / g * 8 * (g - 1) / g bytes over the link
//   + log2(g) rounds of merges and a copy, each of which reads and writes n / g numbers at the rate of a copy
//   - what travels and what is merged at the same time: the shorter of both, but for one of the groups
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
#include <weft/base/mixed.hpp>
#include <weft/multi/nccl.hpp>
#include <weft/sort/sort.hpp>
#endif

namespace weft::bench {

#if defined(WEFT_WITH_CUDA)

namespace {

using multi::gpu_rank;

constexpr int num_runs = 5; // of which the shortest counts, and the first only warms up
constexpr std::uint64_t all_numbers = std::uint64_t{1} << 28;

std::vector<int> all_gpus() {
  std::vector<int> gpus;
  for (const gpu_info& each : known_gpus().devices) gpus.push_back(each.index);
  return gpus;
}

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

// Returns the time that numbers of so many bytes on each of g GPUs travel and are merged.
double predicted_exchange(double bytes, double g, double link, double copy) {
  const double travelling = bytes * (g - 1) / g / link,
               merging = g == 1 ? 0 : (std::log2(g) + 1) * 2 * bytes / copy,
               groups = std::clamp(std::floor(bytes / multi::gpu_sort_options().min_group_bytes), 1.0, 16.0);
  return travelling + merging - std::min(travelling, merging) * (groups - 1) / groups;
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

// How a large sort is done.
struct large_sort {
  const char* name;
  std::uint64_t min_group_bytes;
  bool keeps_array;
};
constexpr large_sort large_sorts[] = {
    {"in place", multi::gpu_sort_options().min_group_bytes, true},
    {"in place, 16 groups", std::uint64_t{1} << 26, true},
    {"in place, one group", ~std::uint64_t{0}, true},
    {"to a new array", multi::gpu_sort_options().min_group_bytes, false},
};

// Returns a number that does not depend on the order of the numbers.
std::uint64_t fingerprint(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t sum = 0;
  for (const std::uint64_t each : numbers) sum += base_detail::mixed(each);
  return sum;
}

// Returns, on all ranks, whether the parts of the ranks are the sorted numbers. No part may be empty.
bool are_sorted(gpu_rank& own, const std::vector<std::uint64_t>& numbers,
                const std::vector<std::uint64_t>& part) {
  const std::vector<std::uint64_t> first = multi::all_gather_number(own.control, part.front()),
                                   last = multi::all_gather_number(own.control, part.back());
  bool is_right = std::ranges::is_sorted(part);
  for (std::size_t r = 1; r < first.size(); ++r) is_right = is_right && last[r - 1] <= first[r];
  std::uint64_t sums[] = {fingerprint(numbers), fingerprint(part), is_right ? 0U : 1U};
  own.control.all_reduce(sums, multi::reduction::sum);
  return sums[0] == sums[1] && sums[2] == 0;
}

gpu_steps steps_on(const std::vector<int>& gpus, const large_sort& how) {
  gpu_steps done{gpus.size(), gpus.size() == 1 ? "one GPU" : how.name, 0, 0, 0, 0, false};
  multi::run_on_gpus(gpus, [&](gpu_rank& own) {
    const std::uint64_t begin = all_numbers * static_cast<std::uint64_t>(own.control.rank());
    std::vector<std::uint64_t> numbers(all_numbers);
    for (std::uint64_t i = 0; i < all_numbers; ++i) numbers[i] = base_detail::mixed(begin + i);
    const auto d_numbers = gpu::uploaded(std::span<const std::uint64_t>(numbers), own.stream, "copy numbers");
    gpu::device_buffer<std::uint64_t> items(all_numbers, own.stream);
    std::vector<double> local_sort, cut_search, exchange, total;
    for (int run = 0; run <= num_runs; ++run) { // the first run warms up
      gpu::copy(items.data(), d_numbers.data(), all_numbers, own.stream, "copy numbers");
      gpu::check(cudaStreamSynchronize(own.stream), "prepare a sort");
      multi::gpu_sort_times times;
      const multi::gpu_sort_options options{.min_group_bytes = how.min_group_bytes, .times = &times};
      own.control.barrier();
      const double start = steady_seconds();
      if (how.keeps_array)
        multi::sort(own, items.data(), all_numbers, options);
      else
        multi::sort(own, items, multi::sizes::natural, options);
      own.control.barrier();
      if (run == 0) continue;
      total.push_back(steady_seconds() - start);
      local_sort.push_back(times.local_sort);
      cut_search.push_back(times.cut_search);
      exchange.push_back(times.exchange);
    }
    const bool is_right =
        are_sorted(own, numbers, gpu::downloaded(items.data(), items.size(), own.stream, "copy numbers"));
    if (own.control.rank() == 0)
      done = {gpus.size(),   done.how, median(local_sort), median(cut_search), median(exchange),
              median(total), is_right};
  });
  return done;
}

} // namespace

std::string why_no_gpu_sorts() try {
  const std::vector<int> gpus = all_gpus();
  if (gpus.size() < 2) return fmt::format("two GPUs are needed, but {} can be used", gpus.size());
  multi::run_on_gpus(gpus, [](gpu_rank&) {});
  return "";
} catch (const unavailable_error& fault) {
  return fault.what();
}

gpu_jobs run_gpu_sorts() {
  if (const std::string reason = why_no_gpu_sorts(); !reason.empty()) return {{}, reason};
  const std::vector<int> gpus = all_gpus();
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
    each.predicted = sort_on(first, part, sorted_part).seconds + predicted_exchange(bytes, g, link, copy);
    done.sorts.push_back(each);
  }
  return done;
}

std::vector<gpu_steps> run_large_gpu_sorts() {
  const std::vector<int> gpus = all_gpus();
  std::vector<gpu_steps> done;
  for (std::size_t count = 1; count <= gpus.size(); count *= 2)
    for (const large_sort& how : large_sorts)
      if (count > 1 || done.empty())
        done.push_back(steps_on({gpus.begin(), gpus.begin() + static_cast<std::ptrdiff_t>(count)}, how));
  return done;
}

#else

std::string why_no_gpu_sorts() { return "weft was built without CUDA"; }
gpu_jobs run_gpu_sorts() { return {{}, why_no_gpu_sorts()}; }
std::vector<gpu_steps> run_large_gpu_sorts() { return {}; }

#endif

} // namespace weft::bench
