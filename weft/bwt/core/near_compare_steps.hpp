// Comparing a strand of a pattern with the records of an FM-index where one of its letters lies at a text
// position. The plain version:
//     begin = where the first letter of the strand then lies in the record
//     if the strand would reach beyond the record: none
//     mismatches = the letters of the strand that do not match the record's letter there; a letter of a
//                  record that is no base matches nothing
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/fm_parts.hpp>
#include <weft/bwt/core/near_steps.hpp>

namespace weft::bwt_detail {

// The letters of a strand: 32 a word, and how many of them must match at its begin and at its end.
struct near_letters {
  const near_word* words;
  std::uint64_t size, exact_prefix, exact_suffix;

  // Returns the bases that a letter matches, as bits.
  [[nodiscard]] WEFT_HOST_DEVICE unsigned set(std::uint64_t letter) const {
    const near_word& word = words[letter / 32];
    const std::uint64_t shift = 2 * (letter % 32);
    unsigned bases = 0;
    for (unsigned base = 0; base < 4; ++base)
      bases |= static_cast<unsigned>(word.contains[base] >> shift & 1) << base;
    return bases;
  }
  [[nodiscard]] WEFT_HOST_DEVICE bool is_exact(std::uint64_t letter) const {
    return letter < exact_prefix || letter >= size - exact_suffix;
  }
};

// Returns the number of letters of a segment of the text.
[[nodiscard]] WEFT_HOST_DEVICE inline std::uint64_t segment_size(const fm_parts& index,
                                                                 std::uint64_t segment) {
  const std::uint64_t next =
      segment + 1 < index.segments.size() ? index.segments[segment + 1].start : index.num_rows;
  return next - 1 - index.segments[segment].start;
}

// A record_letters reads the letters of a record. It is fast if each position is near the one before.
class record_letters {
public:
  // `segment` is any segment of the record.
  WEFT_HOST_DEVICE record_letters(const fm_parts& index, std::uint64_t segment)
      : index_(index), record_(index.segments[segment].record) {
    select(segment);
  }
  // Returns the base at a position of the record, 0 .. 3, or 4 if the letter is no base.
  [[nodiscard]] WEFT_HOST_DEVICE unsigned base(std::uint64_t at) {
    while (at < begin_ && segment_ > 0 && index_.segments[segment_ - 1].record == record_)
      select(segment_ - 1);
    while (at >= end_ && segment_ + 1 < index_.segments.size() &&
           index_.segments[segment_ + 1].record == record_ && index_.segments[segment_ + 1].begin <= at)
      select(segment_ + 1);
    if (at < begin_ || at >= end_) return 4;
    const std::uint64_t position = start_ + (at - begin_);
    return static_cast<unsigned>(index_.packed_text[position / 32] >> (2 * (position % 32)) & 3);
  }

private:
  WEFT_HOST_DEVICE void select(std::uint64_t segment) {
    segment_ = segment;
    start_ = index_.segments[segment].start;
    begin_ = index_.segments[segment].begin;
    end_ = begin_ + segment_size(index_, segment);
  }

  const fm_parts& index_;
  std::uint64_t record_, segment_ = 0, start_ = 0, begin_ = 0, end_ = 0;
};

// A strand_position says where a strand lies if one of its letters lies at a given position of the text.
struct strand_position {
  std::uint64_t segment, record, begin; // the segment of the position; the begin of the strand in the record
  bool in_record, in_segment; // whether the whole strand is within the record, and within the segment
};

// Returns where a strand of `size` letters lies if its letter `offset` lies at `position`. Record r has the
// symbols [record_offsets[r], record_offsets[r + 1]) of all records end to end.
[[nodiscard]] WEFT_HOST_DEVICE inline strand_position
locate_strand(const fm_parts& index, const std::uint64_t* record_offsets, std::uint64_t size,
              std::uint64_t position, std::uint64_t offset) {
  const fm_segment& segment = index.segment_of(position);
  const auto number = static_cast<std::uint64_t>(&segment - index.segments.begin());
  const std::uint64_t in_segment = position - segment.start, in_record = segment.begin + in_segment;
  const std::uint64_t length = record_offsets[segment.record + 1] - record_offsets[segment.record];
  return {number, segment.record, in_record - offset,
          in_record >= offset && in_record - offset + size <= length,
          in_segment >= offset && in_segment - offset + size <= segment_size(index, number)};
}

// Compares a strand that is located at `at`, within a record. `position` and `offset` are those that it was
// located by.
template <unsigned Capacity>
[[nodiscard]] WEFT_HOST_DEVICE near_mismatches<Capacity>
compare_located(const fm_parts& index, const near_letters& strand, const strand_position& at,
                std::uint64_t position, std::uint64_t offset, unsigned limit) {
  if (at.in_segment)
    return compare_near<Capacity>(index, strand.words, strand.size, position - offset, limit);
  near_mismatches<Capacity> found;
  record_letters text(index, at.segment);
  for (std::uint64_t i = 0; i < strand.size; ++i) {
    const unsigned base = text.base(at.begin + i);
    if ((base == 4 || (strand.set(i) >> base & 1) == 0) && !found.add(i, limit)) break;
  }
  return found;
}

// Returns whether a strand with these mismatches has at most `limit` of them, and none in an exact letter.
template <unsigned Capacity>
[[nodiscard]] WEFT_HOST_DEVICE bool is_near(const near_letters& strand,
                                            const near_mismatches<Capacity>& found, unsigned limit) {
  return found.count <= limit && !found.any_in(0, strand.exact_prefix) &&
         !found.any_in(strand.size - strand.exact_suffix, strand.size);
}

} // namespace weft::bwt_detail
