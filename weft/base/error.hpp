// Errors of the host interface, and their one map to exit codes of the command line.
//
// Every failure that depends on input, files or the machine is a weft::error with an errc.
// Programmer faults (an offset past the end, a null callback) are std::invalid_argument.
// Empty input is never an error.
//
//   try {
//     throw weft::parse_error("x.fa", 3, 1, "no such letter");
//   } catch (const weft::error& fault) {
//     std::string(fault.what());                    // == "x.fa:3:1: no such letter"
//     weft::exit_code(fault.code());                // == 2
//   }
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {

// What kind of failure it was.
enum class errc {
  invalid_input, // malformed file, pattern, flag or value
  io,            // a file cannot be opened, read, written or renamed
  unavailable,   // the device or engine asked for does not exist here
  out_of_memory, // more host or device memory needed than allowed
  device,        // a CUDA call failed
  cancelled      // Ctrl-C, or task_monitor::cancel()
};

// 2 bad usage or input, 3 input/output, 4 no device or not enough memory, 130 cancelled.
[[nodiscard]] constexpr int exit_code(errc code) noexcept {
  switch (code) {
  case errc::invalid_input:
    return 2;
  case errc::io:
    return 3;
  case errc::unavailable:
  case errc::out_of_memory:
  case errc::device:
    return 4;
  case errc::cancelled:
    return 130;
  }
  return 2;
}

// What every failure derives from that depends on input, files or the machine.
class error : public std::runtime_error {
public:
  // The code, and what what() says.
  error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  // What kind of failure it is.
  [[nodiscard]] errc code() const noexcept { return code_; }

private:
  errc code_;
};

// Malformed input. what() reads "source:line:column: message" (line and column are 1-based; 0 is left out).
class parse_error : public error {
public:
  // In this line and column of a source, the name of a file or of standard input.
  parse_error(std::string source, std::uint64_t line, std::uint64_t column, const std::string& message);
  // As the constructor was given them.
  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }
  [[nodiscard]] std::uint64_t column() const noexcept { return column_; }

private:
  std::string source_;
  std::uint64_t line_, column_;
};

// A file cannot be opened, read, written or renamed.
class io_error : public error {
public:
  // what() is the message.
  explicit io_error(const std::string& message) : error(errc::io, message) {}
  // "cannot open 'x.fa': No such file or directory"
  io_error(std::string_view action, std::string_view path, int errno_value);
};

// The device or engine asked for does not exist here.
class unavailable_error : public error {
public:
  // what() is the message.
  explicit unavailable_error(const std::string& message) : error(errc::unavailable, message) {}
};

// More host or device memory is needed than there is, or allowed.
class memory_error : public error {
public:
  // what() is the message.
  explicit memory_error(const std::string& message) : error(errc::out_of_memory, message) {}
};

// A CUDA call failed.
class device_error : public error {
public:
  // what() is the message.
  device_error(int cuda_error, const std::string& message)
      : error(errc::device, message), cuda_error_(cuda_error) {}
  [[nodiscard]] int cuda_error() const noexcept { return cuda_error_; } // a cudaError_t

private:
  int cuda_error_;
};

// task_monitor::cancel() ended the task.
class cancelled_error : public error {
public:
  cancelled_error() : error(errc::cancelled, "cancelled") {}
};

} // namespace weft
