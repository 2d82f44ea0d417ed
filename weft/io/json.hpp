// JSON text (RFC 8259).
#pragma once

#include <string>
#include <string_view>

namespace weft::io {

// `text` as a JSON string, with its quotes. Bytes that are not valid UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

} // namespace weft::io
