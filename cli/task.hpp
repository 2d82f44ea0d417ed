// What every working verb shares: signals, progress on standard error, the closing
// line.
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

namespace weft::cli {

// Writes a message to standard error, with control characters other than newlines escaped, because names in
// it come from files. A failure to write is ignored.
void say(std::string_view message);
// Writes bytes to standard error as they are. A failure to write is ignored.
void say_bytes(std::string_view bytes);

// Text for standard output.
void print(std::string_view text);

// Throws error if the output is standard output and that is a terminal.
void require_no_terminal(const arguments& given);

// The monitor of the verb that runs: its progress.
[[nodiscard]] task_monitor& monitor();
// SIGINT, SIGTERM, SIGHUP and SIGQUIT remove temporary files and end the program with 130; so does, with 3
// and the name of the file, a SIGBUS where a mapped file became shorter. SIGPIPE and SIGXFSZ (a file as large
// as the system lets this process write) are ignored, so that writing fails instead.
void install_signal_handlers();

// Shows, while it lives, how far the monitor has come: on a terminal (or always), from two seconds on, one
// line five times a second.
class progress_line {
public:
  // `unit_name`: what is counted, after scaling by `unit` per counted item.
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

// What the options of the capabilities have in common, from the flags of the same names: where it runs, with
// how many threads, and (if there are such options) by which engine, and the monitor.
template <class Options> void set_common_options(const arguments& given, Options& options) {
  options.device = parse_device(given.value("device"));
  options.device_memory = given.size("device-memory");
  options.threads = given.threads();
  if constexpr (requires { options.engine; }) options.engine = given.value("engine");
  if constexpr (requires { options.monitor; }) options.monitor = &monitor();
}

// Calls check(options). A device that the environment names gives way to an engine, and to work, that does
// not run there.
template <class Options>
void settle_device(const arguments& given, Options& options, void (*check)(const Options&)) try {
  check(options);
} catch (const error& failure) {
  if (failure.code() != errc::invalid_input || !given.from_environment.contains("device")) throw;
  options.device = {};
  check(options);
}

// Checks --engine for a verb with one engine: throws error(invalid_input) for any other name but auto.
void require_engine(const arguments& given, std::string_view only);

class stopwatch {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// With --verbose: "weft scan: 1.23 s, <throughput>, engine .., device cpu (.., 2 threads), peak memory ..".
// The threads are those of the largest team that was at work. gpu: the CUDA device that was used, or -1.
void closing_line(const arguments& given, double seconds, const std::string& throughput,
                  const std::string& engine, int gpu = -1);

// Whether a record is asked for as JSON: by --json or --format jsonl. Throws error(invalid_input) if --json
// comes with another --format.
[[nodiscard]] bool wants_json(const arguments& given);

// "1.23 G ", "45.6 M ", "7 ": a number with a decimal prefix, for a unit to follow.
[[nodiscard]] std::string with_prefix(double value);

} // namespace weft::cli
