// Recognises UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string_view>

namespace weft::io {

// Returns the size in bytes of the valid UTF-8 sequence that starts `text`, or 0 if there is none.
[[nodiscard]] std::size_t utf8_size(std::string_view text);

} // namespace weft::io
