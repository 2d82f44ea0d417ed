#include <cli/task.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cli/ranks.hpp>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <unistd.h>
#include <weft/base/device.hpp>
#include <weft/base/engines.hpp>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/fm_index.hpp>
#include <weft/io/escape.hpp>
#include <weft/io/mapped_file.hpp>
#include <weft/io/output_file.hpp>
#include <weft/multi/job.hpp>

namespace weft::cli {

namespace {

// Whether handlers of signals write a message: rank 0 does, until it has nothing left to do.
std::atomic<bool> writes_messages{is_first_rank()};
static_assert(std::atomic<bool>::is_always_lock_free);

// Ends the program at once, also while it waits for input. All functions that are called here are
// async-signal-safe.
extern "C" void on_signal(int) {
  io::remove_temporaries();
  constexpr char message[] = "weft: interrupted\n";
  if (writes_messages) (void)!::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(exit_code(errc::cancelled));
}

// Handles a SIGBUS. If the address belongs to a mapped file, which became shorter or cannot be read, the
// handler reports it and ends the program. Any other SIGBUS is a fault of the program and ends it as if there
// were no handler. All functions that are called here are async-signal-safe.
extern "C" void on_bus_error(int number, siginfo_t* info, void*) {
  const char* path = io::mapped_path(info->si_addr);
  if (path == nullptr) {
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  io::remove_temporaries();
  for (const char* part : {"weft: cannot read '", path,
                           "': the file became shorter, or its disk failed, while weft was "
                           "reading it\n"})
    (void)!::write(STDERR_FILENO, part, std::strlen(part));
  ::_exit(exit_code(errc::io));
}

} // namespace

void say(std::string_view message) {
  if (is_first_rank()) say_bytes(io::printable(message));
}

void say_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(done, 0)));
  }
}

void print(std::string_view text) {
  if (ranks().rank() != 0) return;
  io::output_file out("-");
  out.write(text);
  out.commit();
}

void require_no_terminal(const arguments& given) {
  // mpirun of Open MPI gives each rank a terminal of its own, and passes on what is written to it.
  if (given.value("output") == "-" && !multi::is_launched() && ::isatty(STDOUT_FILENO) != 0)
    throw error(errc::invalid_input, fmt::format("weft {} writes binary data and cannot write it to a "
                                                 "terminal: use -o FILE or a pipe",
                                                 given.chosen_verb->name));
}

task_monitor& monitor() {
  static task_monitor shared;
  return shared;
}

void be_quiet_at_signals() noexcept { writes_messages = false; }

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr); // a signal that nohup or & ignores stays ignored
  }
  struct sigaction bus_error {};
  bus_error.sa_sigaction = on_bus_error;
  bus_error.sa_flags = SA_SIGINFO;
  sigemptyset(&bus_error.sa_mask);
  sigaction(SIGBUS, &bus_error, nullptr);
  std::signal(SIGPIPE, SIG_IGN); // writing fails with EPIPE instead, which ends the program quietly
  std::signal(SIGXFSZ,
              SIG_IGN); // writing beyond the limit on file sizes fails with EFBIG instead: an io_error
}

std::string with_prefix(double value) {
  constexpr std::array prefixes = {" ", " k ", " M ", " G ", " T ", " P "};
  std::size_t at = 0;
  while (value >= 1000 && at + 1 < prefixes.size()) {
    value /= 1000;
    ++at;
  }
  return fmt::format("{:.{}f}{}", value, at == 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0, prefixes[at]);
}

progress_line::progress_line(const arguments& given, std::string what, double unit, std::string unit_name)
    : what_(std::move(what)), unit_name_(std::move(unit_name)), unit_(unit) {
  const std::string when = given.value("progress");
  if (when == "never" || given.has("quiet") || !is_first_rank() ||
      (when == "auto" && ::isatty(STDERR_FILENO) == 0))
    return;
  const double delay = when == "always" ? 0 : 2;
  const auto show = [this, delay](const std::stop_token& stop) {
    const stopwatch time;
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      wake.wait_for(lock, stop, std::chrono::milliseconds(200), [] { return false; });
      if (time.seconds() >= delay) draw(time.seconds());
    }
    if (shown_) say_bytes("\r\033[K");
  };
  try {
    thread_ = std::jthread(show);
  } catch (const std::system_error&) { // the system has no thread: the work goes on without progress
  }
}

progress_line::~progress_line() = default;

void progress_line::draw(double seconds) {
  // The total that a rank knows is that of its share.
  const auto done = static_cast<double>(progress_of_all_ranks()),
             total = num_ranks() > 1 ? 0 : static_cast<double>(monitor().total());
  const auto passed = static_cast<std::uint64_t>(seconds);
  std::string text =
      done > 0 ? fmt::format("{}: {}{}/s", what_, with_prefix(done * unit_ / seconds), unit_name_)
               : fmt::format("{}: {}:{:02}", what_, passed / 60, passed % 60); // nothing has been counted yet
  if (total > 0 && done > 0) {
    const double part = std::min(1.0, done / total);
    const auto left = static_cast<std::uint64_t>(seconds / part * (1 - part));
    text = fmt::format("{}, {:.0f} %, {}:{:02} left", text, 100 * part, left / 60, left % 60);
  }
  say_bytes(fmt::format("\r{}\033[K", text));
  shown_ = true;
}

void require_engine(const arguments& given, std::string_view only) {
  if (const std::string engine = given.value("engine"); engine != "auto" && engine != only)
    throw error(errc::invalid_input,
                fmt::format("{} has no engine '{}': use auto or {}", given.chosen_verb->name, engine, only));
}

affine_penalties penalties_of(const arguments& given) {
  const auto penalty = [&](const char* flag, std::int64_t minimum) {
    const std::int64_t value = given.number(flag, minimum);
    if (value > max_affine_penalty)
      throw error(errc::invalid_input,
                  fmt::format("--{} must be at most {}, not {}", flag, max_affine_penalty, value));
    return static_cast<std::uint32_t>(value);
  };
  return {penalty("gap-open", 0), penalty("gap-extend", 1), penalty("mismatch", 1)};
}

bool wants_json(const arguments& given) {
  if (given.has("json") && given.has("format") && given.value("format") != "jsonl")
    throw error(errc::invalid_input,
                fmt::format("--json means --format jsonl: it cannot be combined with --format {}",
                            given.value("format")));
  return given.has("json") || given.value("format") == "jsonl";
}

fm_build_options index_options_of(const arguments& given) {
  fm_build_options options;
  set_common_options(given, options);
  options.run.engine = "auto";   // --engine names the engine of the search
  options.run.monitor = nullptr; // the progress is that of the search
  require_device(options.run.device);
  return options;
}

void closing_line(const arguments& given, double seconds, const std::string& throughput,
                  const std::string& engine, device_choice used) {
  if (!given.has("verbose")) return;
  const std::uint64_t memory = multi::reduce_number(ranks(), peak_memory(), multi::reduction::max);
  const std::string cpu = describe_cpu(); // ends in the number of available threads
  const int threads = peak_threads();
  std::string device =
      fmt::format("cpu ({}, {} thread{})", cpu.substr(0, cpu.rfind(", ")), threads, threads == 1 ? "" : "s");
  if (used.kind == device_kind::gpu)
    if (const gpu_info* const gpu = base_detail::usable_gpu(used.index))
      device = fmt::format("gpu:{} ({})", used.index, gpu->name);
  const int num_ranks = ranks().size();
  say(fmt::format("weft {}: {:.2f} s, {}, engine {}, device {}, peak memory {}{}\n", given.chosen_verb->name,
                  seconds, throughput, engine, device, format_size(memory),
                  num_ranks == 1 ? "" : fmt::format(" of a rank, {} ranks", num_ranks)));
}

} // namespace weft::cli
