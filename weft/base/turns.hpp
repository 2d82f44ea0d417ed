// Turns of threads that hand over numbered results in order.
//
//   weft::turns turns;
//   turns.wait(0);                                  // returns at once: the turn of number 0 comes first
//   turns.end();                                    // now it is the turn of number 1
//   turns.wait(1);
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace weft {

// An object that lets threads go on in the order of the numbers 0, 1, 2, ... Numbers must be claimed in
// order, so that the thread whose turn it is never waits, and there is no deadlock. Thread-safe.
class turns {
public:
  // Thrown by wait() if another thread has failed. That thread throws its own exception.
  struct stopped {};

  // Waits for the turn of a number. Throws stopped if fail() has been called for this number.
  void wait(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == number || number >= first_failed_; });
    if (number >= first_failed_) throw stopped();
  }
  // Ends the current turn, so that the turn of the next number begins.
  void end() {
    const std::lock_guard lock(mutex_);
    ++turn_;
    changed_.notify_all();
  }
  // Makes wait() throw, from now on, for all numbers from `first` on.
  void fail(std::uint64_t first = 0) {
    const std::lock_guard lock(mutex_);
    first_failed_ = std::min(first_failed_, first);
    changed_.notify_all();
  }

private:
  std::mutex mutex_; // guards the members below
  std::condition_variable changed_;
  std::uint64_t turn_ = 0, first_failed_ = ~std::uint64_t{0};
};

} // namespace weft
