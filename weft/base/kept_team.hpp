// A team as run_team() has it (parallel.hpp), whose threads are kept between runs: where one follows another
// every few milliseconds, starting threads would take much of that, and wait for whoever is given memory.
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

// One run at a time.
class kept_team {
public:
  kept_team() = default;
  ~kept_team();
  kept_team(const kept_team&) = delete;
  kept_team& operator=(const kept_team&) = delete;

  // body(0) .. body(members - 1), all at the same time, body(0) on the caller's thread; and members for whom
  // the system has no thread there as well, after it. The first exception is rethrown when all have returned.
  void run(int members, const std::function<void(int member)>& body);

private:
  void serve(int member, std::uint64_t before);
  void call(const std::function<void(int)>& body, int member) noexcept;

  std::mutex mutex_;
  std::condition_variable begins_, ends_;
  const std::function<void(int)>* body_ = nullptr; // of the present run, and
  int members_ = 0, at_work_ = 0;                  // on threads of the team
  std::uint64_t run_ = 0;                          // its number
  bool over_ = false;
  std::exception_ptr failure_;        // the first
  std::vector<std::jthread> threads_; // of members 1 and up; end before all that
};

} // namespace weft
