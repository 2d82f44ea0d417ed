// A task monitor connects a running task with its caller: the task reports progress, and the caller can
// cancel it.
//
//   weft::task_monitor monitor;
//   monitor.set_total(3);
//   for (int step = 0; step < 3; ++step) {
//     monitor.check();                              // throws once another thread has called cancel()
//     monitor.add(1);
//   }
//   monitor.done();                                 // == 3
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <weft/base/error.hpp>

namespace weft {

// Progress and cancellation of one task. Long-running functions take a task_monitor* in their options (null:
// none). They call add() for the work they have finished, in any unit, every few milliseconds, and as often
// call check(), which throws cancelled_error after cancel(). Thread-safe; cancel() is async-signal-safe.
class task_monitor {
public:
  task_monitor() = default;
  // Makes the monitor of a part of a task. Work that is added to this monitor is also added to `whole`, which
  // must outlive it, and cancelling the whole cancels the part. The totals are separate.
  explicit task_monitor(task_monitor* whole) noexcept : whole_(whole) {}

  // Sets the total amount of work; 0: unknown.
  void set_total(std::uint64_t total) noexcept { total_.store(total, std::memory_order_relaxed); }
  // Adds finished work.
  void add(std::uint64_t work) noexcept {
    done_.fetch_add(work, std::memory_order_relaxed);
    if (whole_ != nullptr) whole_->add(work);
  }
  // Subtracts work that was added and will be done again.
  void take_back(std::uint64_t work) noexcept {
    done_.fetch_sub(work, std::memory_order_relaxed);
    if (whole_ != nullptr) whole_->take_back(work);
  }
  // Return the finished work and the total.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }

  // cancel() asks the task to end, cancelled() returns whether it was asked to, and check() throws
  // cancelled_error if it was.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(std::memory_order_relaxed) || (whole_ != nullptr && whole_->cancelled());
  }
  void check() const {
    if (cancelled()) throw cancelled_error();
  }

private:
  std::atomic<std::uint64_t> done_{0}, total_{0};
  std::atomic<bool> cancelled_{false};
  task_monitor* whole_ = nullptr;
  static_assert(std::atomic<bool>::is_always_lock_free);
};

} // namespace weft
