// Rows of the suffixes of a text that consists of parts, and the bytes of the parts' transforms.
//
// Suffixes are sorted by part first, and each part has as many rows as symbols: row r belongs to the part
// that contains position r. Each block of rows is passed over twice: the first pass finds the rows of certain
// suffixes, the second one writes bytes. A row that is not yet known is in a later block, and so counts as
// greater than all rows of this block.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/part_text.hpp>

namespace weft::bwt_detail {

// The parts of a text. Part p is [begins[p], begins[p + 1]) and has at least one symbol.
struct part_layout {
  part_marks marks;
  const std::uint64_t* begins;
};

// Sets rows[part] to `row` if the suffix is a whole part. Returns whether it is.
WEFT_HOST_DEVICE inline bool note_whole_part(const part_marks& parts, std::uint64_t suffix, std::uint64_t row,
                                             std::uint64_t* rows) {
  const part_block block = parts.blocks[suffix / 64];
  const bool whole = (block.begins >> (suffix % 64) & 1) != 0;
  if (whole) rows[part_marks::number(block, suffix)] = row;
  return whole;
}

// Writes one byte of the sentinel forms of the parts, which are stored one after another. The last byte of a
// part comes first; then follow the bytes before its suffixes, except for the whole part, whose row is
// rows[part].
WEFT_HOST_DEVICE inline void write_sentinel_row(const unsigned char* text, const part_layout& parts,
                                                const std::uint64_t* rows, std::uint64_t row,
                                                unsigned char before, unsigned char* bwt) {
  const std::uint32_t part = parts.marks.number(row);
  const std::uint64_t without = rows[part];
  if (row == without)
    bwt[parts.begins[part]] = text[parts.begins[part + 1] - 1];
  else
    bwt[row < without ? row + 1 : row] = before;
}

// The rotation of a part to the least rotation of its shortest root: where the part begins in the text, where
// the rotation begins in the root, and the length of the root.
struct part_rotation {
  std::uint64_t begin, start, period;
};
// Returns the text position of symbol i of the rotated roots, which are stored one after another.
WEFT_HOST_DEVICE inline std::uint64_t position_in_text(const part_layout& roots,
                                                       const part_rotation* rotations, std::uint64_t i) {
  const std::uint32_t root = roots.marks.number(i);
  const part_rotation from = rotations[root];
  const std::uint64_t at = i - roots.begins[root] + from.start;
  return from.begin + (at < from.period ? at : at - from.period);
}
// Writes byte i of the rotation forms of the parts, if it belongs to rows [first_row, first_row + count) of
// the roots: the byte before the row's suffix, which is repeated as often as the root occurs in its part.
// rows[part] is the row of the whole root, which is preceded by the root's last byte.
WEFT_HOST_DEVICE inline void write_rotation_byte(const unsigned char* rotated, const unsigned char* before,
                                                 std::uint64_t first_row, std::uint64_t count,
                                                 const part_layout& roots, const std::uint64_t* rows,
                                                 const part_layout& parts, std::uint64_t i,
                                                 unsigned char* bwt) {
  const std::uint32_t part = parts.marks.number(i);
  const std::uint64_t begin = parts.begins[part], root = roots.begins[part],
                      root_end = roots.begins[part + 1],
                      times = (parts.begins[part + 1] - begin) / (root_end - root),
                      row = root + (i - begin) / times;
  if (row >= first_row && row < first_row + count)
    bwt[i] = row == rows[part] ? rotated[root_end - 1] : before[row - first_row];
}

} // namespace weft::bwt_detail
