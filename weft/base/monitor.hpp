// A running task's link to whoever started it: progress one way, cancellation the other.
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

// Thread-safe. Long-running functions take a task_monitor* in their options (null: none), add the work they
// finish (any unit, once per some milliseconds), and call check() as often; check() throws cancelled_error.
// cancel() is async-signal-safe.
class task_monitor {
public:
  task_monitor() = default;
  // The monitor of a part of a task: work that is added here is also added to `whole`, which must outlive
  // this monitor, and a part is cancelled with the whole. Totals are separate.
  explicit task_monitor(task_monitor* whole) noexcept : whole_(whole) {}

  // How much work there is in all; 0: not known.
  void set_total(std::uint64_t total) noexcept { total_.store(total, std::memory_order_relaxed); }
  // Work that is finished.
  void add(std::uint64_t work) noexcept {
    done_.fetch_add(work, std::memory_order_relaxed);
    if (whole_ != nullptr) whole_->add(work);
  }
  // Work that was added, and will be done again.
  void take_back(std::uint64_t work) noexcept {
    done_.fetch_sub(work, std::memory_order_relaxed);
    if (whole_ != nullptr) whole_->take_back(work);
  }
  // What was added and set so far.
  [[nodiscard]] std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }

  // Asks the task to end; whether it was asked; throws cancelled_error if it was.
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
