#include <cli/ranks.hpp>

#include <atomic>
#include <chrono>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/base/machine_share.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/output_file.hpp>
#include <weft/multi/job.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace weft::cli {

namespace {

using namespace std::chrono_literals;

std::unique_ptr<multi::job>& joined_job() {
  static std::unique_ptr<multi::job> joined;
  return joined;
}

thread_local bool works_alone = false; // whether this thread of rank 0 is in run_on_first_rank()
int before_on_host = 0;                // number of ranks of the job on this host with smaller numbers

// The rank of this thread in run_in_threads(), and the number of all.
thread_local multi::communicator* rank_of_thread = nullptr;
std::atomic<int> num_thread_ranks{1};

// Returns a function that makes this rank fail before one of its exchanges, if tests ask for that: by the
// environment variable WEFT_FAULT=RANK:NUMBER:KIND.
std::function<void(std::uint64_t)> fault_of_tests() {
  const char* const text = std::getenv("WEFT_FAULT");
  if (text == nullptr) return nullptr;
  std::istringstream in(text);
  int rank = 0;
  char colon = ':';
  std::uint64_t at = 0;
  std::string kind;
  in >> rank >> colon >> at >> colon >> kind;
  if (rank != multi::launched_rank()) return nullptr;
  return [at, kind](std::uint64_t number) {
    if (number != at) return;
    if (kind == "memory") throw memory_error("a test takes the memory");
    if (kind == "disk") throw io_error("a test fills the disk");
    if (kind == "kill") std::raise(SIGKILL);
    if (kind == "stop") std::raise(SIGSTOP);
    throw std::logic_error("a test fails");
  };
}

multi::mpi_options options_of_job() {
  multi::mpi_options options;
  options.max_message_bytes = test_setting("WEFT_MAX_MESSAGE", options.max_message_bytes);
  options.max_silence = std::chrono::seconds(test_setting("WEFT_MAX_SILENCE", 60));
  options.max_ending = 8s;
  options.on_failure = [] { monitor().cancel(); };
  options.on_abort = [](const std::string& reason) {
    io::remove_temporaries();
    say_bytes(fmt::format("weft: {}\n", io::printable(reason)));
  };
  options.progress = [] { return monitor().done(); };
  options.on_exchange = fault_of_tests();
  return options;
}

// Ends the program if the library does not end its part within a few seconds, as may happen after a failure.
void end_surely(int exit_code) {
  std::thread([exit_code] {
    std::this_thread::sleep_for(5s);
    ::_exit(exit_code);
  }).detach();
}

// Leaves the job. Returns the exit code, also if another rank turns out to have failed.
int leave_job(std::string_view name, int code) {
  if (code != 0) be_quiet_at_signals();
  if (const int fault = report_errors(name, [] { return joined_job()->wait_for_all(), 0; }); fault != 0) {
    be_quiet_at_signals();
    code = fault;
  }
  if (joined_job()->ranks().failure()) end_surely(code);
  const int left = report_errors(name, [] { return joined_job()->leave(), 0; });
  joined_job().reset();
  return left != 0 ? left : code;
}

// Calls body(). If it fails, or another rank has failed, throws the first failure of the job.
int call_as_rank(const std::function<int()>& body) {
  try {
    return body();
  } catch (...) {
    ranks().fail(multi::describe_failure(std::current_exception(), ranks().rank()));
    const std::optional<multi::rank_failure> first = ranks().failure();
    if (!first || first->rank == ranks().rank()) throw;
    if (first->message == io::broken_pipe().what()) throw io::broken_pipe();
    multi::throw_failure(*first);
  }
}

} // namespace

std::uint64_t test_setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

multi::communicator& ranks() {
  static const std::unique_ptr<multi::communicator> alone = std::move(multi::thread_ranks(1).front());
  if (rank_of_thread != nullptr && !works_alone) return *rank_of_thread;
  return joined_job() && !works_alone ? joined_job()->ranks() : *alone;
}

bool is_first_rank() noexcept {
  return rank_of_thread != nullptr ? rank_of_thread->rank() == 0 : multi::launched_rank() == 0;
}

int num_ranks() { return joined_job() ? joined_job()->ranks().size() : num_thread_ranks.load(); }

int ranks_before_on_host() { return rank_of_thread != nullptr ? rank_of_thread->rank() : before_on_host; }

std::uint64_t progress_of_all_ranks() {
  return joined_job() ? joined_job()->total_progress() : monitor().done();
}

namespace {

// Gives all ranks but rank 0 an empty standard input. Launchers leave theirs open, without ever ending it.
void close_standard_input() {
  if (is_first_rank()) return;
  const int empty = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (empty < 0) return;
  ::dup2(empty, STDIN_FILENO);
  ::close(empty);
}

} // namespace

int run_in_job(std::string_view name, const std::function<int()>& body) {
  const int fault = report_errors(name, [] {
    joined_job() = multi::job::join(options_of_job());
    if (!joined_job()) return 0;
    close_standard_input();
    return 0;
  });
  if (fault != 0) return fault;
  const auto work = [&] {
    const multi::job::host_ranks host = joined_job()->ranks_on_this_host();
    base_detail::set_machine_share(host.count);
    before_on_host = host.before;
    return body();
  };
  const int code = report_errors(name, [&] { return joined_job() ? call_as_rank(work) : body(); });
  return joined_job() ? leave_job(name, code) : code;
}

int run_in_threads(int count, const std::function<int()>& body) {
  base_detail::set_machine_share(count);
  num_thread_ranks = count;
  int code = 0;
  multi::run_ranks(count, [&](multi::communicator& own) {
    rank_of_thread = &own;
    try {
      const int result = call_as_rank(body);
      if (own.rank() == 0) code = result;
    } catch (...) {
      monitor().cancel();
      throw;
    }
  });
  return code;
}

int run_on_first_rank(const std::function<int()>& body, const std::function<void()>& help) {
  std::uint64_t code = 0;
  if (ranks().rank() == 0) {
    works_alone = true;
    const struct guard { // also if body() throws
      ~guard() { works_alone = false; }
    } at_end;
    code = static_cast<std::uint64_t>(body());
  } else if (help) {
    help();
  }
  ranks().broadcast(std::as_writable_bytes(std::span(&code, 1)), 0);
  return static_cast<int>(code);
}

} // namespace weft::cli
