// The errors of bwt that are the same on every device: for wrong arguments, for too little memory, for bytes
// that are not a transform, and for a damaged index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <weft/base/memory.hpp>
#include <weft/base/sequences.hpp>
#include <weft/bwt/bwt.hpp>

namespace weft::bwt_detail {

// Texts with fewer symbols have 32-bit indexes.
inline constexpr std::uint64_t index_32_limit = std::uint64_t{1} << 31;

// Throws std::invalid_argument if Index is too narrow for `symbols` symbols.
template <class Index> void check_index(std::uint64_t symbols) {
  if (sizeof(Index) == 4 && symbols >= index_32_limit)
    throw std::invalid_argument("texts of 2^31 symbols and more need 64-bit indexes");
}

// Returns whether `bytes` are within memory_limit(requested). If no limit was requested, less than a megabyte
// always is.
[[nodiscard]] bool fits_memory(std::uint64_t bytes, std::uint64_t requested);
// Throws memory_error, with both numbers, if `what` needs more bytes than that.
void require_memory(std::uint64_t bytes, std::uint64_t requested, std::string_view what);

using base_detail::require_device_memory;

// Returns the batch, whose offsets are never empty. Throws std::invalid_argument as check_sequences().
[[nodiscard]] sequences_view checked_batch(const sequences_view& batch, std::string_view function);

// Returns the number of symbols of the largest text [offsets[i], offsets[i + 1]).
[[nodiscard]] inline std::uint64_t largest_text_size(std::span<const std::uint64_t> offsets) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    largest = std::max(largest, offsets[i + 1] - offsets[i]);
  return largest;
}

// Throws error(invalid_input), with the valid range, if a transform of n bytes cannot have this primary
// index.
void check_primary_index(std::uint64_t n, std::uint64_t primary_index, bwt_form form);

// Throw error(invalid_input), which says that no text has this transform, and that an FM-index is damaged.
[[noreturn]] void refuse_transform();
[[noreturn]] void refuse_damaged_index();

} // namespace weft::bwt_detail
