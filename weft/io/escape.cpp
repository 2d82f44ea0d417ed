#include <weft/io/escape.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <weft/io/utf8.hpp>

namespace weft::io {

namespace {

// Whether a byte is printable ASCII and not a backslash, so that it stands for itself. All other bytes need a
// closer look.
constexpr std::array<bool, 256> plain_bytes = [] {
  std::array<bool, 256> plain{};
  for (unsigned byte = 0x20; byte < 0x7f; ++byte) plain[byte] = byte != '\\';
  return plain;
}();

void append_hex(std::string& out, char c) {
  fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
}

// Appends the character that starts `text`, escaped, and returns its size in bytes.
std::size_t append_character(std::string& out, std::string_view text) {
  constexpr std::string_view named = "\t\r\n\\";
  if (const std::size_t at = named.find(text.front()); at != std::string_view::npos) {
    (out += '\\') += "trn\\"[at];
    return 1;
  }
  if (const std::size_t size = control_size(text); size > 0) {
    for (const char byte : text.substr(0, size)) append_hex(out, byte);
    return size;
  }
  const std::size_t size = std::max<std::size_t>(utf8_size(text), 1);
  out += text.substr(0, size);
  return size;
}

// Appends `text`, with all characters but those of `kept` escaped.
void append_escaped_except(std::string& out, std::string_view text, std::string_view kept) {
  while (!text.empty()) {
    const auto run = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(),
                         [](char c) { return plain_bytes[static_cast<unsigned char>(c)]; }) -
        text.begin());
    out += text.substr(0, run);
    text.remove_prefix(run);
    if (text.empty()) return;
    if (kept.find(text.front()) == std::string_view::npos) {
      text.remove_prefix(append_character(out, text));
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
}

} // namespace

// Bytes from 0x80 to 0x9f are control characters if they stand alone or follow 0xc2, but not in other UTF-8
// sequences.
std::size_t control_size(std::string_view text) {
  const std::size_t size = utf8_size(text);
  const auto first = static_cast<unsigned char>(text.front());
  if (size <= 1) return first < 0x20 || (first >= 0x7f && first < 0xa0) ? 1 : 0;
  return first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0 ? 2 : 0;
}

void append_escaped(std::string& out, std::string_view text) { append_escaped_except(out, text, ""); }

std::string escaped(std::string_view text) {
  std::string result;
  append_escaped(result, text);
  return result;
}

void append_bed_name(std::string& out, std::string_view name) {
  for (const std::string_view header : {"#", "track", "browser", "visibility"})
    if (name.starts_with(header)) {
      append_hex(out, name.front());
      name.remove_prefix(1);
      return append_escaped(out, name);
    }
  append_escaped(out, name.empty() ? "." : name);
}

std::string printable(std::string_view text) {
  std::string result;
  append_escaped_except(result, text, "\n\\");
  return result;
}

} // namespace weft::io
