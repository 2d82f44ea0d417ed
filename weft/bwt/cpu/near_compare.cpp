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

} // namespace

bool compare_strand(const fm_index::view& index, const near_strand& strand, std::uint64_t position,
                    std::uint64_t offset, unsigned max_distance, near_hit& hit,
                    near_mismatches<max_near_distance>& found) {
  const fm_segment& segment = index.segment_of(position);
  const auto number = static_cast<std::uint64_t>(&segment - index.segments.begin());
  const std::uint64_t in_segment = position - segment.start, in_record = segment.begin + in_segment;
  const std::uint64_t length =
      index.record_offsets[segment.record + 1] - index.record_offsets[segment.record];
  if (in_record < offset || in_record - offset + strand.size > length) return false;
  const std::uint64_t begin = in_record - offset;
  if (in_segment >= offset && in_segment - offset + strand.size <= segment_size(index, number))
    found =
        compare_near<max_near_distance>(index, strand.words, strand.size, position - offset, max_distance);
  else
    found = compare_over_segments(index, strand, number, begin, max_distance);
  if (found.count > max_distance || found.any_in(0, strand.exact_prefix) ||
      found.any_in(strand.size - strand.exact_suffix, strand.size))
    return false;
  hit = {strand.pattern, segment.record, begin, begin + strand.size, static_cast<std::uint8_t>(found.count),
         strand.reverse};
  return true;
}

} // namespace weft::bwt_detail
