// A team of threads as in run_team() (parallel.hpp) that keeps its threads between runs. If runs follow one
// another every few milliseconds, starting new threads each time would take much of the time, and each start
// may wait for other threads that are allocating memory.
//
//   weft::kept_team team;
//   for (const block& each : blocks) team.run(4, [&](int member) { work(each, member); });
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weft {

// A team of threads that lives as long as the object. Only one run at a time.
class kept_team {
public:
  kept_team() = default;
  ~kept_team();
  kept_team(const kept_team&) = delete;
  kept_team& operator=(const kept_team&) = delete;

  // Calls body(0) .. body(members - 1), all at the same time, body(0) on the calling thread. If the system
  // gives too few threads, the calling thread also runs the remaining members, one after another, after
  // body(0). When all have returned, rethrows the first exception.
  void run(int members, const std::function<void(int member)>& body);

private:
  // Runs on a thread of the team: takes part in every run after run number `last_run`.
  void serve(int member, std::uint64_t last_run);
  // Calls body(member) and keeps its exception if it is the first.
  void call(const std::function<void(int)>& body, int member) noexcept;

  std::mutex mutex_;
  std::condition_variable run_started_, run_finished_;
  // State of the current run, guarded by mutex_: its body, the number of members that have a thread, and the
  // number of team threads that have not finished.
  const std::function<void(int)>* body_ = nullptr;
  int num_members_ = 0, num_working_ = 0;
  std::uint64_t run_number_ = 0; // number of the current run
  bool stopping_ = false;
  std::exception_ptr failure_; // the first of the current run
  // Thread i runs member i + 1; declared last, so that the threads end before the other members are
  // destroyed.
  std::vector<std::jthread> threads_;
};

} // namespace weft
