#include <weft/bwt/cpu/fm_sections.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <weft/base/error.hpp>
#include <xxhash.h>

namespace weft::detail {

namespace {

constexpr std::uint64_t alignment = 64;
std::uint64_t aligned(std::uint64_t size) { return (size + alignment - 1) / alignment * alignment; }

[[noreturn]] void fail(const std::string& what) { throw error(errc::invalid_input, what); }

} // namespace

fm_writer::block fm_writer::finish(fm_header header) {
  std::uint64_t size = aligned(sizeof(fm_header));
  for (std::size_t s = 0; s < num_fm_sections; ++s) {
    header.offsets[s] = size;
    header.sizes[s] = sections_[s].bytes.size();
    header.checksums[s] = XXH3_64bits(sections_[s].bytes.data(), sections_[s].bytes.size());
    size += aligned(sections_[s].bytes.size());
  }
  header.magic = fm_magic;
  header.version = fm_version;
  header.reserved = 0;
  header.checksum = XXH3_64bits(&header, offsetof(fm_header, checksum));
  std::shared_ptr<char> bytes(static_cast<char*>(::operator new (size, std::align_val_t{alignment})),
                              [](char* p) { ::operator delete (p, std::align_val_t{alignment}); });
  std::memset(bytes.get(), 0, aligned(sizeof(fm_header)));
  std::memcpy(bytes.get(), &header, sizeof header);
  for (std::size_t s = 0; s < num_fm_sections; ++s) {
    const std::uint64_t n = sections_[s].bytes.size();
    if (n > 0) std::memcpy(bytes.get() + header.offsets[s], sections_[s].bytes.data(), n);
    std::memset(bytes.get() + header.offsets[s] + n, 0, aligned(n) - n);
    sections_[s] = {};
  }
  return {bytes, {bytes.get(), size}};
}

fm_header checked_header(std::span<const char> bytes) {
  if constexpr (std::endian::native != std::endian::little)
    throw unavailable_error("indexes are read on little-endian machines only");
  fm_header header{};
  if (bytes.size() < fm_magic.size() || std::memcmp(bytes.data(), fm_magic.data(), fm_magic.size()) != 0)
    fail("not an index of weft");
  if (bytes.size() < sizeof header) fail("a truncated index: it ends within the header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != fm_version)
    fail(fmt::format("an index of version {}; this program reads version {}", header.version, fm_version));
  if (header.checksum != XXH3_64bits(&header, offsetof(fm_header, checksum)))
    fail("a damaged index: bad header");
  std::uint64_t end = aligned(sizeof header);
  for (std::size_t s = 0; s < num_fm_sections; ++s) {
    if (header.offsets[s] != end || header.sizes[s] > bytes.size() ||
        end + aligned(header.sizes[s]) > bytes.size())
      fail("a truncated index: a section is not there");
    if (header.checksums[s] != XXH3_64bits(bytes.data() + end, header.sizes[s]))
      fail(fmt::format("a damaged index: section {} does not fit its checksum", s));
    for (std::uint64_t i = header.sizes[s]; i < aligned(header.sizes[s]); ++i)
      if (bytes[end + i] != 0) fail("a damaged index: padding is not zero");
    end += aligned(header.sizes[s]);
  }
  for (std::uint64_t i = sizeof header; i < aligned(sizeof header); ++i)
    if (bytes[i] != 0) fail("a damaged index: padding is not zero");
  if (end != bytes.size()) fail("something stands behind the end of the index");
  return header;
}

} // namespace weft::detail
