// Rows of suffixes of texts in parts, and the bytes of the parts' transforms.
//
// Suffixes come in the order of the parts, and each part has as many rows as symbols: row r is of the part
// that position r is in. Two passes over a block of rows: the first finds the rows of some suffixes, the
// second writes bytes. A row that is not known yet is in a later block: it counts as greater than all.
#pragma once

#include <cstdint>
#include <weft/base/host_device.hpp>
#include <weft/bwt/core/part_text.hpp>

namespace weft::bwt_core {

// Part p is [begins[p], begins[p + 1]), of one symbol or more.
struct part_places {
  part_marks marks;
  const std::uint64_t* begins;
};

// The suffix that is all of a part: rows[part] becomes its row. Whether it is.
WEFT_HOST_DEVICE inline bool note_whole_part(const part_marks& parts, std::uint64_t suffix, std::uint64_t row,
                                             std::uint64_t* rows) {
  const part_block block = parts.blocks[suffix / 64];
  const bool whole = (block.begins >> (suffix % 64) & 1) != 0;
  if (whole) rows[part_marks::number(block, suffix)] = row;
  return whole;
}

// Sentinel forms of the parts one behind the other: the last byte of a part stands first, and bytes before
// suffixes follow, but for that before the whole part, whose row is rows[part].
WEFT_HOST_DEVICE inline void write_sentinel_row(const unsigned char* text, const part_places& parts,
                                                const std::uint64_t* rows, std::uint64_t row,
                                                unsigned char before, unsigned char* bwt) {
  const std::uint32_t part = parts.marks.number(row);
  const std::uint64_t without = rows[part];
  if (row == without)
    bwt[parts.begins[part]] = text[parts.begins[part + 1] - 1];
  else
    bwt[row < without ? row + 1 : row] = before;
}

// How a part of a text became the least rotation of its root.
struct part_rotation {
  std::uint64_t begin, start, period; // of the part in the text; of the rotation in the root; of the root
};
// Where symbol i of the rotated roots, one behind the other, stands in the text.
WEFT_HOST_DEVICE inline std::uint64_t place_in_text(const part_places& roots, const part_rotation* rotations,
                                                    std::uint64_t i) {
  const std::uint32_t root = roots.marks.number(i);
  const part_rotation from = rotations[root];
  const std::uint64_t at = i - roots.begins[root] + from.start;
  return from.begin + (at < from.period ? at : at - from.period);
}
// Byte i of the rotation forms of the parts, if it is of rows [first_row, first_row + count) of the roots:
// the byte before the row's suffix, as often as the root stands in its part. rows[part]: that of all of the
// root, before which its last byte stands.
WEFT_HOST_DEVICE inline void write_rotation_byte(const unsigned char* rotated, const unsigned char* before,
                                                 std::uint64_t first_row, std::uint64_t count,
                                                 const part_places& roots, const std::uint64_t* rows,
                                                 const part_places& parts, std::uint64_t i,
                                                 unsigned char* bwt) {
  const std::uint32_t part = parts.marks.number(i);
  const std::uint64_t begin = parts.begins[part], root = roots.begins[part],
                      root_end = roots.begins[part + 1],
                      times = (parts.begins[part + 1] - begin) / (root_end - root),
                      row = root + (i - begin) / times;
  if (row >= first_row && row < first_row + count)
    bwt[i] = row == rows[part] ? rotated[root_end - 1] : before[row - first_row];
}

} // namespace weft::bwt_core
