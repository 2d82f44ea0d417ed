#include <algorithm>
#include <span>
#include <weft/bwt/cpu/near_search.hpp>

namespace weft::bwt_detail {

namespace {

near_letters letters_of(const near_strand& strand) {
  return {strand.words, strand.size, strand.exact_prefix, strand.exact_suffix};
}

strand_position locate(const fm_index::view& index, const near_strand& strand, std::uint64_t position,
                       std::uint64_t offset) {
  return locate_strand(index, index.record_offsets.data(), strand.size, position, offset);
}

// Compares a strand at its position. Returns whether it is a hit, and sets the hit.
bool compare_at(const fm_index::view& index, const near_strand& strand, const strand_position& at,
                std::uint64_t position, std::uint64_t offset, unsigned max_distance, near_hit& hit,
                near_mismatches<max_near_distance>& found) {
  found = compare_located<max_near_distance>(index, letters_of(strand), at, position, offset, max_distance);
  if (!is_near(letters_of(strand), found, max_distance)) return false;
  hit = {strand.pattern, at.record, at.begin, at.begin + strand.size, static_cast<std::uint8_t>(found.count),
         strand.reverse};
  return true;
}

} // namespace

bool compare_strand(const fm_index::view& index, const near_strand& strand, std::uint64_t position,
                    std::uint64_t offset, unsigned max_distance, near_hit& hit,
                    near_mismatches<max_near_distance>& found) {
  const strand_position at = locate(index, strand, position, offset);
  return at.in_record && compare_at(index, strand, at, position, offset, max_distance, hit, found);
}

bool compare_within_segment(const fm_index::view& index, const near_strand& strand, std::uint64_t position,
                            std::uint64_t offset, unsigned max_distance, near_hit& hit,
                            near_mismatches<max_near_distance>& found) {
  const strand_position at = locate(index, strand, position, offset);
  return at.in_segment && compare_at(index, strand, at, position, offset, max_distance, hit, found);
}

void append_scanned_hit(const fm_index::view& index, const near_strand& strand, std::uint64_t symbol,
                        unsigned mismatches, std::vector<near_hit>& hits) {
  const std::span<const std::uint64_t> records = index.record_offsets;
  const auto after = std::upper_bound(records.begin(), records.end(), symbol);
  if (after == records.end() || symbol + strand.size > *after) return;
  hits.push_back({strand.pattern, static_cast<std::uint64_t>(after - records.begin()) - 1, symbol - after[-1],
                  symbol - after[-1] + strand.size, static_cast<std::uint8_t>(mismatches), strand.reverse});
}

} // namespace weft::bwt_detail
