#include <weft/io/json.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <weft/io/escape.hpp>

namespace weft::io {

std::string json_string(std::string_view text) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  std::string result = "\"";
  for (;;) {
    const auto run =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), plain) - text.begin());
    result += text.substr(0, run);
    text.remove_prefix(run);
    if (text.empty()) break;
    const std::size_t size = utf8_size(text);
    const char c = text.front();
    if (size == 0)
      result += "\xef\xbf\xbd";
    else if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (c == '\n')
      result += "\\n";
    else if (c == '\t')
      result += "\\t";
    // The last byte of U+0080 to U+009F in UTF-8 is the number of the character.
    else if (control_size(text) > 0)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(text[size - 1])));
    else
      result += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  result += '"';
  return result;
}

} // namespace weft::io
