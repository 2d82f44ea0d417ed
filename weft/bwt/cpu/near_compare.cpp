#include <algorithm>
#include <span>
#include <weft/bwt/cpu/near_search.hpp>

namespace weft::bwt_detail {

namespace {

// Returns the index of the last segment of the record that begins at or before `begin`, or of the record's
// first segment if none does. `segment` is that segment or a later one of the record.
std::uint64_t segment_at(const fm_index::view& index, std::uint64_t segment, std::uint64_t record,
                         std::uint64_t begin) {
  while (segment > 0 && index.segments[segment - 1].record == record && index.segments[segment].begin > begin)
    --segment;
  return segment;
}

// Compares a strand with letters [begin, begin + size) of a record, letter by letter, since they are not
// within one segment. `segment` is one of the record.
near_mismatches<max_near_distance> compare_over_segments(const fm_index::view& index,
                                                         const near_strand& strand, std::uint64_t segment,
                                                         std::uint64_t begin, unsigned max_distance) {
  near_mismatches<max_near_distance> found;
  segment = segment_at(index, segment, index.segments[segment].record, begin);
  const std::uint64_t record = index.segments[segment].record;
  for (std::uint64_t i = 0; i < strand.size; ++i) {
    const std::uint64_t at = begin + i;
    while (segment + 1 < index.segments.size() && index.segments[segment + 1].record == record &&
           index.segments[segment + 1].begin <= at)
      ++segment;
    const fm_segment& part = index.segments[segment];
    unsigned set_of_text = 0; // no base
    if (at >= part.begin && at - part.begin < segment_size(index, segment)) {
      const std::uint64_t position = part.start + (at - part.begin);
      set_of_text = 1U << (index.packed_text[position / 32] >> (2 * (position % 32)) & 3);
    }
    if ((strand.sets[i] & set_of_text) == 0 && !found.add(i, max_distance)) break;
  }
  return found;
}

// A strand_position says where a strand lies in the text if one of its letters lies at a given position.
struct strand_position {
  std::uint64_t segment, record, begin; // the segment of the position; the begin of the strand in the record
  bool in_record, in_segment; // whether the whole strand is within the record, and within the segment
};

strand_position locate_strand(const fm_index::view& index, const near_strand& strand, std::uint64_t position,
                              std::uint64_t offset) {
  const fm_segment& segment = index.segment_of(position);
  const auto number = static_cast<std::uint64_t>(&segment - index.segments.begin());
  const std::uint64_t in_segment = position - segment.start, in_record = segment.begin + in_segment;
  const std::uint64_t length =
      index.record_offsets[segment.record + 1] - index.record_offsets[segment.record];
  return {number, segment.record, in_record - offset,
          in_record >= offset && in_record - offset + strand.size <= length,
          in_segment >= offset && in_segment - offset + strand.size <= segment_size(index, number)};
}

// Returns whether a strand with these mismatches is a hit, and sets the hit.
bool is_hit(const near_strand& strand, const strand_position& at, unsigned max_distance,
            const near_mismatches<max_near_distance>& found, near_hit& hit) {
  if (found.count > max_distance || found.any_in(0, strand.exact_prefix) ||
      found.any_in(strand.size - strand.exact_suffix, strand.size))
    return false;
  hit = {strand.pattern, at.record, at.begin, at.begin + strand.size, static_cast<std::uint8_t>(found.count),
         strand.reverse};
  return true;
}

} // namespace

bool compare_strand(const fm_index::view& index, const near_strand& strand, std::uint64_t position,
                    std::uint64_t offset, unsigned max_distance, near_hit& hit,
                    near_mismatches<max_near_distance>& found) {
  const strand_position at = locate_strand(index, strand, position, offset);
  if (!at.in_record) return false;
  if (at.in_segment)
    found =
        compare_near<max_near_distance>(index, strand.words, strand.size, position - offset, max_distance);
  else
    found = compare_over_segments(index, strand, at.segment, at.begin, max_distance);
  return is_hit(strand, at, max_distance, found, hit);
}

bool compare_within_segment(const fm_index::view& index, const near_strand& strand, std::uint64_t position,
                            std::uint64_t offset, unsigned max_distance, near_hit& hit,
                            near_mismatches<max_near_distance>& found) {
  const strand_position at = locate_strand(index, strand, position, offset);
  if (!at.in_segment) return false;
  found = compare_near<max_near_distance>(index, strand.words, strand.size, position - offset, max_distance);
  return is_hit(strand, at, max_distance, found, hit);
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
