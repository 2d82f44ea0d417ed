#include <weft/bwt/cpu/fm_sections.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/near_context.hpp>
#include <xxhash.h>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t alignment = 64;
std::uint64_t aligned(std::uint64_t size) { return (size + alignment - 1) / alignment * alignment; }

constexpr std::uint64_t min_bytes_for_threads = std::uint64_t{1} << 22; // in bytes

[[noreturn]] void fail(const std::string& what) { throw error(errc::invalid_input, what); }

} // namespace

section_offsets::section_offsets(const section_sizes& sizes) : end(aligned(sizeof(fm_header))) {
  for (std::size_t s = 0; s < num_fm_sections; ++s) {
    begin[s] = end;
    end += aligned(sizes[s]);
  }
}

void seal_header(fm_header& header, bool with_contexts) {
  header.magic = fm_magic;
  header.version = with_contexts ? fm_version_with_contexts : fm_version;
  header.checksum = XXH3_64bits(&header, offsetof(fm_header, checksum));
}

fm_writer::fm_writer(const section_sizes& sizes, std::uint64_t num_contexts)
    : sizes_(sizes), offsets_(section_offsets(sizes).begin), size_(section_offsets(sizes).end),
      num_contexts_(num_contexts) {
  const std::uint64_t capacity = size_ + bytes_of_contexts(num_contexts);
  bytes_ = {static_cast<char*>(::operator new (capacity, std::align_val_t{alignment})),
            [](char* p) { ::operator delete (p, std::align_val_t{alignment}); }};
  prefer_large_pages(bytes_.get(), capacity);
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
  header.contexts_checksum = 0;
  seal_header(header, false);
  std::memcpy(bytes_.get(), &header, sizeof header);
  return {bytes_, {bytes_.get(), size_}};
}

std::uint64_t checksum_of_contexts(std::span<const char> contexts, int threads) {
  constexpr std::uint64_t piece = context_piece;
  std::vector<std::uint64_t> sums((contexts.size() + piece - 1) / piece);
  parallel_for(0, sums.size(), 1, threads, [&](std::uint64_t i, std::uint64_t) {
    sums[i] = XXH3_64bits(contexts.data() + i * piece, std::min(piece, contexts.size() - i * piece));
  });
  return XXH3_64bits(sums.data(), sums.size() * sizeof(std::uint64_t));
}

fm_writer::block fm_writer::finish_contexts(int threads) const {
  const std::uint64_t size = num_contexts_ * sizeof(std::uint64_t);
  std::memset(bytes_.get() + size_ + size, 0, bytes_of_contexts(num_contexts_) - size);
  fm_header header{};
  std::memcpy(&header, bytes_.get(), sizeof header);
  header.contexts_checksum = checksum_of_contexts({bytes_.get() + size_, size}, threads);
  seal_header(header, true);
  std::memcpy(bytes_.get(), &header, sizeof header);
  return {bytes_, {bytes_.get(), size_ + bytes_of_contexts(num_contexts_)}};
}

namespace {

// Checks the contexts of an index, which begin at `begin`. Returns the end of their padding.
std::uint64_t check_contexts(std::span<const char> bytes, const fm_header& header, std::uint64_t begin) {
  if (header.num_rows > bytes.size() || begin + bytes_of_contexts(header.num_rows) > bytes.size())
    fail("truncated index: the contexts are missing");
  const std::uint64_t size = header.num_rows * sizeof(std::uint64_t),
                      end = bytes_of_contexts(header.num_rows);
  for (std::uint64_t i = size; i < end; ++i)
    if (bytes[begin + i] != 0) fail("damaged index: padding is not zero");
  if (header.contexts_checksum != checksum_of_contexts(bytes.subspan(begin, size), 0))
    fail("damaged index: the contexts do not match their checksum");
  return begin + end;
}

} // namespace

fm_header checked_header(std::span<const char> bytes) {
  if constexpr (std::endian::native != std::endian::little)
    throw unavailable_error("indexes can be read only on little-endian machines");
  fm_header header{};
  if (bytes.size() < fm_magic.size() || std::memcmp(bytes.data(), fm_magic.data(), fm_magic.size()) != 0)
    fail("the file is not an index made by weft");
  if (bytes.size() < sizeof header) fail("truncated index: it ends within the header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != fm_version && header.version != fm_version_with_contexts)
    fail(fmt::format("the index has version {}, but this program reads only versions {} and {}",
                     header.version, fm_version, fm_version_with_contexts));
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
  if (has_contexts(header)) end = check_contexts(bytes, header, end);
  if (end != bytes.size()) fail("there is extra data after the end of the index");
  return header;
}

} // namespace weft::bwt_detail
