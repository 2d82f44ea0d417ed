// A file that is there whole or not at all.
//
//   #include <filesystem>
//   weft::io::output_file out("hello.txt");
//   out.write("hello\n");
//   out.commit();                                   // without it: no hello.txt, or the one there was
//   std::filesystem::file_size("hello.txt");        // == 6
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <weft/base/error.hpp>

namespace weft::io {

// The reader of a pipe has gone (as `| head` does): no fault of anyone's.
class broken_pipe : public io_error {
public:
  broken_pipe() : io_error("nobody reads the output any more") {}
};

// Buffered output to a path, or to standard output for "-" or "". A path is written under a temporary name
// beside it and renamed by commit(); without commit(), or after remove_temporaries(), nothing is left behind.
// A path that is no regular file (a device, a FIFO), or that names an open descriptor (/dev/stdout,
// /dev/fd/3), is written directly. A symbolic link stays, and what it leads to is written. An existing file
// keeps its permissions and, where this process may give files away, its owner. Throws io_error; broken_pipe
// where SIGPIPE is ignored and the reader has gone.
class output_file {
public:
  // Opens the temporary file.
  explicit output_file(std::string path);
  ~output_file(); // removes the temporary file if not committed
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  // Appends to the buffer.
  void write(std::string_view bytes);
  void flush();  // hands buffered bytes to the system (standard output only reaches the reader then)
  void finish(); // flush, close: what there may be no room for. No more can be written
  void commit(); // finish, rename
  // Whether the path was "-" or "".
  [[nodiscard]] bool is_stdout() const noexcept { return path_.empty(); }

  // Finishes all files, then lets them appear, in this order: none appears where one cannot be written. If
  // the renaming of one fails, or two turn out to be one file, those before it are removed, and what they had
  // replaced is gone. Throws io_error, or error(invalid_input) for two that are one file.
  static void commit_all(std::span<output_file* const> files);

private:
  void write_through(std::string_view bytes);
  std::string path_, temporary_, buffer_;
  int descriptor_ = -1;
  int slot_ = -1; // in the table of remove_temporaries()
};

// Deletes the temporary files of all open output_files (of the first 64 at a time). Async-signal-safe: for
// handlers of SIGINT, SIGTERM and SIGHUP.
void remove_temporaries() noexcept;

} // namespace weft::io
