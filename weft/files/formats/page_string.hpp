#pragma once

#include <string>
#include <string_view>

namespace weft::files {

// Returns a JSON string like io::json_string(), but without '<', so that it cannot end a script element.
[[nodiscard]] std::string page_string(std::string_view text);

// Returns `text` as the content of an XML element: &, < and > are written as entities.
[[nodiscard]] std::string xml_escaped(std::string_view text);

} // namespace weft::files
