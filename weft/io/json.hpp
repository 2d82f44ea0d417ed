// Writes JSON text (RFC 8259).
//
//   weft::io::json_string("5' \"UTR\"\n");          // == R"("5' \"UTR\"\n")"
#pragma once

#include <string>
#include <string_view>

namespace weft::io {

// Returns `text` as a JSON string, with its quotes. Control characters are escaped, and bytes that are not
// valid UTF-8 become U+FFFD. O(text): the result has at most six bytes for each byte of `text`, and the
// quotes. Throws nothing but bad_alloc.
[[nodiscard]] std::string json_string(std::string_view text);

} // namespace weft::io
