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
  return metric == lcs_metric::edit     ? "edit_distance"
         : metric == lcs_metric::affine ? "affine_penalty"
         : metric == lcs_metric::indel  ? "indel_distance"
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

compared_value value_of_path(const edit_script& path, const lcs_options& options) {
  compared_value result{.metric = options.metric,
                        .matches = path.matches,
                        .substitutions = path.substitutions,
                        .insertions = path.insertions,
                        .deletions = path.deletions};
  for (const edit_run& run : path.runs)
    result.gaps += run.op == edit_op::insert || run.op == edit_op::remove ? 1 : 0;
  const std::uint64_t indel = path.insertions + path.deletions;
  const affine_penalties& cost = options.penalties;
  switch (options.metric) {
  case lcs_metric::lcs:
    result.value = path.matches;
    break;
  case lcs_metric::indel:
    result.value = indel;
    break;
  case lcs_metric::edit:
    result.value = indel + path.substitutions;
    break;
  case lcs_metric::affine:
    result.value = path.substitutions * cost.mismatch + result.gaps * cost.gap_open + indel * cost.gap_extend;
    break;
  }
  return result;
}

double identity(const compared_value& result, std::uint64_t m, std::uint64_t n) {
  const std::uint64_t longest = std::max(m, n), value = result.value;
  if (longest == 0) return 1;
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return all == 0 ? 1 : static_cast<double>(part) / static_cast<double>(all);
  };
  switch (result.metric) {
  case lcs_metric::affine:
    return share(result.matches,
                 result.matches + result.substitutions + result.insertions + result.deletions);
  case lcs_metric::edit:
    return 1 - share(value, longest);
  case lcs_metric::indel:
    return share((m + n - value) / 2, longest);
  case lcs_metric::lcs:
    break;
  }
  return share(value, longest);
}

namespace {

// Adds the fields of the numbers that follow from a result, for texts of m and n symbols.
void add_numbers(std::vector<record_field>& fields, const compared_value& result, std::uint64_t m,
                 std::uint64_t n) {
  const std::uint64_t value = result.value;
  const auto add = [&](const char* key, std::uint64_t number) {
    fields.push_back({key, std::to_string(number)});
  };
  const auto add_identity = [&] {
    fields.push_back({"identity", fmt::format("{:.6f}", identity(result, m, n))});
  };
  if (result.metric == lcs_metric::affine) {
    add("affine_penalty", value);
    add("matches", result.matches);
    add("substitutions", result.substitutions);
    add("insertions", result.insertions);
    add("deletions", result.deletions);
    add("gaps", result.gaps);
    add_identity();
  } else if (result.metric == lcs_metric::edit) {
    add("edit_distance", value);
    add_identity();
  } else {
    const std::uint64_t length = result.metric == lcs_metric::lcs ? value : (m + n - value) / 2;
    add("lcs_length", length);
    add_identity();
    add("indel_distance", m + n - 2 * length);
  }
}

// Returns how the identity of a record is defined.
std::string_view identity_definition(lcs_metric metric) {
  return metric == lcs_metric::affine ? "matches / all steps of the path"
         : metric == lcs_metric::edit ? "1 - edit_distance / the longer length"
                                      : "lcs_length / the longer length";
}

} // namespace

std::vector<record_field> record_fields(const compared& texts, const compared_value& result) {
  std::vector<record_field> fields = {{"a", texts.a_name, true},
                                      {"b", texts.b_name, true},
                                      {"a_length", std::to_string(texts.m)},
                                      {"b_length", std::to_string(texts.n)}};
  add_numbers(fields, result, texts.a_compared(), texts.b_compared());
  if (!texts.unknown.rule.empty()) {
    fields.push_back({"a_unknown", std::to_string(texts.unknown.a)});
    fields.push_back({"b_unknown", std::to_string(texts.unknown.b)});
    fields.push_back({"unknown", std::string(texts.unknown.rule), true});
  }
  return fields;
}

std::string record(const compared& texts, const compared_value& result, bool json, const edit_script* path) {
  std::vector<record_field> fields = record_fields(texts, result);
  fields.push_back({"identity_definition",
                    fmt::format("{}{}", identity_definition(result.metric),
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
