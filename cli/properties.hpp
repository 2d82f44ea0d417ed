// What a verb found out, as properties with values: lines of columns, or a JSON object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

// A property and its value. Neighbours whose keys begin with the same word and a dot ("letters.A",
// "letters.C") are one object of JSON.
struct property {
  std::string key, value;
  bool is_text = false; // a string of JSON; else the value is JSON itself
};

// Returns a line of `prefix`, key, tab and value for each property. Texts are escaped.
[[nodiscard]] std::string property_lines(const std::vector<property>& properties,
                                         std::string_view prefix = "");

// Returns one line, a JSON object.
[[nodiscard]] std::string property_json(const std::vector<property>& properties);

} // namespace weft::cli
