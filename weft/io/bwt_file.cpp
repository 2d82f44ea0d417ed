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

constexpr std::string_view magic = "\x89WBWT\r\n\x1a";
constexpr std::uint64_t header_size = 64, version = 1;

void put(std::string& header, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) header += static_cast<char>(value >> (8 * i) & 255);
}

std::uint64_t get(std::string_view header, std::size_t at, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(header[at + static_cast<std::size_t>(i)]);
  return value;
}

// A header's size is a claim: memory is taken as the bytes come.
std::string read_bytes(byte_source& source, std::uint64_t size) {
  constexpr std::uint64_t step = std::uint64_t{1} << 26;
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t had = bytes.size();
    bytes.resize(std::min(size, had + std::max<std::uint64_t>(step, had)));
    const std::size_t got = source.read({bytes.data() + had, bytes.size() - had});
    if (had + got < bytes.size())
      throw parse_error(source.name(), 0, 0,
                        fmt::format("truncated: {} of {} transformed bytes are there", had + got, size));
  }
  return bytes;
}

} // namespace

void write_bwt_file(output_file& out, const bwt_file& content) {
  std::string header(magic);
  put(header, version, 4);
  put(header, static_cast<std::uint64_t>(content.form), 4);
  put(header, content.bytes.size(), 8);
  put(header, content.primary_index, 8);
  put(header, content.text_checksum, 8);
  put(header, checksum(content.bytes), 8);
  put(header, 0, 8);
  put(header, checksum(header), 8);
  out.write(header);
  out.write(content.bytes);
}

bwt_file read_bwt_file(byte_source& source, std::uint64_t limit) {
  const auto fail = [&](const std::string& what) { throw parse_error(source.name(), 0, 0, what); };
  std::string header(header_size, '\0');
  const std::size_t size = source.read(header);
  if (std::string_view(header).substr(0, std::min(size, magic.size())) != magic)
    fail("not a .wbwt file (for bytes that weft bwt --raw wrote, give --raw and --primary-index)");
  if (size < header_size) fail("truncated within the header of the .wbwt file");
  if (get(header, 8, 4) != version)
    fail(
        fmt::format("a .wbwt file of version {}; this program reads version {}", get(header, 8, 4), version));
  if (get(header, 56, 8) != checksum(std::string_view(header).substr(0, 56)))
    fail("damaged header of the .wbwt file");
  const std::uint64_t form = get(header, 12, 4), n = get(header, 16, 8);
  if (form > 1 || get(header, 48, 8) != 0) fail("a .wbwt file of an unknown form");
  if (limit != 0 && n > limit)
    throw memory_error(fmt::format("{}: holds {}, and no more than {} may be taken", source.name(),
                                   format_size(n), format_size(limit)));
  bwt_file result{static_cast<bwt_file::form_type>(form), get(header, 24, 8), get(header, 32, 8),
                  read_bytes(source, n)};
  if (checksum(result.bytes) != get(header, 40, 8))
    fail("damaged: the transformed bytes do not fit their checksum");
  std::array<char, 1> more;
  if (source.read(more) != 0) fail("something stands behind the end of the .wbwt file");
  return result;
}

} // namespace weft::io
