// The functions that all verbs share: signals, progress on standard error, messages, and the closing line.
#pragma once

#include <chrono>
#include <cli/flags.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/monitor.hpp>
#include <weft/base/run.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft {
struct fm_build_options;
}

namespace weft::cli {

// Writes a message to standard error. Control characters other than newlines are escaped, because names in
// the message come from files. A failure to write is ignored.
void say(std::string_view message);
// Writes bytes to standard error as they are. A failure to write is ignored.
void say_bytes(std::string_view bytes);

// Writes text to standard output.
void print(std::string_view text);

// Throws error if the output is standard output and that is a terminal.
void require_no_terminal(const arguments& given);

// Returns the monitor of the running verb, which counts its progress.
[[nodiscard]] task_monitor& monitor();
// Installs the signal handlers. SIGINT, SIGTERM, SIGHUP and SIGQUIT remove temporary files and end the
// program with exit code 130. A SIGBUS in a mapped file, which has become shorter, does the same with exit
// code 3 and names the file. SIGPIPE and SIGXFSZ (a file has reached the largest size that this process may
// write) are ignored, so that writing fails instead.
void install_signal_handlers();
// From now on, signals end the program without a message: for the end of a job, when a launcher that sees one
// rank end with an error sends the others a signal.
void be_quiet_at_signals() noexcept;

// Returns the options of an index that is built in memory for a search, whose flags are given.
[[nodiscard]] fm_build_options index_options_of(const arguments& given);

// While an object of this type exists, it shows the progress of the monitor in one line on standard error,
// which is updated five times a second. The line appears on a terminal after two seconds, or, if --progress
// is always, at once.
class progress_line {
public:
  // `unit_name` names the unit in which progress is shown. One item that the monitor counts is `unit` of
  // them.
  progress_line(const arguments& given, std::string what, double unit, std::string unit_name);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

private:
  void draw(double seconds);
  std::string what_, unit_name_;
  double unit_;
  bool shown_ = false;
  std::jthread thread_;
};

// Sets the options that the capabilities have in common from the flags of the same names: the device, its
// memory, the number of threads, and, if `Options` has them, the engine and the monitor.
template <class Options> void set_common_options(const arguments& given, Options& options) {
  if constexpr (requires { options.run; }) {
    set_common_options(given, options.run);
  } else {
    options.device = parse_device(given.value("device"));
    options.device_memory = given.size("device-memory");
    options.threads = given.threads();
    if constexpr (requires { options.engine; }) options.engine = given.value("engine");
    if constexpr (requires { options.monitor; }) options.monitor = &monitor();
  }
}

// Calls check(options). If the device comes from the environment and does not support the engine or the task,
// chooses the default device instead.
template <class Options>
void settle_device(const arguments& given, Options& options, void (*check)(const Options&)) try {
  check(options);
} catch (const error& failure) {
  if (failure.code() != errc::invalid_input || !given.from_environment.contains("device")) throw;
  if constexpr (requires { options.run; })
    options.run.device = {};
  else
    options.device = {};
  check(options);
}

// Checks --engine for a verb with one engine: throws error(invalid_input) for any other name but auto.
void require_engine(const arguments& given, std::string_view only);

// Returns the penalties of --gap-open, --gap-extend and --mismatch. Throws error(invalid_input) if one is out
// of range.
[[nodiscard]] affine_penalties penalties_of(const arguments& given);

// A stopwatch measures the time since its construction.
class stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// With --verbose, writes "weft scan: 1.23 s, <throughput>, engine .., device cpu (.., 2 threads), peak memory
// ..". The number of threads is that of the largest team that was used.
void closing_line(const arguments& given, double seconds, const std::string& throughput,
                  const std::string& engine, device_choice used = {device_kind::cpu});

// Returns true if a record shall be printed as JSON, by --json or --format jsonl. Throws error(invalid_input)
// if --json is given with another --format.
[[nodiscard]] bool wants_json(const arguments& given);

// Returns a number with a decimal prefix for the unit that follows: "1.23 G ", "45.6 M ", "7 ".
[[nodiscard]] std::string with_prefix(double value);

} // namespace weft::cli
