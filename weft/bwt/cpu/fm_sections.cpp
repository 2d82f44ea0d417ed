#include <weft/bwt/cpu/fm_sections.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <xxhash.h>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t alignment = 64;
std::uint64_t aligned(std::uint64_t size) { return (size + alignment - 1) / alignment * alignment; }

constexpr std::uint64_t min_bytes_for_threads = std::uint64_t{1} << 22; // in bytes

[[noreturn]] void fail(const std::string& what) { throw error(errc::invalid_input, what); }

} // namespace

fm_writer::fm_writer(const section_sizes& sizes) : sizes_(sizes), size_(aligned(sizeof(fm_header))) {
  for (std::size_t s = 0; s < num_fm_sections; ++s) {
    offsets_[s] = size_;
    size_ += aligned(sizes[s]);
  }
  bytes_ = {static_cast<char*>(::operator new (size_, std::align_val_t{alignment})),
            [](char* p) { ::operator delete (p, std::align_val_t{alignment}); }};
  prefer_large_pages(bytes_.get(), size_);
  std::memset(bytes_.get(), 0, aligned(sizeof(fm_header)));
  for (std::size_t s = 0; s < num_fm_sections; ++s)
    std::memset(bytes_.get() + offsets_[s] + sizes[s], 0, aligned(sizes[s]) - sizes[s]);
}

fm_writer::block fm_writer::finish(fm_header header, int threads) const {
  parallel_for(0, num_fm_sections, 1, size_ < min_bytes_for_threads ? 1 : threads,
               [&](std::uint64_t s, std::uint64_t) {
                 header.offsets[s] = offsets_[s];
                 header.sizes[s] = sizes_[s];
                 header.checksums[s] = XXH3_64bits(bytes_.get() + offsets_[s], sizes_[s]);
               });
  header.magic = fm_magic;
  header.version = fm_version;
  header.reserved = 0;
  header.checksum = XXH3_64bits(&header, offsetof(fm_header, checksum));
  std::memcpy(bytes_.get(), &header, sizeof header);
  return {bytes_, {bytes_.get(), size_}};
}

fm_header checked_header(std::span<const char> bytes) {
  if constexpr (std::endian::native != std::endian::little)
    throw unavailable_error("indexes can be read only on little-endian machines");
  fm_header header{};
  if (bytes.size() < fm_magic.size() || std::memcmp(bytes.data(), fm_magic.data(), fm_magic.size()) != 0)
    fail("the file is not an index made by weft");
  if (bytes.size() < sizeof header) fail("truncated index: it ends within the header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != fm_version)
    fail(fmt::format("the index has version {}, but this program reads only version {}", header.version,
                     fm_version));
  if (header.checksum != XXH3_64bits(&header, offsetof(fm_header, checksum)))
    fail("damaged index: the header does not match its checksum");
  std::uint64_t end = aligned(sizeof header);
  for (std::size_t s = 0; s < num_fm_sections; ++s) {
    if (header.offsets[s] != end || header.sizes[s] > bytes.size() ||
        end + aligned(header.sizes[s]) > bytes.size())
      fail("truncated index: a section is missing");
    for (std::uint64_t i = header.sizes[s]; i < aligned(header.sizes[s]); ++i)
      if (bytes[end + i] != 0) fail("damaged index: padding is not zero");
    end += aligned(header.sizes[s]);
  }
  const int threads = bytes.size() < min_bytes_for_threads ? 1 : 0;
  parallel_for(0, num_fm_sections, 1, threads, [&](std::uint64_t s, std::uint64_t) {
    if (header.checksums[s] != XXH3_64bits(bytes.data() + header.offsets[s], header.sizes[s]))
      fail(fmt::format("damaged index: section {} does not match its checksum", s));
  });
  for (std::uint64_t i = sizeof header; i < aligned(sizeof header); ++i)
    if (bytes[i] != 0) fail("damaged index: padding is not zero");
  if (end != bytes.size()) fail("there is extra data after the end of the index");
  return header;
}

} // namespace weft::bwt_detail
