// Recomputes the checksums of an index's header, sections and contexts after a change. The bytes need not be
// a valid index.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <weft/bwt/core/near_context.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/io/checksum.hpp>

namespace weft::test {

inline void put_sums_right(std::span<char> bytes) {
  bwt_detail::fm_header header{};
  if (bytes.size() < sizeof header) return;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (std::size_t s = 0; s < bwt_detail::num_fm_sections; ++s)
    if (header.offsets[s] <= bytes.size() && header.sizes[s] <= bytes.size() - header.offsets[s])
      header.checksums[s] = io::checksum({bytes.data() + header.offsets[s], header.sizes[s]});
  const std::uint64_t size = header.num_rows * 8, padded = bwt_detail::bytes_of_contexts(header.num_rows);
  if (bwt_detail::has_contexts(header) && header.num_rows <= bytes.size() && padded <= bytes.size())
    header.contexts_checksum =
        bwt_detail::checksum_of_contexts(bytes.subspan(bytes.size() - padded, size), 1);
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = io::checksum({bytes.data(), offsetof(bwt_detail::fm_header, checksum)});
  std::memcpy(bytes.data(), &header, sizeof header);
}

} // namespace weft::test
