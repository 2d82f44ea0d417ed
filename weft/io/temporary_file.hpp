// A file without a name, which is written from start to end and then read back.
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

// A temporary file. The file has no name (or, on file systems without O_TMPFILE, loses it at once), so the
// system deletes it when the process ends, however it ends. Throws io_error that names the folder.
class temporary_file {
public:
  // Creates the file in `folder`, or in $TMPDIR or /tmp if that is empty.
  explicit temporary_file(const std::string& folder);
  // Appends `bytes` directly, without a buffer, so large pieces are best. Only one thread may write at a
  // time.
  void write(std::string_view bytes);
  // Returns the number of bytes written so far.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  // Reads bytes from `position` on until `out` is full or the file ends, and returns how many. Several
  // threads may read at the same time.
  [[nodiscard]] std::size_t read(std::uint64_t position, std::span<char> out) const;
  // Returns a source of the bytes [begin, end) as they were written, never decompressed. The source keeps the
  // file open.
  [[nodiscard]] std::unique_ptr<byte_source> read_back(std::uint64_t begin, std::uint64_t end) const;
  // Returns the descriptor of the file, for another program to write or read; size() does not count what that
  // program writes.
  [[nodiscard]] int descriptor() const noexcept;

private:
  class open_file;
  class source;
  std::shared_ptr<const open_file> descriptor_;
  std::uint64_t size_ = 0;
};

} // namespace weft::io
