#include <weft/io/bwt_file.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/io/checksum.hpp>

namespace weft::io {

namespace {

constexpr std::uint64_t version = 1;

void append_number(std::string& header, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) header += static_cast<char>(value >> (8 * i) & 255);
}

std::uint64_t number_at(std::string_view header, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(header[at + static_cast<std::size_t>(i)]);
  return value;
}

[[noreturn]] void fail(const byte_source& source, const std::string& what) {
  throw parse_error(source.name(), 0, 0, what);
}

[[noreturn]] void fail_truncated(const byte_source& source, std::uint64_t present, std::uint64_t size) {
  fail(source, fmt::format("truncated: only {} of {} transformed bytes are present", present, size));
}

bwt_file_summary read_header(byte_source& source) {
  std::string header(bwt_header_size, '\0');
  const std::size_t size = source.read(header);
  if (std::string_view(header).substr(0, std::min(size, bwt_magic.size())) != bwt_magic)
    fail(source, "not a .wbwt file (to read the output of weft bwt --raw, use --raw and --primary-index)");
  if (size < bwt_header_size) fail(source, "truncated: the .wbwt file ends within its header");
  if (number_at(header, 8, 4) != version)
    fail(source, fmt::format("the .wbwt file has version {}, but this program reads only version {}",
                             number_at(header, 8, 4), version));
  if (number_at(header, 56, 8) != checksum(std::string_view(header).substr(0, 56)))
    fail(source, "damaged: the header of the .wbwt file does not match its checksum");
  const std::uint64_t form = number_at(header, 12, 4);
  if (form > 1 || number_at(header, 48, 8) != 0) fail(source, "the .wbwt file has an unknown form");
  return {static_cast<bwt_file::form_type>(form), number_at(header, 16, 8), number_at(header, 24, 8),
          number_at(header, 32, 8), number_at(header, 40, 8)};
}

// Throws parse_error if the transformed bytes do not have the checksum of the header, or if the file does not
// end after them.
void check_end(byte_source& source, const bwt_file_summary& header, std::uint64_t sum) {
  if (sum != header.bytes_checksum)
    fail(source, "damaged: the transformed bytes do not match their "
                 "checksum");
  std::array<char, 1> more;
  if (source.read(more) != 0) fail(source, "there is extra data after the end of the .wbwt file");
}

// Reads `size` bytes. The header's size is only a claim, so memory is taken as the bytes come. Throws
// parse_error if there are fewer.
std::string read_bytes(byte_source& source, std::uint64_t size) {
  std::string bytes;
  const std::uint64_t got = append_bytes(source, bytes, size);
  if (got < size) fail_truncated(source, got, size);
  return bytes;
}

} // namespace

std::string bwt_file_header(const bwt_file_summary& content) {
  std::string header(bwt_magic);
  append_number(header, version, 4);
  append_number(header, static_cast<std::uint64_t>(content.form), 4);
  append_number(header, content.size, 8);
  append_number(header, content.primary_index, 8);
  append_number(header, content.text_checksum, 8);
  append_number(header, content.bytes_checksum, 8);
  append_number(header, 0, 8);
  append_number(header, checksum(header), 8);
  return header;
}

void write_bwt_file(output_file& out, const bwt_file& content) {
  out.write(bwt_file_header({content.form, content.bytes.size(), content.primary_index, content.text_checksum,
                             checksum(content.bytes)}));
  out.write(content.bytes);
}

bwt_file read_bwt_file(byte_source& source, std::uint64_t limit) {
  const bwt_file_summary header = read_header(source);
  if (limit != 0 && header.size > limit)
    throw memory_error(fmt::format("{}: the transform needs {} of memory, but only {} is allowed",
                                   source.name(), format_size(header.size), format_size(limit)));
  bwt_file result{header.form, header.primary_index, header.text_checksum, read_bytes(source, header.size)};
  check_end(source, header, checksum(result.bytes));
  return result;
}

bwt_file_summary check_bwt_file(byte_source& source) {
  const bwt_file_summary header = read_header(source);
  std::string buffer(std::size_t{1} << 18, '\0');
  running_checksum sum;
  for (std::uint64_t left = header.size; left > 0;) {
    const std::size_t got = source.read({buffer.data(), std::min<std::uint64_t>(left, buffer.size())});
    if (got == 0) fail_truncated(source, header.size - left, header.size);
    sum.add({buffer.data(), got});
    left -= got;
  }
  check_end(source, header, sum.value());
  return header;
}

} // namespace weft::io
