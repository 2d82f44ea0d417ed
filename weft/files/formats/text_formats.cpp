#include <weft/files/formats/text_formats.hpp>

#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>

namespace weft::files {

std::string page_string(std::string_view text) {
  std::string result = io::json_string(text);
  for (std::size_t at = 0; (at = result.find('<', at)) != std::string::npos;)
    result.replace(at, 1, "\\u003c");
  return result;
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

std::string property_lines(const std::vector<property>& properties, std::string_view prefix) {
  std::string text;
  for (const property& each : properties) {
    text += prefix;
    io::append_escaped(text, each.key);
    text += '\t';
    io::append_escaped(text, each.value);
    text += '\n';
  }
  return text;
}

std::string property_json(const std::vector<property>& properties) {
  std::string text = "{", group;
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const property& each = properties[i];
    const std::size_t dot = each.key.find('.');
    const std::string own_group = dot == std::string::npos ? "" : each.key.substr(0, dot);
    if (own_group != group && !group.empty()) text += '}';
    if (i > 0) text += ',';
    if (own_group != group && !own_group.empty()) text += io::json_string(own_group) + ":{";
    group = own_group;
    text += io::json_string(dot == std::string::npos ? each.key : each.key.substr(dot + 1)) + ':';
    text += each.is_text ? io::json_string(each.value) : each.value;
  }
  return text + (group.empty() ? "}\n" : "}}\n");
}

} // namespace weft::files
