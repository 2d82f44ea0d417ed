// Formats findings as properties with values: as lines of columns, or as a JSON object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::files {

// A property and its value. Consecutive properties whose keys begin with the same word and a dot
// ("letters.A", "letters.C") form one JSON object.
struct property {
  std::string key, value;
  bool is_text = false; // whether the value is written as a JSON string; otherwise it is written as it is
};

// Returns a line of `prefix`, key, tab and value for each property. Texts are escaped.
[[nodiscard]] std::string property_lines(const std::vector<property>& properties,
                                         std::string_view prefix = "");

// Returns a JSON object in one line.
[[nodiscard]] std::string property_json(const std::vector<property>& properties);

} // namespace weft::files
