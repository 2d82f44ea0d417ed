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
  // end. Throws io_error, parse_error if compressed data is damaged, truncated or followed by garbage, or
  // memory_error if it needs more than decoder_memory() to be decompressed.
  [[nodiscard]] virtual std::size_t read(std::span<char> out) = 0;
  [[nodiscard]] virtual const std::string& name() const noexcept = 0; // path, or "<stdin>"
  [[nodiscard]] virtual compression kind() const noexcept = 0;
  // Bytes taken from the file so far, and its size (0: unknown, as for pipes): for progress.
  [[nodiscard]] virtual std::uint64_t position() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
};

// Opens a file; "-" is standard input. Without `decompress` bytes are taken as they are. `memory` is the
// limit of the whole task (0: none), of which decompression may take decoder_memory(). Directories and
// unreadable files: io_error.
[[nodiscard]] std::unique_ptr<byte_source> open_bytes(const std::string& path, bool decompress = true,
                                                      std::uint64_t memory = 0);

// Returns how many bytes a decompressor may take of a task's limit on memory (0: none): those of zstd and xz,
// whose files say how much they need, a quarter of the limit, but 12 MiB where a quarter is less, and never
// more than 128 MiB (zstd) or 256 MiB (xz).
[[nodiscard]] std::uint64_t decoder_memory(compression kind, std::uint64_t memory) noexcept;

// Returns what is left of a task's limit on memory (0: none) for a task that fills it while it reads: the
// limit less decoder_memory() where that is more than 12 MiB.
[[nodiscard]] std::uint64_t memory_beside_decoder(compression kind, std::uint64_t memory) noexcept;

// A source whose first bytes have been looked at: `start` has up to `count` of them, and reading begins with
// them.
struct peeked_bytes {
  // The bytes, and the source that still has them.
  std::string start;
  std::unique_ptr<byte_source> source;
};
// Reads ahead; fewer bytes only at the end of the data.
[[nodiscard]] peeked_bytes peek(std::unique_ptr<byte_source> source, std::size_t count);

// As peek(), for text: a byte order mark of UTF-8 at the start is dropped.
[[nodiscard]] peeked_bytes peek_text(std::unique_ptr<byte_source> source, std::size_t count);

// The bytes of a buffer (not copied; must outlive the source), decompressed as a file's would be: for tests
// and fuzzing. `step`: the buffer gives at most so many bytes at a time, as a pipe would (0: no limit).
[[nodiscard]] std::unique_ptr<byte_source> memory_bytes(std::span<const char> data, std::string name,
                                                        std::size_t step = 0, std::uint64_t memory = 0);

// Returns everything, decompressed. Throws memory_error past `limit` bytes (0: no limit). With a limit never
// touches more than `limit` bytes beside a fixed buffer, also while the result grows.
[[nodiscard]] std::string read_all(byte_source& source, std::uint64_t limit = 0);

// Appends at most `count` bytes of the source to `text` and returns how many there were: fewer only at the
// end of the data. Memory is touched only as the bytes come, and what is reserved beyond 1 GiB follows them,
// so that `count` may be a claim that the file makes.
std::uint64_t append_bytes(byte_source& source, std::string& text, std::uint64_t count);

} // namespace weft::io
