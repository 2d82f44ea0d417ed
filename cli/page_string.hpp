#pragma once

#include <string>
#include <string_view>

namespace weft::cli {

// As io::json_string(), and also harmless inside a script element: no '<'.
[[nodiscard]] std::string page_string(std::string_view text);

// Returns `text` as the content of an XML element: &, < and > are written as entities.
[[nodiscard]] std::string xml_escaped(std::string_view text);

} // namespace weft::cli
