// A pipeline of three stages, each of which works on one item at a time.
//
//   weft::run_stages(files.size(), [&](std::uint64_t i) { return read(files[i]); },
//                    [&](const bytes& read) { return sorted(read); },
//                    [&](const bytes& done) { write(done); });
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <weft/base/bounded_queue.hpp>

namespace weft {

namespace base_detail {

// The queues between the three stages: the results of the first and of the second stage.
template <class Made, class Done> struct stage_queues {
  bounded_queue<Made> made{1};
  bounded_queue<Done> done{1};
  std::mutex mutex;
  std::exception_ptr failure; // the first failure

  void close() noexcept {
    made.close();
    done.close();
  }
  // Runs a stage. If it throws, keeps the first exception and closes the queues, so that no other stage waits
  // for the failed one.
  template <class Stage> void guard(const Stage& stage) noexcept {
    try {
      return stage();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
    close();
  }
};

} // namespace base_detail

// Calls third(second(first(i))) for i = 0 .. count - 1, in order, with each stage on its own thread (the
// third on the calling thread). At most one item waits between two stages. So at most three results of a
// stage exist at a time: one that the stage is making or handing over, one that waits, and one that the next
// stage is using. If a stage throws, the other stages end after their current item, and the first exception
// is rethrown. If the system cannot start two threads, the calling thread does all the work, one item after
// another.
template <class First, class Second, class Third>
void run_stages(std::uint64_t count, const First& first, const Second& second, const Third& third) {
  using made = std::decay_t<std::invoke_result_t<const First&, std::uint64_t>>;
  using done = std::decay_t<std::invoke_result_t<const Second&, const made&>>;
  using queues = base_detail::stage_queues<made, done>;
  queues between;
  const auto run_first = [&] {
    for (std::uint64_t i = 0; i < count; ++i)
      if (!between.made.push(first(i))) return;
    between.made.finish();
  };
  const auto run_second = [&] {
    while (const std::optional<made> item = between.made.pop())
      if (!between.done.push(second(*item))) return;
    between.done.finish();
  };
  const auto run_third = [&] {
    while (const std::optional<done> item = between.done.pop()) third(*item);
  };
  bool has_threads = false;
  {
    std::jthread first_thread, second_thread;
    // Closes the queues before the threads are joined, also if the second thread could not be started.
    const struct closer {
      queues& target;
      ~closer() { target.close(); }
    } at_end{between};
    try {
      // The second stage starts first: it waits for items of the first.
      second_thread = std::jthread([&] { between.guard(run_second); });
      first_thread = std::jthread([&] { between.guard(run_first); });
      has_threads = true;
    } catch (const std::exception&) { // the system has no more threads, or no memory for one
    }
    if (has_threads) between.guard(run_third);
  }
  for (std::uint64_t i = 0; i < count && !has_threads; ++i) third(second(first(i)));
  if (between.failure) std::rethrow_exception(between.failure);
}

} // namespace weft
