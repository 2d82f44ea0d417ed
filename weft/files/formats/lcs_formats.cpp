#include <weft/files/formats/lcs_formats.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <vector>
#include <weft/io/escape.hpp>
#include <weft/io/json.hpp>

namespace weft::files {

namespace {

std::uint64_t count_letters(std::string_view text, std::string_view letters) {
  return static_cast<std::uint64_t>(std::count_if(
      text.begin(), text.end(), [&](char c) { return letters.find(c) != std::string_view::npos; }));
}

// Returns the size of the string that operations() returns.
std::uint64_t operations_size(std::span<const edit_run> runs) {
  std::uint64_t size = 2 * runs.size();
  for (const edit_run& run : runs)
    for (std::uint64_t rest = run.length; rest >= 10; rest /= 10) ++size;
  return size;
}

} // namespace

std::string_view value_key(lcs_metric metric) {
  return metric == lcs_metric::edit    ? "edit_distance"
         : metric == lcs_metric::indel ? "indel_distance"
                                       : "lcs_length";
}

std::uint64_t memory_of_text(const edit_script& path, std::string_view format) {
  const std::uint64_t runs = path.runs.size() * sizeof(edit_run);
  if (format == "lcs") return runs + 3 * path.matches; // the letters, and their copy in lines
  if (format == "ops") return runs + operations_size(path.runs) + 1;
  if (format == "paf") return runs + 3 * operations_size(path.runs);
  if (format == "jsonl")
    return runs + 6 * operations_size(path.runs); // quoted, and in a string that is copied while it grows
  return runs;
}

std::string operations(std::span<const edit_run> runs) {
  std::string text;
  text.reserve(operations_size(runs) + 1);
  for (const edit_run& run : runs)
    fmt::format_to(std::back_inserter(text), "{}{}", run.length, static_cast<char>(run.op));
  return text;
}

std::string paf_line(const compared& texts, const edit_script& path) {
  const auto diagonal = [](const edit_run& run) {
    return run.op == edit_op::match || run.op == edit_op::substitute;
  };
  const auto first = std::find_if(path.runs.begin(), path.runs.end(), diagonal);
  const auto last = std::find_if(path.runs.rbegin(), path.runs.rend(), diagonal).base();
  if (first == path.runs.end()) return "";
  std::uint64_t a_begin = 0, a_end = 0, b_begin = 0, b_end = 0, block = 0;
  for (auto run = path.runs.begin(); run != last; ++run) {
    if (run == first) a_begin = a_end, b_begin = b_end;
    if (run >= first) block += run->length;
    if (run->op != edit_op::insert) a_end += run->length;
    if (run->op != edit_op::remove) b_end += run->length;
  }
  const unknown_count& unknown = texts.unknown;
  std::uint64_t skipped = 0;
  if (!unknown.skipped.empty())
    skipped = count_letters(unknown.a_letters.substr(a_begin, a_end - a_begin), unknown.skipped) +
              count_letters(unknown.b_letters.substr(b_begin, b_end - b_begin), unknown.skipped);
  return fmt::format("{}\t{}\t{}\t{}\t+\t{}\t{}\t{}\t{}\t{}\t{}\t255\tNM:i:{}{}\tcg:Z:{}\n",
                     io::escaped(texts.b_name), texts.n, b_begin, b_end, io::escaped(texts.a_name), texts.m,
                     a_begin, a_end, path.matches, block, block - path.matches - skipped,
                     unknown.skipped.empty() ? "" : fmt::format("\tnn:i:{}", skipped),
                     operations(std::span(first, last)));
}

std::uint64_t path_value(const edit_script& path, lcs_metric metric) {
  const std::uint64_t indel = path.insertions + path.deletions;
  return metric == lcs_metric::edit    ? indel + path.substitutions
         : metric == lcs_metric::indel ? indel
                                       : path.matches;
}

std::vector<record_field> record_fields(const compared& texts, lcs_metric metric, std::uint64_t value) {
  std::vector<record_field> fields = {{"a", texts.a_name, true},
                                      {"b", texts.b_name, true},
                                      {"a_length", std::to_string(texts.m)},
                                      {"b_length", std::to_string(texts.n)}};
  const std::uint64_t m = texts.a_compared(), n = texts.b_compared(), longest = std::max(m, n);
  const auto part = [&](std::uint64_t of) {
    return longest == 0 ? 1.0 : static_cast<double>(of) / static_cast<double>(longest);
  };
  if (metric == lcs_metric::edit) {
    fields.push_back({"edit_distance", std::to_string(value)});
    fields.push_back({"identity", fmt::format("{:.6f}", longest == 0 ? 1.0 : 1.0 - part(value))});
  } else {
    const std::uint64_t length = metric == lcs_metric::lcs ? value : (m + n - value) / 2;
    fields.push_back({"lcs_length", std::to_string(length)});
    fields.push_back({"identity", fmt::format("{:.6f}", part(length))});
    fields.push_back({"indel_distance", std::to_string(m + n - 2 * length)});
  }
  if (!texts.unknown.rule.empty()) {
    fields.push_back({"a_unknown", std::to_string(texts.unknown.a)});
    fields.push_back({"b_unknown", std::to_string(texts.unknown.b)});
    fields.push_back({"unknown", std::string(texts.unknown.rule), true});
  }
  return fields;
}

std::string record(const compared& texts, lcs_metric metric, std::uint64_t value, bool json,
                   const edit_script* path) {
  std::vector<record_field> fields = record_fields(texts, metric, value);
  fields.push_back({"identity_definition",
                    fmt::format("{} / the longer length{}",
                                metric == lcs_metric::edit ? "1 - edit_distance" : "lcs_length",
                                texts.unknown.skipped.empty() ? "" : ", skipped letters left out"),
                    true});
  if (path != nullptr) fields.push_back({"ops", operations(path->runs), true});
  std::string text = json ? "{" : "";
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += json ? fmt::format("{}\"{}\":{}", i > 0 ? "," : "", fields[i].key,
                               fields[i].text ? io::json_string(fields[i].value) : fields[i].value)
                 : fmt::format("{}\t{}\n", fields[i].key, io::escaped(fields[i].value));
  return json ? text + "}\n" : text;
}

void write_common_tokens(io::output_file& out, std::string_view a, token_kind kind,
                         std::span<const edit_run> runs) {
  token_cursor tokens(a, kind);
  std::string_view token;
  for (const edit_run& run : runs)
    for (std::uint64_t i = 0; run.op != edit_op::insert && i < run.length && tokens.next(token); ++i) {
      if (run.op != edit_op::match) continue;
      out.write(token);
      out.write("\n");
    }
}

void write_pair_table(io::output_file& out, std::span<const std::string> names,
                      std::span<const std::uint64_t> values) {
  std::string row;
  for (std::size_t i = 0, at = 0; i < names.size(); ++i) {
    row = io::escaped(names[i]);
    for (std::size_t j = 0; j < i; ++j) fmt::format_to(std::back_inserter(row), "\t{}", values[at++]);
    row += '\n';
    out.write(row);
  }
}

void write_pair_objects(io::output_file& out, std::span<const std::string> names,
                        std::span<const std::uint64_t> values, std::string_view key) {
  for (std::size_t i = 0, at = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      out.write(fmt::format("{{\"a\":{},\"b\":{},\"{}\":{}}}\n", io::json_string(names[i]),
                            io::json_string(names[j]), key, values[at++]));
}

std::string fasta(std::string_view name, std::string_view residues) {
  std::string text = fmt::format(">{}\n", io::escaped(name));
  text.reserve(text.size() + residues.size() + (residues.size() + 59) / 60);
  for (; !residues.empty(); residues.remove_prefix(std::min<std::size_t>(60, residues.size())))
    (text += residues.substr(0, 60)) += '\n';
  return text;
}

} // namespace weft::files
