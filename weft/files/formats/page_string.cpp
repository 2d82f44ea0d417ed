#include <weft/files/formats/page_string.hpp>

#include <weft/io/json.hpp>

namespace weft::files {

std::string page_string(std::string_view text) {
  std::string result = io::json_string(text);
  for (std::size_t at = 0; (at = result.find('<', at)) != std::string::npos;)
    result.replace(at, 1, "\\u003c");
  return result;
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

} // namespace weft::files
