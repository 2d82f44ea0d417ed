#include <weft/base/kept_team.hpp>

#include <algorithm>
#include <exception>
#include <utility>
#include <weft/base/thread_use.hpp>

namespace weft {

kept_team::~kept_team() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  begins_.notify_all();
}

void kept_team::run(int members, const std::function<void(int)>& body) {
  try {
    while (static_cast<int>(threads_.size()) + 1 < members) {
      const int member = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, member, before = run_] { serve(member, before); });
    }
  } catch (const std::exception&) { // the system has no more threads, or no memory for one
  }
  const int begun = std::min(members, static_cast<int>(threads_.size()) + 1);
  note_threads(begun);
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    members_ = begun;
    at_work_ = begun - 1;
    ++run_;
  }
  if (begun > 1) begins_.notify_all();
  if (members > 0) call(body, 0);
  for (int member = begun; member < members; ++member) call(body, member);
  std::unique_lock lock(mutex_);
  ends_.wait(lock, [this] { return at_work_ <= 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void kept_team::serve(int member, std::uint64_t before) {
  std::unique_lock lock(mutex_);
  for (;;) {
    begins_.wait(lock, [&] { return over_ || run_ != before; });
    if (over_) return;
    before = run_;
    if (member >= members_) continue;
    const std::function<void(int)>& body = *body_;
    lock.unlock();
    call(body, member);
    lock.lock();
    if (--at_work_ == 0) ends_.notify_one();
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
