// Formats text and properties for JSON, for XML and as lines of columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::files {

// Returns a JSON string like io::json_string(), but without '<', so that it cannot end a script element.
[[nodiscard]] std::string page_string(std::string_view text);

// Returns `text` as the content of an XML element: &, < and > are written as entities.
[[nodiscard]] std::string xml_escaped(std::string_view text);

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
