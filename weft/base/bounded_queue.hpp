// What one thread hands another, a few items at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace weft {

// First in, first out. Thread-safe.
template <class T> class bounded_queue {
public:
  explicit bounded_queue(std::size_t capacity) : capacity_(capacity) {} // at least 1

  // Waits while it is full. False after finish() or close(): the item is gone.
  [[nodiscard]] bool push(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || items_.size() < capacity_; });
    if (ended_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  // Waits while it is empty. Nothing where nothing will come any more.
  [[nodiscard]] std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  // No more items come; those that are there can still be taken.
  void finish() noexcept {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  // Nobody waits any more, and what is there is gone.
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
