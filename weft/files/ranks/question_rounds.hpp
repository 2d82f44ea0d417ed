// Questions that the ranks of a job ask all ranks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// A question_rounds lets the threads of every rank ask questions that all ranks answer together. A thread of
// each rank takes part in rounds: the ranks exchange what they want to ask, one question at most of each
// rank, and then answer the questions in the order of the ranks. A rank without a question delays a round by
// at most a millisecond, so that no rank waits for another one that computes, or waits for its turn to write.
// `Question` can be copied as bytes.
template <class Question> class question_rounds {
public:
  // help(question) takes part in the answer to a question of another rank. It may throw
  // multi::common_failure, with all ranks, after which the rounds go on. All ranks construct the object
  // together. From then on until finish() has returned, it alone uses `ranks`.
  question_rounds(multi::communicator& ranks, std::function<void(const Question&)> help)
      : ranks_(ranks), help_(std::move(help)), thread_([this] { work(); }) {}
  // If this rank has failed before finish(), fail() of the ranks must have been called, so that the thread
  // ends.
  ~question_rounds() { end(); }
  question_rounds(const question_rounds&) = delete;
  question_rounds& operator=(const question_rounds&) = delete;

  // Asks a question. When it is its turn, help() is called on the other ranks, and answer() on this one, by
  // the thread of the rounds. Throws the error that all ranks have met, or the failure of the job. Called by
  // any thread.
  void ask(const Question& question, const std::function<void()>& answer) {
    const std::lock_guard one_at_a_time(asking_);
    std::unique_lock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    asked own{question, answer, nullptr};
    asked_ = &own;
    changed_.notify_all();
    changed_.wait(lock, [this] { return asked_ == nullptr; });
    if (own.failure) std::rethrow_exception(own.failure);
  }

  // Waits until all ranks have called it, and helps them until then. No question may follow. Throws the
  // failure of the job.
  void finish() {
    end();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

private:
  static_assert(std::is_trivially_copyable_v<Question>);
  enum class state : std::uint64_t { idle, asking, ended };
  struct message {
    state is;
    Question question;
  };
  struct asked {
    const Question& question;
    const std::function<void()>& answer;
    std::exception_ptr failure;
  };

  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }

  void work() {
    try {
      while (take_round()) {
      }
    } catch (...) { // the ranks are no longer at the same step
      const std::exception_ptr failure = std::current_exception();
      ranks_.fail(multi::describe_failure(failure, ranks_.rank()));
      const std::lock_guard lock(mutex_);
      failure_ = failure;
      if (asked_ != nullptr) complete(failure);
    }
  }

  // Returns false once no rank will ask any more.
  bool take_round() {
    const message own = next_message();
    std::vector<message> all(static_cast<std::size_t>(ranks_.size()));
    const std::vector<std::uint64_t> sizes(all.size(), sizeof(message));
    ranks_.all_gather(std::as_bytes(std::span(&own, 1)), sizes, std::as_writable_bytes(std::span(all)));
    bool goes_on = false;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      goes_on = goes_on || all[rank].is != state::ended;
      if (all[rank].is != state::asking) continue;
      if (static_cast<int>(rank) == ranks_.rank())
        answer_own();
      else
        help(all[rank].question);
    }
    return goes_on;
  }

  message next_message() {
    std::unique_lock lock(mutex_);
    const auto is_ready = [this] { return asked_ != nullptr || has_ended_; };
    if (ranks_.size() == 1)
      changed_.wait(lock, is_ready);
    else
      changed_.wait_for(lock, std::chrono::milliseconds(1), is_ready);
    if (asked_ != nullptr) return {state::asking, asked_->question};
    return {has_ended_ ? state::ended : state::idle, {}};
  }

  void answer_own() {
    std::exception_ptr failure;
    try {
      asked_->answer(); // the thread that asks waits
    } catch (const multi::common_failure& common) {
      try {
        multi::throw_failure(common.failure);
      } catch (...) {
        failure = std::current_exception();
      }
    }
    const std::lock_guard lock(mutex_);
    complete(failure);
  }

  void help(const Question& question) {
    try {
      help_(question);
    } catch (const multi::common_failure&) { // the rank that asks decides whether its search goes on
    }
  }

  void complete(const std::exception_ptr& failure) {
    asked_->failure = failure;
    asked_ = nullptr;
    changed_.notify_all();
  }

  multi::communicator& ranks_;
  std::function<void(const Question&)> help_;
  std::mutex asking_, mutex_; // mutex_ guards what follows
  std::condition_variable changed_;
  asked* asked_ = nullptr; // the question of this rank that waits for its answer
  bool has_ended_ = false; // whether this rank asks no more
  std::exception_ptr failure_;
  std::jthread thread_;
};

} // namespace weft::files
