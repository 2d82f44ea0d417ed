#include <weft/base/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <vector>
#include <weft/base/thread_use.hpp>

namespace weft {

int thread_count(int requested) noexcept {
  if (requested > 0) return requested;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

namespace {
std::atomic<int> peak_count{1};
}

void note_threads(int count) noexcept {
  int before = peak_count.load(std::memory_order_relaxed);
  while (before < count && !peak_count.compare_exchange_weak(before, count, std::memory_order_relaxed)) {
  }
}

int peak_threads() noexcept { return peak_count.load(std::memory_order_relaxed); }

// Each member of the team takes the next range until none is left or a member has failed.
void parallel_for(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, int threads,
                  const std::function<void(std::uint64_t, std::uint64_t)>& body) {
  if (grain == 0) throw std::invalid_argument("parallel_for: grain must be at least 1");
  if (begin >= end) return;
  const std::uint64_t num_ranges = (end - begin - 1) / grain + 1;
  const auto members = static_cast<int>(
      std::min<std::uint64_t>(num_ranges, static_cast<std::uint64_t>(thread_count(threads))));
  std::atomic<std::uint64_t> next{0};
  run_team(members, [&](int) {
    for (std::uint64_t range = next++; range < num_ranges; range = next++) {
      const std::uint64_t first = begin + range * grain;
      try {
        body(first, first + std::min(grain, end - first));
      } catch (...) {
        next = num_ranges; // the other members take no more ranges
        throw;
      }
    }
  });
}

void parallel_for(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, const run_options& run,
                  const std::function<void(std::uint64_t, std::uint64_t)>& body) {
  parallel_for(begin, end, grain, run.threads, [&](std::uint64_t first, std::uint64_t last) {
    base_detail::check_cancelled(run);
    body(first, last);
  });
}

void run_team(int members, const std::function<void(int)>& body) {
  std::exception_ptr failure;
  std::mutex mutex;
  const auto guarded = [&](int member) {
    try {
      body(member);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> team;
    // Number of members that have a thread; member 0 has the caller's.
    int num_started = 1;
    try {
      for (; num_started < members; ++num_started) team.emplace_back(guarded, num_started);
    } catch (const std::exception&) { // the system has no more threads, or no memory for one
    }
    note_threads(num_started);
    if (members > 0) guarded(0);
    for (int member = num_started; member < members; ++member) guarded(member);
  }
  if (failure) std::rethrow_exception(failure);
}

} // namespace weft
