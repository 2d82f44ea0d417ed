#pragma once

#include <string>
#include <string_view>

namespace weft::cli {

// As io::json_string(), and also harmless inside a script element: no '<'.
[[nodiscard]] std::string page_string(std::string_view text);

} // namespace weft::cli
