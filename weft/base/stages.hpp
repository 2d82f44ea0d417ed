// A pipeline of three stages, each of which has one item at a time.
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

namespace detail {

// Between three stages.
template <class Made, class Done> struct stage_queues {
  bounded_queue<Made> made{1};
  bounded_queue<Done> done{1};
  std::mutex mutex;
  std::exception_ptr failure; // the first

  void close() noexcept {
    made.close();
    done.close();
  }
  // Nobody waits for a stage that has failed.
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

} // namespace detail

// third(second(first(i))) for i = 0 .. count - 1, in order, each stage on a thread of its own (the third on
// the caller's). Between two stages one item waits at most, so that of what a stage makes three are there at
// most: one that is being made or is to be handed on, one that waits, and one that the next stage has. If a
// stage throws, the others end with the item that they are at; the first exception is rethrown then. Where
// the system has no two threads to give, the caller's does all, an item at a time.
template <class First, class Second, class Third>
void run_stages(std::uint64_t count, const First& first, const Second& second, const Third& third) {
  using made = std::decay_t<std::invoke_result_t<const First&, std::uint64_t>>;
  using done = std::decay_t<std::invoke_result_t<const Second&, const made&>>;
  using queues = detail::stage_queues<made, done>;
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
  bool begun = false;
  {
    std::jthread of_first, of_second;
    const struct closer { // before they are waited for, also where there was no thread to be had
      queues& of;
      ~closer() { of.close(); }
    } at_end{between};
    try {
      of_second = std::jthread([&] { between.guard(run_second); }); // which waits for the first
      of_first = std::jthread([&] { between.guard(run_first); });
      begun = true;
    } catch (const std::exception&) { // no thread, or no memory for one
    }
    if (begun) between.guard(run_third);
  }
  for (std::uint64_t i = 0; i < count && !begun; ++i) third(second(first(i)));
  if (between.failure) std::rethrow_exception(between.failure);
}

} // namespace weft
