// Ranks exchange by pointers. Each collective call publishes the pointers of the rank, waits for the others,
// copies what it needs from them, and waits again, so that no rank changes its bytes while another one reads
// them.
#include <weft/multi/thread_ranks.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace weft::multi {

namespace {

// The failure of a job, which the communicators of all its ranks and their duplicates share.
class shared_failure {
public:
  void set(const rank_failure& failure) noexcept {
    const std::lock_guard lock(mutex_);
    if (has_failed_) return;
    try {
      failure_ = failure;
    } catch (...) { // no memory for a copy of the message
      failure_ = {errc::out_of_memory, {}, failure.rank};
    }
    has_failed_ = true;
  }
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
  [[nodiscard]] std::optional<rank_failure> get() const {
    const std::lock_guard lock(mutex_);
    return has_failed_ ? std::optional(failure_) : std::nullopt;
  }
  void rethrow() const {
    if (const auto failure = get()) throw_failure(*failure);
  }

private:
  std::atomic<bool> has_failed_{false};
  rank_failure failure_;
  mutable std::mutex mutex_;
};

// What one rank shows the others during a collective call.
struct published {
  std::byte* bytes = nullptr;
  std::span<const std::span<const std::byte>> pieces = {}; // of all_to_all
};

// The ranks of one communicator: a place where they meet, and the messages between two of them.
class group {
public:
  group(int size, std::shared_ptr<shared_failure> failure)
      : shown(static_cast<std::size_t>(size)), failure_(std::move(failure)) {}

  std::vector<published> shown;
  std::shared_ptr<group> duplicate; // made by rank 0 for all

  [[nodiscard]] int size() const { return static_cast<int>(shown.size()); }
  [[nodiscard]] const std::shared_ptr<shared_failure>& failure() const { return failure_; }

  // Waits until all ranks have called it. Throws the failure of the job if the ranks do not meet any more.
  void meet() {
    std::unique_lock lock(mutex_);
    const std::uint64_t meeting = meeting_;
    if (arrive()) return;
    try {
      wait(lock, [&] { return meeting_ != meeting; });
    } catch (...) {
      --arrived_; // so that the others do not meet without this rank
      throw;
    }
  }
  // Does the same, but returns even if the job has failed. For ranks that are known to meet.
  void meet_surely() {
    std::unique_lock lock(mutex_);
    const std::uint64_t meeting = meeting_;
    if (!arrive()) changed_.wait(lock, [&] { return meeting_ != meeting; });
  }

  void send(int from, int to, std::span<const std::byte> bytes) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return !messages_.contains({from, to}); });
    messages_[{from, to}] = bytes;
    changed_.notify_all();
    try { // the receiver removes the message
      wait(lock, [&] { return !messages_.contains({from, to}); });
    } catch (...) {
      messages_.erase({from, to});
      throw;
    }
  }

  void receive(int from, int to, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return messages_.contains({from, to}); });
    const std::span<const std::byte> message = messages_[{from, to}];
    if (message.size() != bytes.size()) throw std::logic_error("a message has another size than expected");
    std::copy(message.begin(), message.end(), bytes.begin());
    messages_.erase({from, to});
    changed_.notify_all();
  }

private:
  // Counts a rank that has arrived, and starts the next meeting if it is the last one. Returns whether it is.
  bool arrive() {
    if (++arrived_ < size()) return false;
    arrived_ = 0;
    ++meeting_;
    changed_.notify_all();
    return true;
  }
  // Waits until ready(). Throws the failure of the job if there is one.
  template <class Ready> void wait(std::unique_lock<std::mutex>& lock, const Ready& ready) {
    while (!ready()) {
      failure_->rethrow();
      changed_.wait_for(lock, std::chrono::milliseconds(5));
    }
  }

  std::shared_ptr<shared_failure> failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int arrived_ = 0;
  std::uint64_t meeting_ = 0; // number of meetings that have taken place
  std::map<std::pair<int, int>, std::span<const std::byte>> messages_; // by sender and receiver
};

class thread_communicator final : public communicator {
public:
  thread_communicator(int rank, std::shared_ptr<group> shared)
      : communicator(rank, shared->size()), group_(std::move(shared)) {}

  void fail(const rank_failure& failure) noexcept override { group_->failure()->set(failure); }
  [[nodiscard]] std::optional<rank_failure> failure() const override { return group_->failure()->get(); }

private:
  [[nodiscard]] std::size_t self() const { return static_cast<std::size_t>(rank()); }
  [[nodiscard]] const published& shown_by(int other) const {
    return group_->shown[static_cast<std::size_t>(other)];
  }
  void meet() {
    group_->failure()->rethrow();
    group_->meet();
  }
  // Shows the bytes to the other ranks, calls copy() when all show theirs, and waits until all have copied.
  template <class Copy> void exchange(const published& own, const Copy& copy) {
    group_->failure()->rethrow();
    group_->shown[self()] = own;
    group_->meet();
    std::exception_ptr fault;
    try {
      copy();
    } catch (...) {
      fault = std::current_exception();
    }
    group_->meet_surely(); // a rank must not leave while another one still reads its bytes
    if (fault) std::rethrow_exception(fault);
  }

  // Combines the numbers of all ranks, of which every rank takes a share of the places. Only that rank reads
  // and writes the numbers of any rank at these places, so that none are copied.
  template <class Combine> void reduce(std::span<std::uint64_t> numbers, Combine combine) {
    constexpr std::size_t block = 1024; // numbers that stay in the first cache
    exchange({reinterpret_cast<std::byte*>(numbers.data())}, [&] {
      const auto bound = [&](std::size_t rank) { return numbers.size() / group_->shown.size() * rank; };
      const std::size_t end = rank() + 1 == size() ? numbers.size() : bound(self() + 1);
      for (std::size_t first = bound(self()); first < end; first += block) {
        const std::size_t last = std::min(first + block, end);
        for (int other = 1; other < size(); ++other)
          for (std::size_t i = first; i < last; ++i)
            numbers_of(0)[i] = combine(numbers_of(0)[i], numbers_of(other)[i]);
        for (int other = 1; other < size(); ++other)
          std::copy(numbers_of(0) + first, numbers_of(0) + last, numbers_of(other) + first);
      }
    });
  }
  // Returns the numbers that a rank shows.
  [[nodiscard]] std::uint64_t* numbers_of(int rank) const {
    return reinterpret_cast<std::uint64_t*>(shown_by(rank).bytes);
  }

  void do_barrier() override { meet(); }

  void do_broadcast(std::span<std::byte> bytes, int root) override {
    exchange({bytes.data()}, [&] {
      if (rank() != root && !bytes.empty()) std::memcpy(bytes.data(), shown_by(root).bytes, bytes.size());
    });
  }

  void do_all_reduce(std::span<std::uint64_t> numbers, reduction how) override {
    if (how == reduction::sum)
      reduce(numbers, std::plus<std::uint64_t>());
    else if (how == reduction::min)
      reduce(numbers, [](std::uint64_t a, std::uint64_t b) { return std::min(a, b); });
    else
      reduce(numbers, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  }

  void do_exclusive_scan(std::span<std::uint64_t> numbers) override {
    std::vector<std::uint64_t> own(numbers.begin(), numbers.end());
    exchange({reinterpret_cast<std::byte*>(own.data())}, [&] {
      std::fill(numbers.begin(), numbers.end(), 0);
      for (int other = 0; other < rank(); ++other)
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += numbers_of(other)[i];
    });
  }

  void do_all_gather(std::span<const std::byte> own, std::span<const std::uint64_t> sizes,
                     std::span<std::byte> all) override {
    exchange({const_cast<std::byte*>(own.data())}, [&] {
      std::size_t at = 0;
      for (int other = 0; other < size(); ++other) {
        const std::uint64_t bytes = sizes[static_cast<std::size_t>(other)];
        if (bytes > 0) std::memcpy(all.data() + at, shown_by(other).bytes, bytes);
        at += bytes;
      }
    });
  }

  void do_all_to_all(std::span<const std::span<const std::byte>> send, std::span<std::byte> receive,
                     std::span<const std::uint64_t> receive_sizes) override {
    exchange({nullptr, send}, [&] {
      std::size_t at = 0;
      for (int other = 0; other < size(); ++other) {
        const std::span<const std::byte> piece = shown_by(other).pieces[self()];
        if (piece.size() != receive_sizes[static_cast<std::size_t>(other)])
          throw std::logic_error("two ranks disagree on the size of a piece");
        std::copy(piece.begin(), piece.end(), receive.begin() + static_cast<std::ptrdiff_t>(at));
        at += piece.size();
      }
    });
  }

  void do_send(std::span<const std::byte> bytes, int to) override {
    group_->failure()->rethrow();
    group_->send(rank(), to, bytes);
  }
  void do_receive(std::span<std::byte> bytes, int from) override {
    group_->failure()->rethrow();
    group_->receive(from, rank(), bytes);
  }

  std::unique_ptr<communicator> do_duplicate() override {
    if (rank() == 0) group_->duplicate = std::make_shared<group>(size(), group_->failure());
    meet();
    auto copy = std::make_unique<thread_communicator>(rank(), group_->duplicate);
    meet();
    return copy;
  }

  std::shared_ptr<group> group_;
};

} // namespace

std::vector<std::unique_ptr<communicator>> thread_ranks(int count) {
  if (count < 1) throw std::invalid_argument("there must be at least one rank");
  const auto shared = std::make_shared<group>(count, std::make_shared<shared_failure>());
  std::vector<std::unique_ptr<communicator>> ranks;
  for (int rank = 0; rank < count; ++rank)
    ranks.push_back(std::make_unique<thread_communicator>(rank, shared));
  return ranks;
}

void run_ranks(int count, const std::function<void(communicator& ranks)>& body) {
  const std::vector<std::unique_ptr<communicator>> ranks = thread_ranks(count);
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](communicator& own) noexcept {
    try {
      body(own);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
      own.fail(describe_failure(std::current_exception(), own.rank()));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (const auto& own : ranks) threads.emplace_back([&run, &own] { run(*own); });
  }
  if (first) std::rethrow_exception(first);
}

} // namespace weft::multi
