#include <algorithm>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <weft/multi/mpi_communicator.hpp>

namespace weft::multi_detail {

using multi::rank_failure;
using namespace std::chrono_literals;

namespace {

constexpr int control_tag = 0;
constexpr auto time_between_polls = 10ms;
constexpr auto time_between_signs = 1s; // of life
constexpr auto max_leaving = 10s;
constexpr auto time_to_spread = 1s; // until every rank has received a failure
// Until the launcher has forwarded a message. It may kill the ranks first if they abort.
constexpr auto time_to_forward = 500ms;

} // namespace

// What one rank tells another one. Only the bytes up to the end of the text are sent.
struct mpi_control::message {
  enum { alive, failed } kind = alive;
  int code = -1; // of the failure; -1: none
  int rank = 0;
  int text_size = 0;
  std::uint64_t progress = 0;
  char text[8192] = {};

  [[nodiscard]] int size() const { return static_cast<int>(offsetof(message, text)) + text_size; }
};

mpi_control::mpi_control(const mpi_functions& mpi, mpi_comm* comm, const multi::mpi_options& options)
    : mpi_(mpi), comm_(comm), options_(options) {
  check_mpi(mpi_, mpi_.rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(mpi_, mpi_.size(comm_, &size_), "MPI_Comm_size");
  progress_.resize(static_cast<std::size_t>(size_));
  heard_.resize(static_cast<std::size_t>(size_), clock::now());
  last_sign_ = clock::now();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

mpi_control::~mpi_control() {
  thread_.request_stop();
  thread_.join();
  send_failure_once();
  mpi_request* all_leave = nullptr;
  if (mpi_.barrier(comm_, &all_leave) != 0) return;
  const clock::time_point deadline = clock::now() + max_leaving;
  bool done = false;
  while (!done && clock::now() < deadline) {
    receive_all();
    complete_sends();
    if (mpi_.test(all_leave, &done) != 0) return;
    if (!done) std::this_thread::sleep_for(1ms);
  }
  receive_all();
  complete_sends();
  if (done && sending_.empty()) mpi_.release(comm_);
}

void mpi_control::fail(const rank_failure& failure) noexcept {
  const std::lock_guard lock(mutex_);
  if (has_failed_) return;
  try {
    failure_ = failure;
  } catch (...) { // no memory for a copy of the message
    failure_ = {errc::out_of_memory, {}, failure.rank};
  }
  is_own_failure_ = failure.rank == rank_;
  failure_time_ = clock::now().time_since_epoch().count();
  has_failed_ = true;
}

bool mpi_control::all_know_failure() const noexcept {
  const clock::duration then(failure_time_.load());
  return has_failed_ && clock::now().time_since_epoch() - then > time_to_spread;
}

std::optional<rank_failure> mpi_control::failure() const {
  const std::lock_guard lock(mutex_);
  return has_failed_ ? std::optional(failure_) : std::nullopt;
}

std::uint64_t mpi_control::total_progress() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = options_.progress ? options_.progress() : 0;
  for (const std::uint64_t done : progress_) sum += done; // that of this rank is 0
  return sum;
}

void mpi_control::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    receive_all();
    send_failure_once();
    send_signs_of_life();
    complete_sends();
    check_silence();
    abort_if_stuck();
    std::this_thread::sleep_for(time_between_polls);
  }
}

void mpi_control::send(const message& what, int to) {
  auto copy = std::make_unique<message>(what);
  mpi_request* request = nullptr;
  if (mpi_.send(comm_, copy.get(), copy->size(), to, control_tag, &request) != 0) return;
  sending_.emplace_back(std::move(copy), request);
}

void mpi_control::send_to_all(const message& what) {
  for (int other = 0; other < size_; ++other)
    if (other != rank_) send(what, other);
}

void mpi_control::receive_all() {
  for (;;) {
    message received;
    int from = -1, count = 0;
    if (mpi_.poll(comm_, control_tag, &received, sizeof received, &from, &count) != 0 || from < 0) return;
    heard_[static_cast<std::size_t>(from)] = clock::now();
    const std::lock_guard lock(mutex_);
    progress_[static_cast<std::size_t>(from)] = received.progress;
    if (received.kind != message::failed || has_failed_) continue;
    failure_ = {{}, std::string(received.text, static_cast<std::size_t>(received.text_size)), received.rank};
    if (received.code >= 0) failure_.code = static_cast<errc>(received.code);
    failure_time_ = clock::now().time_since_epoch().count();
    has_failed_ = true;
  }
}

void mpi_control::send_signs_of_life() {
  if (clock::now() - last_sign_ < time_between_signs) return;
  last_sign_ = clock::now();
  message sign;
  sign.rank = rank_;
  if (options_.progress) sign.progress = options_.progress();
  rank_ == 0 ? send_to_all(sign) : send(sign, 0);
}

void mpi_control::send_failure_once() {
  if (!has_failed_ || failed_at_) return;
  failed_at_ = clock::now();
  if (options_.on_failure) options_.on_failure();
  message news;
  {
    const std::lock_guard lock(mutex_);
    if (!is_own_failure_) return;
    news.kind = message::failed;
    news.code = failure_.code ? static_cast<int>(*failure_.code) : -1;
    news.rank = rank_;
    news.text_size = static_cast<int>(std::min(failure_.message.size(), sizeof news.text));
    std::memcpy(news.text, failure_.message.data(), static_cast<std::size_t>(news.text_size));
  }
  send_to_all(news);
}

void mpi_control::complete_sends() {
  std::erase_if(sending_, [this](auto& each) {
    bool done = false;
    return mpi_.test(each.second, &done) != 0 || done;
  });
}

// Rank 0 listens to all other ranks, and these to rank 0.
void mpi_control::check_silence() {
  const clock::time_point now = clock::now();
  for (int other = 0; other < size_; ++other)
    if (other != rank_ && (rank_ == 0 || other == 0) &&
        now - heard_[static_cast<std::size_t>(other)] > options_.max_silence)
      abort(fmt::format("rank {} has given no sign of life for {} s", other,
                        std::chrono::duration_cast<std::chrono::seconds>(options_.max_silence).count()),
            exit_code(errc::unavailable));
}

void mpi_control::abort_if_stuck() {
  if (!failed_at_ || options_.max_ending == 0ms || clock::now() - *failed_at_ < options_.max_ending) return;
  const rank_failure known = *failure();
  abort(known.message, known.code ? exit_code(*known.code) : 70);
}

void mpi_control::abort(const std::string& reason, int exit_code) {
  if (options_.on_abort) options_.on_abort(reason);
  std::this_thread::sleep_for(time_to_forward);
  mpi_.abort(exit_code);
}

} // namespace weft::multi_detail
