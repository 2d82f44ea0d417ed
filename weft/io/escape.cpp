#include <weft/io/escape.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace weft::io {

namespace {

// Returns whether a byte is printable ASCII and not a backslash, so that it stands for itself. All other
// bytes need a closer look.
bool is_plain(char c) {
  return (static_cast<unsigned char>(c - 0x20) < 0x7f - 0x20) & (c != '\\'); // & does not branch
}

constexpr std::size_t block_size = 32;

// Returns whether all bytes of a block are plain. It has no branches, so that compilers vectorise it.
bool is_plain_block(const char* block) {
  unsigned char plain = 1;
  for (std::size_t i = 0; i < block_size; ++i) plain &= static_cast<unsigned char>(is_plain(block[i]));
  return plain != 0;
}

// Returns the number of bytes before the first one that is not plain.
std::size_t plain_size(std::string_view text) {
  std::size_t size = 0;
  if (text.size() >= block_size) {
    while (size + block_size <= text.size() && is_plain_block(text.data() + size)) size += block_size;
    // The last block overlaps the one before it.
    if (size + block_size > text.size() && is_plain_block(text.data() + text.size() - block_size))
      return text.size();
  }
  while (size < text.size() && is_plain(text[size])) ++size;
  return size;
}

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
    const std::size_t run = plain_size(text);
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

using byte_set = std::array<bool, 256>;

// The ASCII characters that stand for themselves in GFF3: in the first column (id_bytes) and in the last
// column (value_bytes).
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
      // Surrogates (0xed), and code points above U+10FFFF (0xf4).
      (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return overlong || outside ? 0 : size;
}

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

void append_gff3_id(std::string& out, std::string_view name) {
  append_encoded(out, name.empty() ? "." : name, id_bytes, false);
}

void append_gff3_value(std::string& out, std::string_view value) {
  append_encoded(out, value, value_bytes, true);
}

} // namespace weft::io
