// A file that nobody sees: written once, read back once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <weft/io/byte_source.hpp>

namespace weft::io {

// Has no name from the start on, so that it is gone when the process ends, however it ends. Throws io_error
// that names the folder.
class temporary_file {
public:
  // folder: empty for $TMPDIR, or /tmp.
  explicit temporary_file(const std::string& folder);
  ~temporary_file();
  temporary_file(temporary_file&& other) noexcept;
  temporary_file& operator=(temporary_file&& other) noexcept;

  void write(std::string_view bytes);
  // The bytes from the start, as they were written. The source owns the file; nothing can be written any
  // more.
  [[nodiscard]] std::unique_ptr<byte_source> read_back();

private:
  std::string folder_;
  int descriptor_ = -1;
};

} // namespace weft::io
