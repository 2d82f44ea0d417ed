// Ranks that are processes of MPI.
//
// A program that uses MPI itself passes its communicator (multi/mpi.hpp). The command weft opens the plugin
// for the MPI library that has started it (job.hpp).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include <weft/multi/communicator.hpp>
#include <weft/multi/mpi/functions.hpp>

namespace weft::multi {

// The options of a connection to MPI.
struct mpi_options {
  // Size of the pieces in which messages are sent; less than 2 GiB.
  std::uint64_t max_message_bytes = std::uint64_t{1} << 30;
  // A rank from which nothing has been heard for so long ends the job.
  std::chrono::milliseconds max_silence = std::chrono::seconds(60);
  // Called once by a thread of weft when this rank learns of a failure: to end what it computes. May be null.
  std::function<void()> on_failure = nullptr;
  // Called by a thread of weft with a message before MPI_Abort(): if a rank is silent, or if `max_ending` has
  // passed since a failure and this rank still uses the communicator (0: it may use it as long as it wants).
  std::function<void(const std::string& message)> on_abort = nullptr;
  std::chrono::milliseconds max_ending = std::chrono::milliseconds(0);
  // Returns the work that this rank has done, which rank 0 adds up (see total_progress()). May be null.
  std::function<std::uint64_t()> progress = nullptr;
  // Called before each exchange of this rank, with the number of those before it. It may throw. For tests of
  // failures. May be null.
  std::function<void(std::uint64_t number)> on_exchange = nullptr;
};

} // namespace weft::multi

namespace weft::multi_detail {

// An mpi_control carries failures between the ranks, and notices ranks that have stopped. A thread of each
// rank sends and receives messages on a communicator of their own: a sign of life every second between rank 0
// and each other rank, and a failure from the rank that met it to all others.
class mpi_control {
public:
  mpi_control(const mpi_functions& mpi, mpi_comm* comm, const multi::mpi_options& options);
  // Waits until the other ranks destroy theirs, too, but at most ten seconds.
  ~mpi_control();
  mpi_control(const mpi_control&) = delete;
  mpi_control& operator=(const mpi_control&) = delete;

  // Records a failure of this rank, which the thread sends to the others, unless there was one before.
  void fail(const multi::rank_failure& failure) noexcept;
  [[nodiscard]] std::optional<multi::rank_failure> failure() const;
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
  // Returns whether the failure has been known for so long that all other ranks know it, too. Until then, the
  // memory of operations must stay valid: another rank may just be reading it.
  [[nodiscard]] bool all_know_failure() const noexcept;
  // Throws the failure if there is one.
  void check() const {
    if (has_failed_) multi::throw_failure(*failure());
  }
  // Does the same before an exchange, which it counts.
  void check_before_exchange() {
    check();
    const std::uint64_t number = num_exchanges_++;
    if (options_.on_exchange) options_.on_exchange(number);
  }
  // Returns, on rank 0, the work of all ranks as of a second ago.
  [[nodiscard]] std::uint64_t total_progress() const;

private:
  struct message;
  using clock = std::chrono::steady_clock;

  void run(const std::stop_token& stop);
  void send(const message& what, int to);
  void send_to_all(const message& what);
  // Receives messages until none is left.
  void receive_all();
  void send_signs_of_life();
  void check_silence();
  void send_failure_once();
  void abort_if_stuck();
  void abort(const std::string& reason, int exit_code);
  // Forgets the messages that have been sent.
  void complete_sends();

  const mpi_functions& mpi_;
  mpi_comm* comm_;
  const multi::mpi_options options_;
  int rank_ = 0, size_ = 1;
  std::atomic<std::uint64_t> num_exchanges_{0};
  std::atomic<bool> has_failed_{false};
  std::atomic<clock::rep> failure_time_{0}; // since the clock's epoch; set before has_failed_
  mutable std::mutex mutex_;                // guards failure_, is_own_failure_ and progress_
  multi::rank_failure failure_;
  bool is_own_failure_ = false;
  std::vector<std::uint64_t> progress_; // by rank
  // Of the thread alone: messages that are being sent, and when each rank was last heard.
  std::list<std::pair<std::unique_ptr<message>, mpi_request*>> sending_;
  std::vector<clock::time_point> heard_;
  clock::time_point last_sign_;
  std::optional<clock::time_point> failed_at_;
  std::jthread thread_;
};

// Returns the communicator of the ranks of `comm`, which it owns. All its ranks call it together.
[[nodiscard]] std::unique_ptr<multi::communicator>
make_mpi_communicator(const mpi_functions& mpi, mpi_comm* comm, const multi::mpi_options& options,
                      std::shared_ptr<mpi_control>& control);

// Throws io_error if the code is not MPI_SUCCESS.
void check_mpi(const mpi_functions& mpi, int code, const char* call);

} // namespace weft::multi_detail
