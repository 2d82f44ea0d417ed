#include <weft/base/parallel.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weft {

int thread_count(int requested) noexcept {
  if (requested > 0) return requested;
  return std::max(1, oneapi::tbb::info::default_concurrency());
}

void parallel_for(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, int threads,
                  const std::function<void(std::uint64_t, std::uint64_t)>& body) {
  if (grain == 0) throw std::invalid_argument("parallel_for: grain must be at least 1");
  const int count = thread_count(threads);
  if (count == 1 || end - begin <= grain) {
    for (std::uint64_t first = begin; first < end; first += std::min(grain, end - first))
      body(first, first + std::min(grain, end - first));
    return;
  }
  using oneapi::tbb::global_control; // more threads than processors only if allowed
  const global_control allowed(
      global_control::max_allowed_parallelism,
      std::max<std::size_t>(static_cast<std::size_t>(count),
                            global_control::active_value(global_control::max_allowed_parallelism)));
  oneapi::tbb::task_arena arena(count);
  arena.execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::uint64_t>(begin, end, grain),
        [&](const auto& range) {
          for (std::uint64_t first = range.begin(); first < range.end();) {
            const std::uint64_t last = first + std::min<std::uint64_t>(grain, range.end() - first);
            body(first, last);
            first = last;
          }
        },
        oneapi::tbb::simple_partitioner{});
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
    for (int member = 1; member < members; ++member) team.emplace_back(guarded, member);
    if (members > 0) guarded(0);
  }
  if (failure) std::rethrow_exception(failure);
}

} // namespace weft
