// Writes a file that appears either complete or not at all.
//
//   #include <filesystem>
//   weft::io::output_file out("hello.txt");
//   out.write("hello\n");
//   out.commit();                                   // without it: no hello.txt, or the one there was
//   std::filesystem::file_size("hello.txt");        // == 6
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <weft/base/error.hpp>

namespace weft::io {

// The reader of a pipe has closed it (as `| head` does), which is not an error of the program.
class broken_pipe : public io_error {
public:
  broken_pipe() : io_error("the reader of the output has closed the pipe") {}
};

// Buffered output to a path, or to standard output for "-" or "". The bytes go to a temporary file in the
// same folder, which commit() renames to the path. Without commit(), or after remove_temporaries(), no new
// file remains. A path that is not a regular file (a device, a FIFO) or that names an open descriptor
// (/dev/stdout, /dev/fd/3) is written directly. A symbolic link stays, and the file that it leads to is
// replaced. An existing file keeps its permissions and, if this process may give files away, its owner.
// Throws io_error, and broken_pipe if the reader of a pipe has gone and SIGPIPE is ignored.
class output_file {
public:
  // Opens the temporary file.
  explicit output_file(std::string path);
  // Opens the temporary file of another output_file for the same path, which may be of another process, so
  // that both write parts of it. commit() only finishes this object; the other one renames the file.
  output_file(std::string path, std::string temporary);
  ~output_file(); // removes the temporary file unless committed
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  // Appends to the buffer.
  void write(std::string_view bytes);
  // Passes the buffered bytes to the system; only then can a reader of standard output see them.
  void flush();
  void finish(); // flushes and closes, which fails if the disk is full; nothing can be written afterwards
  void commit(); // finishes, then renames the temporary file
  // Passes the buffered bytes to the system, and writes the next bytes at `position` of the file, which must
  // be a temporary file. If another object writes the bytes before it later, they are zeros until then.
  void seek(std::uint64_t position);
  // Writes bytes at `position` of the file, which must be a temporary file, beside the buffer. Threads may
  // call this at the same time for different bytes.
  void write_at(std::uint64_t position, std::string_view bytes) const;
  // Returns the name of the temporary file; empty if the output is written directly.
  [[nodiscard]] const std::string& temporary() const noexcept { return temporary_; }
  // Returns whether the path was "-" or "".
  [[nodiscard]] bool is_stdout() const noexcept { return path_.empty(); }

  // Finishes all files and then renames them in this order, so that no file appears if one of them cannot be
  // written. If a renaming fails, or two paths turn out to be one file, the files renamed so far are removed,
  // and the files they had replaced are lost. Throws io_error, or error(invalid_input) for two paths that are
  // one file.
  static void commit_all(std::span<output_file* const> files);

private:
  void write_through(std::string_view bytes);
  std::string path_, temporary_, buffer_;
  int descriptor_ = -1;
  int slot_ = -1;          // index in the table of remove_temporaries()
  bool is_joined_ = false; // whether the temporary file is that of another object
};

// Deletes temporary files of output_files in the folder of `path` whose process has ended without deleting
// them, because it was killed. A file of a process that lives is locked (flock()), and stays. O(files of the
// folder).
void remove_abandoned_temporaries(const std::string& path) noexcept;

// Deletes the temporary files of all open output_files (of up to 64 at a time). Async-signal-safe, for
// handlers of SIGINT, SIGTERM and SIGHUP.
void remove_temporaries() noexcept;

} // namespace weft::io
