// Reads bytes from a file or standard input, and decompresses them if the first bytes show a known format.
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

// The compression formats that are recognised.
enum class compression { none, gzip, bzip2, zstd, xz };

// A stream of bytes. The formats gzip (several members, BGZF), bzip2, zstd (several frames) and xz (several
// streams) are recognised by their magic bytes. Zero bytes after the last gzip member, and between and after
// xz streams (in multiples of four), are padding; anything else there is an error. Memory: a fixed buffer and
// the decompressor's own window (zstd: at most 128 MiB, xz: 256 MiB; files that need more are refused). Not
// thread-safe.
class byte_source {
public:
  virtual ~byte_source() = default;
  // Fills `out` from the front and returns the number of bytes written, which is less than out.size() only at
  // the end of the data. Throws io_error, parse_error if compressed data is damaged, truncated or followed by
  // garbage, or memory_error if it needs more than decoder_memory() to be decompressed.
  [[nodiscard]] virtual std::size_t read(std::span<char> out) = 0;
  [[nodiscard]] virtual const std::string& name() const noexcept = 0; // the path, or "<stdin>"
  [[nodiscard]] virtual compression kind() const noexcept = 0;
  // For reports of progress: the bytes taken from the file so far, and the file's size (0: unknown, as for
  // pipes).
  [[nodiscard]] virtual std::uint64_t position() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
};

// Opens a file; "-" is standard input. If `decompress` is false, bytes are returned as they are in the file.
// `memory` is the memory limit of the whole task in bytes (0: none), of which decompression may take
// decoder_memory(). Throws io_error for directories and unreadable files.
[[nodiscard]] std::unique_ptr<byte_source> open_bytes(const std::string& path, bool decompress = true,
                                                      std::uint64_t memory = 0);

// Returns how many bytes a decompressor may take of a task's memory limit (0: none). For zstd and xz, whose
// files say how much they need, this is a quarter of the limit, but at least 12 MiB and at most 128 MiB
// (zstd) or 256 MiB (xz).
[[nodiscard]] std::uint64_t decoder_memory(compression kind, std::uint64_t memory) noexcept;

// Returns how much of a task's memory limit (0: none) is left for a task that fills its memory while it
// reads: the limit minus decoder_memory(), or the whole limit if decoder_memory() is at most 12 MiB.
[[nodiscard]] std::uint64_t memory_beside_decoder(compression kind, std::uint64_t memory) noexcept;

// A source whose first bytes have been looked at.
struct peeked_bytes {
  // The first bytes, and a source that still returns them first.
  std::string start;
  std::unique_ptr<byte_source> source;
};
// Returns the first `count` bytes of a source, fewer only if the data ends before.
[[nodiscard]] peeked_bytes peek(std::unique_ptr<byte_source> source, std::size_t count);

// Works as peek(), for text: drops a UTF-8 byte order mark at the start.
[[nodiscard]] peeked_bytes peek_text(std::unique_ptr<byte_source> source, std::size_t count);

// Returns a source for the bytes of a buffer, decompressed like those of a file: for tests and fuzzing. The
// buffer is not copied and must outlive the source. `step`: the buffer gives at most that many bytes at a
// time, as a pipe would (0: no limit).
[[nodiscard]] std::unique_ptr<byte_source> memory_bytes(std::span<const char> data, std::string name,
                                                        std::size_t step = 0, std::uint64_t memory = 0);

// Returns all bytes, decompressed. Throws memory_error if there are more than `limit` (0: no limit). With a
// limit, touches at most `limit` bytes of memory beside a fixed buffer, even while the result grows.
[[nodiscard]] std::string read_all(byte_source& source, std::uint64_t limit = 0);

// Appends at most `count` bytes of the source to `text` and returns how many it appended: fewer than `count`
// only at the end of the data. `count` may be a claim that a file makes about itself: memory is touched only
// as the bytes come, and at most 1 GiB is reserved before bytes have come.
std::uint64_t append_bytes(byte_source& source, std::string& text, std::uint64_t count);

} // namespace weft::io
