// Parallel work on threads: over independent ranges (parallel_for, parallel_copy), or by a team whose members
// work together (run_team, or kept_team for many short runs).
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
#include <weft/base/run.hpp>

namespace weft {

// Returns the number of threads to use: `requested` if that is positive, otherwise the number of processors
// on which this process may run. At least 1.
[[nodiscard]] int thread_count(int requested = 0) noexcept;

// Calls body(first, last) for disjoint ranges that cover [begin, end), each of at most `grain` items (grain
// >= 1), on up to `threads` threads (0: all), in unspecified order. With one thread, the ranges run in order
// on the calling thread. If the system cannot start that many threads, fewer do the work. If a body throws,
// the others finish the ranges they are at, and the first exception is rethrown.
void parallel_for(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, int threads,
                  const std::function<void(std::uint64_t first, std::uint64_t last)>& body);

// Does the same on run.threads threads, and calls check_cancelled(run) before each range.
void parallel_for(std::uint64_t begin, std::uint64_t end, std::uint64_t grain, const run_options& run,
                  const std::function<void(std::uint64_t first, std::uint64_t last)>& body);

// Copies `count` items to memory that does not overlap them, on up to `threads` threads (0: all), about a MiB
// at a time.
template <class T> void parallel_copy(const T* from, std::uint64_t count, T* to, int threads) {
  constexpr std::uint64_t grain = (std::uint64_t{1} << 20) / sizeof(T) + 1;
  parallel_for(0, count, grain, threads, [&](std::uint64_t first, std::uint64_t last) {
    std::copy(from + first, from + last, to + first);
  });
}

// Calls body(0) .. body(members - 1), all at the same time, each on its own thread (member 0 on the calling
// thread). If the system cannot start enough threads, the calling thread runs the remaining members in order
// after member 0 has returned. Therefore a member may wait for work that another member has begun, but not
// for another member to begin. When all have returned, rethrows the first exception. A body that waits for
// another member must also notice that the other has failed.
void run_team(int members, const std::function<void(int member)>& body);

// A team of threads that lives as long as the object. If runs follow one another every few milliseconds,
// starting new threads each time would take much of the time, and each start may wait for other threads that
// are allocating memory. Only one run at a time.
//
//   kept_team team;
//   for (const block& each : blocks) team.run(4, [&](int member) { work(each, member); });
class kept_team {
public:
  kept_team() = default;
  ~kept_team();
  kept_team(const kept_team&) = delete;
  kept_team& operator=(const kept_team&) = delete;

  // Does what run_team() does, on the threads of this team.
  void run(int members, const std::function<void(int member)>& body);

private:
  // Runs on a thread of the team: takes part in the runs that are announced by other numbers than `last`.
  void serve(int member, std::uint64_t last);
  // Announces a run in which `num_members` members have a thread.
  void announce(int num_members);
  // Waits until is_done(), at first without blocking. `changed` is notified when is_done() may have become
  // true.
  template <class Done> void wait_until(const Done& is_done, std::condition_variable& changed);
  // Calls body(member) and keeps its exception if it is the first.
  void call(const std::function<void(int)>& body, int member) noexcept;

  // Threads take the mutex only to block, to wake threads that block, and to store an exception. If each
  // member took it to begin and to end, sixteen members would need more time for that than for a short run.
  std::mutex mutex_;
  std::condition_variable run_started_, run_finished_;
  // The number of the current run times members_factor, plus how many of its members have a thread. A thread
  // learns from this one number whether it takes part. If it does not, it must not read body_, because the
  // run may have ended since.
  static constexpr std::uint64_t members_factor = std::uint64_t{1} << 20;
  std::atomic<std::uint64_t> announced_ = 0;
  const std::function<void(int)>* body_ = nullptr; // of the current run; changed while no member works
  std::atomic<int> num_working_ = 0;               // threads of the team that have not finished the run
  std::atomic<bool> stopping_ = false;
  std::exception_ptr failure_; // the first of the current run; set under mutex_
  // Thread i runs member i + 1; declared last, so that the threads end before the other members are
  // destroyed.
  std::vector<std::jthread> threads_;
};

// Records that a team of `count` threads is at work. run_team() and kept_team call it. Thread-safe.
void note_threads(int count) noexcept;

// Returns the size of the largest team of threads that has been at work in this process, at least 1 (the
// calling thread).
[[nodiscard]] int peak_threads() noexcept;

} // namespace weft
