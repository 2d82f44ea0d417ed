#include <bench/compare.hpp>

#include <algorithm>
#include <bench/json.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <weft/base/error.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/output_file.hpp>

namespace weft::bench {

namespace {

// The time of a row.
struct timing {
  double milliseconds; // median of the runs
  double spread;       // (slowest - quickest) / median
};

// A record holds the rows of one or more files and names the machines and commits that they come from.
struct record {
  std::vector<std::string> machines;
  std::vector<std::string> names;                    // names of the rows, in the order of the files
  std::map<std::string, std::optional<timing>> rows; // no timing: the row has failed
};

std::vector<std::string> files_of(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(path))
    if (each.path().extension() == ".json") files.push_back(each.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw error(errc::invalid_input, fmt::format("{}: there is no JSON file in this folder", path));
  return files;
}

void add_row(const std::string& file, const json_value& row, record& into) {
  const std::string name = row.text_of("name", "");
  const json_value *const failed = row.find("error_occurred"), *const median = row.find("median_us");
  if (median == nullptr)
    throw error(errc::invalid_input,
                fmt::format("{}: not a record of weft-bench (row '{}' has no median_us)", file, name));
  if (!into.rows.contains(name)) into.names.push_back(name);
  if (failed != nullptr && failed->number != 0)
    into.rows[name] = std::nullopt;
  else
    into.rows[name] = timing{median->number / 1e3, row.number_of("spread", 0)};
}

record read_record(const std::string& path) {
  record made;
  for (const std::string& file : files_of(path)) {
    const std::string text = io::read_all(*io::open_bytes(file));
    json_value document;
    try {
      document = parse_json(text);
    } catch (const error& failure) {
      throw error(errc::invalid_input,
                  fmt::format("{}: not a record of weft-bench ({})", file, failure.what()));
    }
    const json_value *const context = document.find("context"), *const rows = document.find("benchmarks");
    if (context == nullptr || rows == nullptr)
      throw error(errc::invalid_input,
                  fmt::format("{}: not a record of weft-bench (it has no context and benchmarks)", file));
    const double processors = context->number_of("num_cpus", 0);
    const std::string machine =
        fmt::format("{}, {} processors, commit {}, {}", context->text_of("host_name", "?"),
                    processors > 0 ? fmt::format("{:.0f}", processors) : "?",
                    context->text_of("commit", "unknown"), context->text_of("date", "?"));
    if (std::find(made.machines.begin(), made.machines.end(), machine) == made.machines.end())
      made.machines.push_back(machine);
    for (const json_value& each : rows->items) add_row(file, each, made);
  }
  return made;
}

// Returns how a row has changed: "slower", "quicker" or "failed"; empty if it has not changed beyond the
// threshold and the spreads.
std::string_view verdict(const std::optional<timing>& before, const std::optional<timing>& after,
                         double threshold) {
  if (!after) return "failed";
  if (!before) return "";
  const double change = after->milliseconds / before->milliseconds - 1;
  if (std::abs(change) <= std::max({threshold, before->spread, after->spread})) return "";
  return change > 0 ? "slower" : "quicker";
}

std::string compared_line(const std::optional<timing>& before, const std::optional<timing>& after,
                          std::string_view word) {
  const auto time = [](const std::optional<timing>& each) {
    return each ? fmt::format("{:12.4g}", each->milliseconds) : fmt::format("{:>12}", "failed");
  };
  const std::string ratio = before && after
                                ? fmt::format("{:8.3f}", after->milliseconds / before->milliseconds)
                                : std::string(8, ' ');
  std::string line = fmt::format("  {}  {}  {}  {}", time(before), time(after), ratio, word);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

double parse_percent(const std::string& text) {
  double percent = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (status != std::errc() || rest != text.data() + text.size() || !(percent >= 0) ||
      !std::isfinite(percent))
    throw error(errc::invalid_input,
                fmt::format("--threshold must be a percentage of at least 0, not '{}'", text));
  return percent;
}

} // namespace

int run_compare(const cli::arguments& given) {
  const double threshold = parse_percent(given.value("threshold")) / 100;
  const record before = read_record(given.inputs[0]), after = read_record(given.inputs[1]);
  io::output_file out(given.value("output"));
  out.write(
      fmt::format("old: {}\nnew: {}\n", fmt::join(before.machines, "; "), fmt::join(after.machines, "; ")));
  std::vector<std::string> names = before.names;
  for (const std::string& name : after.names)
    if (!before.rows.contains(name)) names.push_back(name);
  std::size_t width = 4;
  for (const std::string& name : names) width = std::max(width, name.size());
  out.write(fmt::format("{:{}}  {:>12}  {:>12}  {:>8}\n", "row", width, "old ms", "new ms", "new/old"));
  bool is_worse = false;
  for (const std::string& name : names) {
    const auto old_row = before.rows.find(name), new_row = after.rows.find(name);
    std::string_view word = old_row == before.rows.end() ? "new" : "gone";
    std::string line = fmt::format("  {}", word);
    if (old_row != before.rows.end() && new_row != after.rows.end()) {
      word = verdict(old_row->second, new_row->second, threshold);
      line = compared_line(old_row->second, new_row->second, word);
    }
    out.write(fmt::format("{:{}}{}\n", name, width, line));
    is_worse = is_worse || word == "slower" || word == "failed" || word == "gone";
  }
  out.commit();
  return is_worse && given.has("fail") ? 1 : 0;
}

} // namespace weft::bench
