#include <weft/io/escape.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <weft/io/utf8.hpp>

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
