// .wbwt files: a Burrows-Wheeler transform with all that is needed to invert and verify it.
//
//   #include <weft/io/checksum.hpp>
//   weft::io::output_file out("banana.wbwt");
//   const std::uint64_t checksum = weft::io::checksum("banana");
//   weft::io::write_bwt_file(out, {.primary_index = 4, .text_checksum = checksum, .bytes = "annbaa"});
//   out.commit();
//   weft::io::read_bwt_file(*weft::io::open_bytes("banana.wbwt")).bytes;   // == "annbaa"
//
// A file is a header of 64 bytes, then the n transformed bytes, and nothing else. Each line gives the offset
// of a field, its size, and its meaning. Numbers are little-endian.
//   0  8  magic: 89 'W' 'B' 'W' 'T' 0D 0A 1A
//   8  4  version: 1
//  12  4  form: 0 sentinel, 1 rotation
//  16  8  n
//  24  8  primary index
//  32  8  checksum of the text (XXH3, 64 bits)
//  40  8  checksum of the transformed bytes
//  48  8  zero
//  56  8  checksum of the 56 bytes before
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <weft/io/byte_source.hpp>
#include <weft/io/output_file.hpp>

namespace weft::io {

// The first bytes of every .wbwt file.
constexpr std::string_view bwt_magic = "\x89WBWT\r\n\x1a";
constexpr std::uint64_t bwt_header_size = 64;

// The content of a .wbwt file.
struct bwt_file {
  // The same values as weft::bwt_form.
  enum class form_type : std::uint32_t { sentinel = 0, rotation = 1 };

  // The fields of the header (above), and the transformed bytes.
  form_type form = form_type::sentinel;
  std::uint64_t primary_index = 0;
  std::uint64_t text_checksum = 0;
  std::string bytes;
};

// The content of the header of a .wbwt file.
struct bwt_file_summary {
  // The fields of the header (above).
  bwt_file::form_type form = bwt_file::form_type::sentinel;
  std::uint64_t size = 0, primary_index = 0;
  std::uint64_t text_checksum = 0, bytes_checksum = 0;
};

// Returns the header of a .wbwt file, of bwt_header_size bytes, for a program that writes the bytes itself.
[[nodiscard]] std::string bwt_file_header(const bwt_file_summary& content);

// Writes the header, with checksums of both, and the bytes to `out`. The caller calls commit(). O(n). Throws
// io_error.
void write_bwt_file(output_file& out, const bwt_file& content);

// Reads and checks a .wbwt file. Throws parse_error that says what is wrong (no .wbwt file, a newer version,
// damaged, truncated, or more bytes after the end), memory_error, before reading the bytes, if there are more
// than `limit` of them (0: no limit), and io_error. O(n); the memory of the result grows as the bytes come
// and temporarily takes half as much again.
[[nodiscard]] bwt_file read_bwt_file(byte_source& source, std::uint64_t limit = 0);

// Reads a .wbwt file to its end without keeping the bytes, and returns what its header states. Throws as
// read_bwt_file(). O(n); memory: a fixed buffer.
[[nodiscard]] bwt_file_summary check_bwt_file(byte_source& source);

} // namespace weft::io
