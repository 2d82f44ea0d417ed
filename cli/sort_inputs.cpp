#include <cli/ranks.hpp>
#include <cli/sort_verb.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>
#include <weft/files/ranks/rank_bytes.hpp>

namespace weft::cli {

namespace {

// Returns the names of the files that --files0-from lists. Rank 0 reads the list.
std::vector<std::string> read_names(const arguments& given) {
  const std::string list = given.value("files0-from");
  if (!given.inputs.empty())
    bad_usage(*given.chosen_verb,
              fmt::format("extra operand '{}'\nfile operands cannot be combined with --files0-from",
                          given.inputs.front()));
  std::string text;
  multi::run_together(ranks(), [&] {
    if (ranks().rank() != 0) return;
    if (list != "-" && ::access(list.c_str(), R_OK) != 0)
      throw io_error(fmt::format("open failed: {}: {}", list, std::strerror(errno)));
    text = io::read_all(*io::open_bytes(list, false));
  });
  multi::broadcast_text(ranks(), text, 0);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
    if (names.back().empty())
      throw error(errc::invalid_input,
                  fmt::format("{}:{}: invalid zero-length file name", list, names.size()));
    if (list == "-" && names.back() == "-")
      throw error(errc::invalid_input, "when reading file names from stdin, no file name of '-' allowed");
  }
  if (names.empty()) throw error(errc::invalid_input, fmt::format("no input from '{}'", list));
  return names;
}

} // namespace

files::sort_inputs sort_inputs_of(const arguments& given) {
  files::sort_input_options options;
  options.paths = given.has("files0-from") ? read_names(given)
                  : given.inputs.empty()   ? std::vector<std::string>{"-"}
                                           : given.inputs;
  // Rank 0 alone opens pipes. For other ranks they are empty.
  if (ranks().rank() != 0)
    for (std::string& path : options.paths)
      if (!files::is_regular(path)) path = "/dev/null";
  options.decompress = !given.has("no-decompress") && !given.as_sort;
  options.finds_arrays = !given.as_sort;
  options.csv = given.has("csv");
  options.zero_terminated = given.has("zero-terminated");
  options.memory = given.size("memory");
  options.header_option = "--header";
  if (options.csv && options.zero_terminated)
    throw error(errc::invalid_input, "--csv cannot be combined with -z, because its records end with "
                                     "newlines");
  if (options.csv) options.separator = static_cast<char>(separator_of(given));
  if (options.csv && (options.separator == '"' || options.separator == '\n' || options.separator == '\0'))
    throw error(errc::invalid_input,
                "with --csv, the field separator must not be a quote, a newline or a zero byte");
  options.header_lines = options.csv ? 1 : 0;
  if (given.has("header")) options.header_lines = parse_count(given.value("header"), "--header");
  return files::sort_inputs(std::move(options));
}

int separator_of(const arguments& given) {
  if (!given.has("field-separator")) return given.has("csv") ? ',' : -1;
  const std::string text = given.value("field-separator");
  if (text == "\\0") return 0;
  if (text.empty()) throw error(errc::invalid_input, "empty tab");
  if (text.size() != 1) throw error(errc::invalid_input, fmt::format("multi-character tab '{}'", text));
  return static_cast<unsigned char>(text[0]);
}

namespace {

// Returns the number of the column with this name or number, or 0 if there is none.
std::size_t find_column(const std::string& text, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), text) != names.end())
      throw error(errc::invalid_input, fmt::format("invalid key '{}': several columns have this name", text));
    return static_cast<std::size_t>(found - names.begin()) + 1;
  }
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return 0;
  const std::uint64_t number = parse_count(text, "the number of a column");
  if (number == 0 || (!names.empty() && number > names.size()))
    throw error(errc::invalid_input, fmt::format("invalid key '{}': columns are numbered from 1 to {}", text,
                                                 names.empty() ? "..." : std::to_string(names.size())));
  return number;
}

} // namespace

std::vector<std::string> csv_keys(const std::vector<std::string>& keys,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const std::string& key : keys) {
    std::size_t column = find_column(key, names);
    std::string options;
    if (const std::size_t colon = key.rfind(':'); column == 0 && colon != std::string::npos) {
      column = find_column(key.substr(0, colon), names);
      options = key.substr(colon + 1);
    }
    if (column == 0)
      throw error(
          errc::invalid_input,
          fmt::format("invalid key '{}': with --csv, a key is COLUMN[:OPTIONS], with the name or the "
                      "number of a column{}",
                      key, names.empty() ? "" : fmt::format("; the columns are {}", fmt::join(names, ", "))));
    result.push_back(fmt::format("{0}{1},{0}", column, options));
  }
  return result;
}

} // namespace weft::cli
