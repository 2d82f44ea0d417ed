#include <bench/json.hpp>

#include <charconv>
#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft::bench {

namespace {

class json_parser {
public:
  explicit json_parser(std::string_view text) : text_(text) {}

  json_value document() {
    json_value value = next_value(0);
    skip_spaces();
    if (at_ != text_.size()) fail("more text after the end");
    return value;
  }

private:
  static constexpr int max_depth = 100;

  [[noreturn]] void fail(std::string_view what) const {
    throw error(errc::invalid_input, fmt::format("no JSON at byte {}: {}", at_, what));
  }
  void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  // Skips spaces and then the character, if it comes next.
  bool take(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  json_value next_value(int depth) {
    if (depth > max_depth) fail("nested too deep");
    if (take('{')) return next_object(depth);
    if (take('[')) return next_list(depth);
    if (take('"')) return {json_value::type::text, 0, next_text()};
    if (take("true")) return {json_value::type::boolean, 1};
    if (take("false")) return {json_value::type::boolean, 0};
    if (take("null")) return {};
    json_value value{json_value::type::number};
    const auto [rest, status] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value.number);
    if (status != std::errc()) fail("a value is missing");
    at_ = static_cast<std::size_t>(rest - text_.data());
    return value;
  }

  json_value next_list(int depth) {
    json_value list{json_value::type::list};
    if (take(']')) return list;
    do list.items.push_back(next_value(depth + 1));
    while (take(','));
    if (!take(']')) fail("a list has no end");
    return list;
  }

  json_value next_object(int depth) {
    json_value object{json_value::type::object};
    if (take('}')) return object;
    do {
      if (!take('"')) fail("the name of a member is missing");
      std::string name = next_text();
      if (!take(':')) fail("a colon is missing");
      object.members.emplace_back(std::move(name), next_value(depth + 1));
    } while (take(','));
    if (!take('}')) fail("an object has no end");
    return object;
  }

  // Returns the text whose opening quote has been taken.
  std::string next_text() {
    std::string made;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') return ++at_, made;
      if (c != '\\') {
        made += c;
        continue;
      }
      if (++at_ == text_.size()) break;
      made += text_[at_] == 'u' ? next_code() : unescaped(text_[at_]);
    }
    fail("a text has no end");
  }

  [[nodiscard]] char unescaped(char letter) const {
    switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '"':
    case '\\':
    case '/':
      return letter;
    default:
      fail("an escape that there is not");
    }
  }

  // Returns the character of an escape \uXXXX, whose u is the current character.
  char next_code() {
    unsigned code = 0;
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const auto [rest, status] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (status != std::errc() || rest != digits.data() + 4) fail("an escape that there is not");
    at_ += 4;
    return code < 0x80 ? static_cast<char>(code) : '?';
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

const json_value* json_value::find(std::string_view name) const {
  for (const auto& [key, value] : members)
    if (key == name) return &value;
  return nullptr;
}

double json_value::number_of(std::string_view name, double fallback) const {
  const json_value* const found = find(name);
  return found != nullptr && found->kind == type::number ? found->number : fallback;
}

std::string json_value::text_of(std::string_view name, std::string_view fallback) const {
  const json_value* const found = find(name);
  return found != nullptr && found->kind == type::text ? found->text : std::string(fallback);
}

json_value parse_json(std::string_view text) { return json_parser(text).document(); }

} // namespace weft::bench
