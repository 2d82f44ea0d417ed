// A bounded queue that passes items from one thread to another.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace weft {

// A first-in, first-out queue of at most `capacity` items. Thread-safe.
template <class T> class bounded_queue {
public:
  explicit bounded_queue(std::size_t capacity) : capacity_(capacity) {} // at least 1

  // Appends `item`, waiting while the queue is full. Returns false after finish() or close(), and drops the
  // item then.
  [[nodiscard]] bool push(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || items_.size() < capacity_; });
    if (ended_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  // Removes and returns the oldest item, waiting while the queue is empty. Returns nothing once the queue is
  // empty and finish() or close() has been called.
  [[nodiscard]] std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  // Declares that no more items will be pushed. Items already in the queue can still be popped.
  void finish() noexcept {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  // Ends the queue at once: drops its items and wakes all waiting threads.
  void close() noexcept {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    items_.clear();
    changed_.notify_all();
  }

private:
  std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
  bool ended_ = false;
};

} // namespace weft
