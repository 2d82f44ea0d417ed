// Writes the differences between two texts in the format of diff -u, which patch reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <weft/io/output_file.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::files {

// A text and its name in the header of the differences.
struct unified_text {
  std::string name;
  std::string_view bytes;
};

// Writes the changes of `runs`, a path of matches, insertions and deletions between the lines of A and B, as
// hunks with `context` equal lines (taken from A) around the changes. Changes with at most 2 * `context`
// equal lines between them share a hunk. Writes nothing if there is no change. A line without a newline is
// followed by "\ No newline at end of file". Names that contain white space, quotes, backslashes, control
// characters or bytes from 128 on are quoted as by GNU diff. No time stamps are written, so that equal inputs
// give equal output.
void write_unified(io::output_file& out, const unified_text& a, const unified_text& b,
                   std::span<const edit_run> runs, std::uint64_t context);

// Returns the name as it is written in a header: in double quotes with escapes as in C if it needs any.
[[nodiscard]] std::string quoted_name(std::string_view name);

} // namespace weft::files
