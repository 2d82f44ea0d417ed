// Bytes from a file or standard input, decompressed on the way if their first bytes say so.
//
//   const auto source = weft::io::open_bytes("proteins.fa");   // or proteins.fa.gz, or "-"
//   char first[3];
//   source->read(first);                                       // == 3
//   std::string(first, 3);                                     // == ">sp"
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace weft::io {

// How the bytes of a file are compressed, by its first ones.
enum class compression { none, gzip, bzip2, zstd, xz };

// A stream of bytes. gzip (several members, BGZF), bzip2, zstd (several frames) and xz (several streams) are
// recognised by their magic bytes. Zero bytes after the last gzip member, and between and after xz streams
// (in fours), are padding; anything else is a fault. Memory: a fixed buffer and the decompressor's own window
// (zstd: at most 128 MiB, xz: 256 MiB; files that ask for more are refused). Not thread-safe.
class byte_source {
public:
  virtual ~byte_source() = default;
  // Fills `out` from the front; returns how much. Less than out.size() only at the end of the data; 0 at the
  // end. Throws io_error, or parse_error if compressed data is damaged, truncated or followed by garbage.
  [[nodiscard]] virtual std::size_t read(std::span<char> out) = 0;
  [[nodiscard]] virtual const std::string& name() const noexcept = 0; // path, or "<stdin>"
  [[nodiscard]] virtual compression kind() const noexcept = 0;
  // Bytes taken from the file so far, and its size (0: unknown, as for pipes): for progress.
  [[nodiscard]] virtual std::uint64_t position() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
};

// "-" is standard input. Without `decompress` bytes are taken as they are. Directories and unreadable files:
// io_error.
[[nodiscard]] std::unique_ptr<byte_source> open_bytes(const std::string& path, bool decompress = true);

// A source whose first bytes have been looked at: `start` has up to `count` of them, and reading begins with
// them.
struct peeked_bytes {
  // The bytes, and the source that still has them.
  std::string start;
  std::unique_ptr<byte_source> source;
};
// Reads ahead; fewer bytes only at the end of the data.
[[nodiscard]] peeked_bytes peek(std::unique_ptr<byte_source> source, std::size_t count);

// The bytes of a buffer (not copied; must outlive the source), decompressed as a file's would be: for tests
// and fuzzing. `step`: the buffer gives at most so many bytes at a time, as a pipe would (0: no limit).
[[nodiscard]] std::unique_ptr<byte_source> memory_bytes(std::span<const char> data, std::string name,
                                                        std::size_t step = 0);

// Everything, decompressed. Throws memory_error past `limit` bytes (0: no limit).
[[nodiscard]] std::string read_all(byte_source& source, std::uint64_t limit = 0);

} // namespace weft::io
