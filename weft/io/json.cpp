#include <weft/io/json.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace weft::io {

namespace {

// Bytes of the valid UTF-8 sequence that starts `text`, 0 if there is none.
std::size_t utf8_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80                     ? 1
                           : first >= 0xc2 && first <= 0xdf ? 2
                           : first >= 0xe0 && first <= 0xef ? 3
                           : first >= 0xf0 && first <= 0xf4 ? 4
                                                            : 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool outside =
      (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f); // surrogates, above U+10FFFF
  return overlong || outside ? 0 : size;
}

} // namespace

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
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  result += '"';
  return result;
}

} // namespace weft::io
