#include <weft/bwt/entry/argument_checks.hpp>

#include <fmt/format.h>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>

namespace weft::bwt_detail {

bool fits_memory(std::uint64_t bytes, std::uint64_t requested) {
  // For smaller sizes, asking the system for its free memory takes longer than the work.
  constexpr std::uint64_t unchecked_bytes = std::uint64_t{1} << 20;
  return (requested == 0 && bytes < unchecked_bytes) || bytes <= memory_limit(requested);
}

void require_memory(std::uint64_t bytes, std::uint64_t requested, std::string_view what) {
  if (!fits_memory(bytes, requested))
    throw memory_error(fmt::format("{} needs {} of memory, but only {} is allowed", what, format_size(bytes),
                                   format_size(memory_limit(requested))));
}

sequences_view checked_batch(const sequences_view& batch, std::string_view function) {
  static constexpr std::uint64_t no_offsets[] = {0};
  check_sequences(batch, function);
  return {batch.data, batch.offsets.empty() ? std::span(no_offsets) : batch.offsets, batch.names};
}

void check_primary_index(std::uint64_t n, std::uint64_t primary_index, bwt_form form) {
  const std::uint64_t min_index = form == bwt_form::sentinel && n > 0 ? 1 : 0;
  if (primary_index < min_index || (primary_index >= n + min_index && !(n == 0 && primary_index == 0)))
    throw error(errc::invalid_input,
                fmt::format("primary index {} is out of range: {} to {} for {} bytes", primary_index,
                            min_index, n + min_index - (n > 0 ? 1 : 0), n));
}

void refuse_transform() {
  throw error(errc::invalid_input,
              "these bytes and this primary index are not the Burrows-Wheeler transform of any "
              "text");
}

void refuse_damaged_index() {
  throw error(errc::invalid_input, "the index is damaged (a row leads to no position): build it again");
}

} // namespace weft::bwt_detail
