// A file that nobody sees: written from start to end, then read back.
//
//   weft::io::temporary_file file("");
//   file.write("GATTACA");
//   weft::io::read_all(*file.read_back(0, 4));      // == "GATT"
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
  // Appends, at once and without a buffer: large pieces are best. For one thread at a time.
  void write(std::string_view bytes);
  // Bytes written so far.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // Bytes from `position` on, as many as there are and fit `out`: how many. For several threads at a time.
  [[nodiscard]] std::size_t read(std::uint64_t position, std::span<char> out) const;
  // Bytes [begin, end), as they were written, never taken for compressed ones. The source keeps the file.
  [[nodiscard]] std::unique_ptr<byte_source> read_back(std::uint64_t begin, std::uint64_t end) const;
  // The open file, for another program to write or read; size() does not count what that program writes.
  [[nodiscard]] int descriptor() const noexcept;

private:
  class open_file;
  class source;
  std::shared_ptr<const open_file> descriptor_;
  std::uint64_t size_ = 0;
};

} // namespace weft::io
