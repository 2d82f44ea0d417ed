// The errors that weft throws, and the exit codes of the command line for them.
//
// Every failure that depends on input, files or the machine is a weft::error with a code (errc). Mistakes of
// the calling program, such as an offset past the end or a null callback, are std::invalid_argument. Empty
// input is never an error.
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

// Kinds of failure.
enum class errc {
  invalid_input, // a malformed file, pattern, flag or value
  io,            // a file cannot be opened, read, written or renamed
  unavailable,   // the requested device or engine does not exist on this machine
  out_of_memory, // the task needs more host or device memory than there is or than is allowed
  device,        // a CUDA call failed
  cancelled      // Ctrl-C, or task_monitor::cancel()
};

// Returns the exit code for a failure: 2 for bad usage or input, 3 for input/output, 4 for no device or not
// enough memory, 130 for a cancelled task.
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

// Base class of all failures that depend on input, files or the machine.
class error : public std::runtime_error {
public:
  // what() returns `message`.
  error(errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  // Returns the kind of failure.
  [[nodiscard]] errc code() const noexcept { return code_; }

private:
  errc code_;
};

// Malformed input. what() reads "source:line:column: message"; line and column are 1-based, and a 0 is left
// out.
class parse_error : public error {
public:
  // `source` is the name of the file, or of standard input, in which the fault is.
  parse_error(std::string source, std::uint64_t line, std::uint64_t column, const std::string& message);
  // Return the constructor's arguments.
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
  // what() returns `message`.
  explicit io_error(const std::string& message) : error(errc::io, message) {}
  // Composes a message such as "cannot open 'x.fa': No such file or directory".
  io_error(std::string_view action, std::string_view path, int errno_value);
  // Returns the value of errno that tells the cause, or 0 if there is none.
  [[nodiscard]] int error_number() const noexcept { return error_number_; }

private:
  int error_number_ = 0;
};

// The requested device or engine does not exist on this machine.
class unavailable_error : public error {
public:
  // what() returns `message`.
  explicit unavailable_error(const std::string& message) : error(errc::unavailable, message) {}
};

// A task needs more host or device memory than there is or than is allowed.
class memory_error : public error {
public:
  // what() returns `message`.
  explicit memory_error(const std::string& message) : error(errc::out_of_memory, message) {}
};

// A CUDA call failed.
class device_error : public error {
public:
  // what() returns `message`; `cuda_error` is a cudaError_t.
  device_error(int cuda_error, const std::string& message)
      : error(errc::device, message), cuda_error_(cuda_error) {}
  // Returns the cudaError_t of the call.
  [[nodiscard]] int cuda_error() const noexcept { return cuda_error_; }

private:
  int cuda_error_;
};

// The task was ended by task_monitor::cancel().
class cancelled_error : public error {
public:
  cancelled_error() : error(errc::cancelled, "cancelled") {}
};

} // namespace weft
