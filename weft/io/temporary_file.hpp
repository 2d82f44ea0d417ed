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
//
// The file may consist of segments, each of which is a file of the system. The bytes at the front of it can
// then be discarded while the rest is still being read: the system drops the pages of a closed segment, and
// does not write them to the disk if it has not done so yet.
class temporary_file {
public:
  // Creates the file in `folder`, or in $TMPDIR or /tmp if that is empty. Each of the `num_segments` segments
  // but the last, which has any size, holds `segment_bytes` bytes, and takes a descriptor.
  explicit temporary_file(const std::string& folder, std::size_t num_segments = 1,
                          std::uint64_t segment_bytes = 0);
  // Appends `bytes` directly, without a buffer, so large pieces are best. Only one thread may write at a
  // time.
  void write(std::string_view bytes) { write_at(size(), bytes); }
  // Writes `bytes` at a position. Several threads may write at the same time, at different positions. Before
  // anything is read, the pieces must cover the file from its start to its end.
  void write_at(std::uint64_t position, std::string_view bytes);
  // Returns the end of the last of the bytes written so far.
  [[nodiscard]] std::uint64_t size() const noexcept;
  // Reads bytes from `position` on until `out` is full or the file ends, and returns how many. Several
  // threads may read at the same time.
  [[nodiscard]] std::size_t read(std::uint64_t position, std::span<char> out) const;
  // Returns a source of the bytes [begin, end) as they were written, never decompressed. The source keeps the
  // file open.
  [[nodiscard]] std::unique_ptr<byte_source> read_back(std::uint64_t begin, std::uint64_t end) const;
  // Returns a source of all bytes, which discards what has been read.
  [[nodiscard]] std::unique_ptr<byte_source> read_once() const;
  // Gives the segments that end at `position` or before it back to the system. Their bytes must not be read
  // again. Other threads may read the bytes behind `position` meanwhile.
  void discard_before(std::uint64_t position) const noexcept;
  // Returns the descriptor of the file, which must have one segment, for another program to write or read;
  // size() does not count what that program writes.
  [[nodiscard]] int descriptor() const noexcept;

private:
  class segments;
  class source;
  std::shared_ptr<segments> segments_;
};

} // namespace weft::io
