// Finds the lines of weft-bench's tables that tests check.
#pragma once

#include <algorithm>
#include <string>

namespace weft::test {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns the row of the table that has the form "  NAME ... DEVICE ...".
inline std::string line_of(const std::string& table, const std::string& name, const std::string& device) {
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = std::min(table.find('\n', at), table.size());
    const std::string line = table.substr(at, end - at);
    if (line.rfind("  " + name + " ", 0) == 0 && has(line, " " + device)) return line;
    at = end + 1;
  }
  return "";
}

} // namespace weft::test
