#include <cli/lcs_formats.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <vector>
#include <weft/io/json.hpp>

namespace weft::cli {

std::string operations(std::span<const edit_run> runs) {
  std::string text;
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
  const auto plain = [](std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
    return name;
  };
  return fmt::format("{}\t{}\t{}\t{}\t+\t{}\t{}\t{}\t{}\t{}\t{}\t255\tNM:i:{}\tcg:Z:{}\n",
                     plain(texts.b_name), texts.n, b_begin, b_end, plain(texts.a_name), texts.m, a_begin,
                     a_end, path.matches, block, block - path.matches, operations(std::span(first, last)));
}

std::vector<record_field> record_fields(const compared& texts, lcs_metric metric, std::uint64_t value) {
  std::vector<record_field> fields = {{"a", texts.a_name, true},
                                      {"b", texts.b_name, true},
                                      {"a_length", std::to_string(texts.m)},
                                      {"b_length", std::to_string(texts.n)}};
  const std::uint64_t longest = std::max(texts.m, texts.n);
  if (metric == lcs_metric::edit) {
    fields.push_back({"edit_distance", std::to_string(value)});
    fields.push_back(
        {"identity",
         fmt::format("{:.6f}",
                     longest == 0 ? 1.0 : 1.0 - static_cast<double>(value) / static_cast<double>(longest))});
  } else {
    const std::uint64_t length = metric == lcs_metric::lcs ? value : (texts.m + texts.n - value) / 2;
    fields.push_back({"lcs_length", std::to_string(length)});
    fields.push_back({"identity", fmt::format("{:.6f}", longest == 0 ? 1.0
                                                                     : static_cast<double>(length) /
                                                                           static_cast<double>(longest))});
    fields.push_back({"indel_distance", std::to_string(texts.m + texts.n - 2 * length)});
  }
  return fields;
}

std::string record(const compared& texts, lcs_metric metric, std::uint64_t value, bool json,
                   const edit_script* path) {
  std::vector<record_field> fields = record_fields(texts, metric, value);
  if (path != nullptr) fields.push_back({"ops", operations(path->runs), true});
  std::string text = json ? "{" : "";
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += json ? fmt::format("{}\"{}\":{}", i > 0 ? "," : "", fields[i].key,
                               fields[i].text ? io::json_string(fields[i].value) : fields[i].value)
                 : fmt::format("{}\t{}\n", fields[i].key, fields[i].value);
  return json ? text + "}\n" : text;
}

std::string fasta(std::string_view name, std::string_view residues) {
  std::string text = fmt::format(">{}\n", name);
  for (; !residues.empty(); residues.remove_prefix(std::min<std::size_t>(60, residues.size())))
    (text += residues.substr(0, 60)) += '\n';
  return text;
}

} // namespace weft::cli
