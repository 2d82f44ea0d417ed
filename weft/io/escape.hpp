// Escapes text from a file, such as a name, for a line of columns, for a terminal and for GFF3; and
// recognises UTF-8.
//
//   std::string line;
//   weft::io::append_escaped(line, "chr1\t\x1b[2J");   // line == R"(chr1\t\x1b[2J)"
//   line += '\t';                                      // the only tab of the line
//
// In the escaped form, a tab, a carriage return and a newline become \t, \r and \n, a backslash becomes \\,
// and every other control character (0 to 31, 127, and U+0080 to U+009F, as UTF-8 or as single bytes) becomes
// \xHH for each of its bytes, with lower-case digits. All other bytes stay, so UTF-8 stays readable.
// Different texts have different escaped texts, and undoing the escapes gives the text again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::io {

// Appends `text`, escaped. O(text). A text in which nothing has to be escaped is appended at once.
void append_escaped(std::string& out, std::string_view text);

// Returns `text`, escaped.
[[nodiscard]] std::string escaped(std::string_view text);

// Appends a sequence name as the first column of BED. Readers of BED take lines that begin with '#', "track",
// "browser" or "visibility" for headers and skip them, so the first byte of such a name becomes \xHH, too. An
// empty name becomes ".".
void append_bed_name(std::string& out, std::string_view name);

// Returns the number of bytes of the control character that starts `text`, 0 if another character does.
[[nodiscard]] std::size_t control_size(std::string_view text);

// Returns `text` as a message for a terminal: control characters other than newlines are escaped, and
// backslashes stay as they are.
[[nodiscard]] std::string printable(std::string_view text);

// Appends a name as the first column of GFF3: every byte that the specification does not allow there becomes
// %HH, so "chr 1" becomes "chr%201". An empty name becomes ".". O(text).
void append_gff3_id(std::string& out, std::string_view name);

// Appends a value of the last column of GFF3: '%', ';', '=', '&', ',' and control characters become %HH.
// O(text).
void append_gff3_value(std::string& out, std::string_view value);

// Returns the size in bytes of the valid UTF-8 sequence (RFC 3629) that starts `text`, or 0 if there is none.
[[nodiscard]] std::size_t utf8_size(std::string_view text);

} // namespace weft::io
