#include <weft/base/kept_team.hpp>

#include <algorithm>
#include <exception>
#include <utility>
#include <weft/base/thread_use.hpp>

namespace weft {

kept_team::~kept_team() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  run_started_.notify_all();
}

void kept_team::run(int members, const std::function<void(int)>& body) {
  try {
    while (static_cast<int>(threads_.size()) + 1 < members) {
      const int member = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, member, last_run = run_number_] { serve(member, last_run); });
    }
  } catch (const std::exception&) { // the system has no more threads, or no memory for one
  }
  const int num_started = std::min(members, static_cast<int>(threads_.size()) + 1);
  note_threads(num_started);
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    num_members_ = num_started;
    num_working_ = num_started - 1;
    ++run_number_;
  }
  if (num_started > 1) run_started_.notify_all();
  if (members > 0) call(body, 0);
  for (int member = num_started; member < members; ++member) call(body, member);
  std::unique_lock lock(mutex_);
  run_finished_.wait(lock, [this] { return num_working_ <= 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void kept_team::serve(int member, std::uint64_t last_run) {
  std::unique_lock lock(mutex_);
  for (;;) {
    run_started_.wait(lock, [&] { return stopping_ || run_number_ != last_run; });
    if (stopping_) return;
    last_run = run_number_;
    if (member >= num_members_) continue;
    const std::function<void(int)>& body = *body_;
    lock.unlock();
    call(body, member);
    lock.lock();
    if (--num_working_ == 0) run_finished_.notify_one();
  }
}

void kept_team::call(const std::function<void(int)>& body, int member) noexcept {
  try {
    body(member);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

} // namespace weft
