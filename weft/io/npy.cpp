#include <weft/io/npy.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <weft/base/error.hpp>

namespace weft::io {

namespace {

struct description {
  element_type type;
  std::string_view name, numpy;
  std::uint64_t size;
};

constexpr std::array descriptions = {
    description{element_type::u8, "u8", "u1", 1},    description{element_type::u16, "u16", "u2", 2},
    description{element_type::u32, "u32", "u4", 4},  description{element_type::u64, "u64", "u8", 8},
    description{element_type::i8, "i8", "i1", 1},    description{element_type::i16, "i16", "i2", 2},
    description{element_type::i32, "i32", "i4", 4},  description{element_type::i64, "i64", "i8", 8},
    description{element_type::i128, "i128", "", 16}, description{element_type::f32, "f32", "f4", 4},
    description{element_type::f64, "f64", "f8", 8},
};

const description& describe(element_type type) noexcept {
  return *std::find_if(descriptions.begin(), descriptions.end(),
                       [&](const description& known) { return known.type == type; });
}

// The header of a plain array has about 100 bytes.
constexpr std::uint64_t longest_header = std::uint64_t{1} << 16;

// Parses the header, which is a Python dictionary literal. Accepts only the keys of a plain array ('descr',
// 'fortran_order' and 'shape'), in any order and with any white space.
class header_parser {
public:
  header_parser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  npy_array parse() {
    npy_array result{};
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr") {
        result.type = type();
        has_type = true;
      } else if (key == "fortran_order") {
        order();
        has_order = true;
      } else if (key == "shape") {
        result.count = shape();
        has_shape = true;
      } else {
        fail(fmt::format("unknown key '{}' in the header", key));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) fail("there is extra data after the dictionary in the header");
    if (!has_type || !has_order || !has_shape)
      fail("the header must contain 'descr', 'fortran_order' "
           "and 'shape'");
    return result;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw parse_error(source_, 0, 0, fmt::format("bad .npy file: {}", what));
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("expected '{}' in the header", c));
  }
  std::string_view quoted() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a quoted word in the header");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quoted word in the header is not closed");
    const std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }
  element_type type() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') fail("structured items are not supported");
    const std::string_view word = quoted();
    const char order = word.empty() ? '\0' : word[0];
    const std::string_view name = order == '<' || order == '|' || order == '>' ? word.substr(1) : word;
    for (const description& known : descriptions)
      if (!known.numpy.empty() && known.numpy == name) {
        if (order == '<' || (known.size == 1 && order != '\0')) return known.type;
        fail(fmt::format("items of type '{}' are not supported: they must be little-endian", word));
      }
    fail(fmt::format("items of type '{}' are not supported; the supported types are u1 u2 u4 u8 i1 i2 i4 "
                     "i8 f4 f8",
                     word));
  }
  void order() { // skips the value, which is meaningless for one dimension
    skip_blanks();
    for (const std::string_view word : {"False", "True"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return;
      }
    fail("fortran_order must be True or False");
  }
  std::uint64_t shape() {
    expect('(');
    skip_blanks();
    std::uint64_t count = 0;
    const char* end = text_.data() + text_.size();
    const auto [rest, status] = std::from_chars(text_.data() + at_, end, count);
    if (status == std::errc::result_out_of_range) fail("too many items");
    if (status != std::errc()) fail("only arrays of one dimension are supported");
    at_ = static_cast<std::size_t>(rest - text_.data());
    expect(',');
    if (!take(')')) fail("only arrays of one dimension are supported");
    return count;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
};

std::string read_exactly(byte_source& source, std::uint64_t size) {
  std::string bytes(size, '\0');
  if (source.read(bytes) != size)
    throw parse_error(source.name(), 0, 0, "bad .npy file: the file ends within the header");
  return bytes;
}

} // namespace

std::uint64_t size_of(element_type type) noexcept { return describe(type).size; }
std::string_view name_of(element_type type) noexcept { return describe(type).name; }

element_type parse_element_type(std::string_view name) {
  for (const description& known : descriptions)
    if (known.name == name) return known.type;
  throw error(errc::invalid_input, fmt::format("there is no number type '{}'", name));
}

std::string npy_header(const npy_array& array) {
  const description& known = describe(array.type);
  if (known.numpy.empty())
    throw error(errc::invalid_input, fmt::format(".npy files cannot hold {}", known.name));
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({},), }}",
                                 known.size == 1 ? '|' : '<', known.numpy, array.count);
  const std::size_t whole = (10 + text.size() + 1 + 63) / 64 * 64;
  text.resize(whole - 11, ' ');
  text += '\n';
  std::string result(npy_magic);
  result += {'\x01', '\x00', static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return result + text;
}

npy_array read_npy_header(byte_source& source) {
  std::string start(8, '\0');
  if (source.read(start) != start.size() || std::string_view(start).substr(0, 6) != npy_magic)
    throw parse_error(source.name(), 0, 0, "not a .npy file");
  const int version = start[6];
  if (version < 1 || version > 3 || start[7] != 0)
    throw parse_error(source.name(), 0, 0, "bad .npy file: unknown version");
  const std::string width = read_exactly(source, version == 1 ? 2 : 4);
  std::uint64_t size = 0;
  for (std::size_t i = width.size(); i-- > 0;) size = size << 8 | static_cast<unsigned char>(width[i]);
  if (size > longest_header) throw parse_error(source.name(), 0, 0, "bad .npy file: the header is too long");
  const npy_array result = header_parser(read_exactly(source, size), source.name()).parse();
  if (result.count > std::numeric_limits<std::uint64_t>::max() / size_of(result.type))
    throw parse_error(source.name(), 0, 0, "bad .npy file: too many items");
  return result;
}

} // namespace weft::io
