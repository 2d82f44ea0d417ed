// Reads JSON documents, for weft-bench compare.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::bench {

// A json_value is a value of a JSON document: null, a truth value, a number, a text, a list or an object.
struct json_value {
  enum class type { null, boolean, number, text, list, object } kind = type::null;
  double number = 0; // of a truth value: 0 or 1
  std::string text = {};
  std::vector<json_value> items = {};                           // of a list
  std::vector<std::pair<std::string, json_value>> members = {}; // of an object

  // Returns the member of this name, or null if the value is no object or has no such member.
  [[nodiscard]] const json_value* find(std::string_view name) const;
  // Return the member of this name if it has the type, or else the fallback.
  [[nodiscard]] double number_of(std::string_view name, double fallback) const;
  [[nodiscard]] std::string text_of(std::string_view name, std::string_view fallback) const;
};

// Returns the value that the text describes. Escapes of characters above U+007F become '?'. Throws
// error(invalid_input), which tells the offset, if the text is no JSON or is nested more than 100 deep.
[[nodiscard]] json_value parse_json(std::string_view text);

} // namespace weft::bench
