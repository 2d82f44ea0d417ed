#include <weft/base/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <sched.h>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>
#include <weft/base/machine_share.hpp>

namespace weft {

namespace {
std::atomic<int> num_sharing{1};
}

void base_detail::set_machine_share(int num_processes) noexcept { num_sharing = std::max(num_processes, 1); }
int base_detail::machine_share() noexcept { return num_sharing; }

int thread_count(int requested) noexcept {
  if (requested > 0) return requested;
  const int share = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / num_sharing);
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return share;
  const int processors = std::max(1, CPU_COUNT(&allowed));
  return num_sharing == 1 ? processors : std::min(processors, share);
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

namespace {

// Waits for a short time until is_done(). Returns whether it is. A thread that blocks and is woken again
// takes some fifty microseconds, as long as many runs of a team.
template <class Done> bool wait_briefly(const Done& is_done) {
  constexpr int max_yields = 100; // about as long as one wake-up
  for (int k = 0; k < max_yields; ++k) {
    if (is_done()) return true;
    std::this_thread::yield();
  }
  return false;
}

} // namespace

kept_team::~kept_team() {
  stopping_ = true;
  announce(0);
}

// Threads that wait briefly see the number; those that block look at it under the mutex before they do.
void kept_team::announce(int num_members) {
  announced_ = (announced_ / members_factor + 1) * members_factor + static_cast<std::uint64_t>(num_members);
  { const std::lock_guard lock(mutex_); }
  run_started_.notify_all();
}

void kept_team::run(int members, const std::function<void(int)>& body) {
  const int max_threads = std::min(members, static_cast<int>(members_factor) - 1) - 1;
  try {
    while (static_cast<int>(threads_.size()) < max_threads) {
      const int member = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, member, last = announced_.load()] { serve(member, last); });
    }
  } catch (const std::exception&) { // the system has no more threads, or no memory for one
  }
  const int num_started = std::min(members, static_cast<int>(threads_.size()) + 1);
  note_threads(num_started);
  if (num_started > 1) {
    body_ = &body;
    num_working_ = num_started - 1;
    announce(num_started);
  }
  if (members > 0) call(body, 0);
  for (int member = num_started; member < members; ++member) call(body, member);
  wait_until([this] { return num_working_ == 0; }, run_finished_);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

template <class Done> void kept_team::wait_until(const Done& is_done, std::condition_variable& changed) {
  if (wait_briefly(is_done)) return;
  std::unique_lock lock(mutex_);
  changed.wait(lock, is_done);
}

void kept_team::serve(int member, std::uint64_t last) {
  for (;;) {
    wait_until([&] { return announced_ != last; }, run_started_);
    last = announced_;
    if (stopping_) return;
    if (static_cast<std::uint64_t>(member) >= last % members_factor) continue;
    call(*body_, member);
    if (--num_working_ > 0) continue;
    { const std::lock_guard lock(mutex_); } // run() may be about to block
    run_finished_.notify_one();
  }
}

void kept_team::call(const std::function<void(int)>& body, int member) noexcept {
  try {
    body(member);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

} // namespace weft
