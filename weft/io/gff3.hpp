// Encodes text for the columns of GFF3.
//
//   std::string line;
//   weft::io::append_gff3_id(line, "chr 1");
//   line;                                           // == "chr%201"
#pragma once

#include <string>
#include <string_view>

namespace weft::io {

// Appends a name as the first column of GFF3: every byte that the specification does not allow there becomes
// %HH. An empty name becomes ".". O(text).
void append_gff3_id(std::string& out, std::string_view name);

// Appends a value of the last column: '%', ';', '=', '&', ',' and control characters become %HH. O(text).
void append_gff3_value(std::string& out, std::string_view value);

} // namespace weft::io
