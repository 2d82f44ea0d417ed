// A sorted run in a temporary file, compressed by a program if the user asks for one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <weft/io/byte_source.hpp>
#include <weft/io/temporary_file.hpp>

namespace weft::files {

// A file of lines that is written once, and then read. The functions throw io_error, also if the program
// cannot be run or fails.
class run_file {
public:
  // `folder` is where the file is made. `program` is empty, or a program that compresses its standard input
  // to its standard output, and decompresses if its argument is -d.
  run_file(const std::string& folder, const std::string& program);
  ~run_file();
  run_file(run_file&&) noexcept;
  run_file& operator=(run_file&&) noexcept;

  void write(std::string_view bytes);
  // Ends writing, and waits for the program.
  void finish();
  [[nodiscard]] bool is_compressed() const noexcept { return !program_.empty(); }
  // Returns the file with the lines, if they are not compressed.
  [[nodiscard]] const io::temporary_file& file() const noexcept { return file_; }
  // Returns a source of the lines, decompressed. May be called once.
  [[nodiscard]] std::unique_ptr<io::byte_source> open() const;

private:
  class child;
  io::temporary_file file_;
  std::string program_;
  std::unique_ptr<child> compressor_;
};

} // namespace weft::files
