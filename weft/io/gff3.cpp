#include <weft/io/gff3.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <weft/io/escape.hpp>
#include <weft/io/utf8.hpp>

namespace weft::io {

namespace {

using byte_set = std::array<bool, 256>;

// The ASCII characters that stand for themselves: in the first column (id_bytes) and in the last column
// (value_bytes).
constexpr byte_set id_bytes = [] {
  byte_set plain{};
  for (const char c :
       std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:^*$@!+_?-|"))
    plain[static_cast<unsigned char>(c)] = true;
  return plain;
}();
constexpr byte_set value_bytes = [] {
  byte_set plain{};
  for (unsigned byte = 0x20; byte < 0x7f; ++byte)
    plain[byte] = std::string_view("%;=&,").find(static_cast<char>(byte)) == std::string_view::npos;
  return plain;
}();

// Appends `text` with all bytes but those of `plain` as %HH. If keep_utf8, UTF-8 characters that are no
// control characters stand for themselves, too.
void append_encoded(std::string& out, std::string_view text, const byte_set& plain, bool keep_utf8) {
  const auto is_plain = [&plain](char c) { return plain[static_cast<unsigned char>(c)]; };
  while (!text.empty()) {
    const auto run =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out += text.substr(0, run);
    text.remove_prefix(run);
    if (text.empty()) return;
    const std::string_view character = text.substr(0, std::max<std::size_t>(utf8_size(text), 1));
    if (keep_utf8 && static_cast<unsigned char>(text.front()) >= 0x80 && control_size(text) == 0)
      out += character;
    else
      for (const char c : character)
        fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    text.remove_prefix(character.size());
  }
}

} // namespace

void append_gff3_id(std::string& out, std::string_view name) {
  append_encoded(out, name.empty() ? "." : name, id_bytes, false);
}

void append_gff3_value(std::string& out, std::string_view value) {
  append_encoded(out, value, value_bytes, true);
}

} // namespace weft::io
