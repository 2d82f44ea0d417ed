#include <weft/files/ordered_output.hpp>

#include <utility>
#include <weft/base/error.hpp>

namespace weft::files {

template <class Ready>
void ordered_output::wait(std::unique_lock<std::mutex>& lock, std::uint64_t batch, Ready ready) {
  changed_.wait(lock, [&] { return failed_ < batch || ready(); });
  if (failed_ < batch) throw abandoned();
}

void ordered_output::begin_rank_turn() {
  if (has_rank_turn_) return;
  out_.begin_turn();
  has_rank_turn_ = true;
}

void ordered_output::put(std::string_view text) {
  begin_rank_turn();
  out_.write(text);
  if (out_.is_stdout()) out_.flush();
}

void ordered_output::put_last(std::string_view text) {
  begin_rank_turn();
  out_.end_turn(text);
  has_rank_turn_ = false;
  if (out_.is_stdout()) out_.flush();
}

void ordered_output::wait_for_earlier(std::uint64_t batch) {
  std::unique_lock lock(mutex_);
  wait(lock, batch, [&] { return turn_ >= batch; });
}

void ordered_output::wait_for_turn(std::uint64_t batch) {
  wait_for_earlier(batch);
  begin_rank_turn();
}

void ordered_output::write(std::uint64_t batch, std::string_view text) {
  wait_for_turn(batch);
  put(text);
}

void ordered_output::finish(std::uint64_t batch, std::string& text) {
  std::unique_lock lock(mutex_);
  wait(lock, batch, [&] { return batch - turn_ < window_; });
  waiting_.emplace(batch, std::move(text));
  text = std::string();
  if (!is_writing_ && turn_ == batch) {
    is_writing_ = true; // until the end of the loop, or for good if writing fails
    for (auto next = waiting_.find(turn_); next != waiting_.end(); next = waiting_.find(turn_)) {
      std::string ready = std::move(next->second);
      waiting_.erase(next);
      lock.unlock();
      put_last(ready);
      ready.clear();
      lock.lock();
      spare_.push_back(std::move(ready));
      ++turn_;
      changed_.notify_all();
    }
    is_writing_ = false;
  }
  if (spare_.empty()) return;
  text = std::move(spare_.back());
  spare_.pop_back();
}

void ordered_output::fail(std::uint64_t batch, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (batch < failed_) {
    failed_ = batch;
    failure_ = std::move(failure);
  }
  changed_.notify_all();
}

void ordered_output::rethrow() {
  if (!failure_) return;
  try {
    std::rethrow_exception(failure_);
  } catch (const error& fault) {
    if (fault.code() == errc::invalid_input && !has_rank_turn_) out_.wait_to_fail();
    throw;
  }
}

} // namespace weft::files
