#include <cli/lcs_formats.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <vector>
#include <weft/io/json.hpp>

namespace weft::cli {

std::string operations(const edit_script& path) {
  std::string text;
  for (const edit_run& run : path.runs)
    fmt::format_to(std::back_inserter(text), "{}{}", run.length, static_cast<char>(run.op));
  return text;
}

std::string paf_line(const compared& texts, const edit_script& path) {
  const std::uint64_t block = path.matches + path.substitutions + path.insertions + path.deletions;
  const auto plain = [](std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
    return name;
  };
  return fmt::format("{}\t{}\t0\t{}\t+\t{}\t{}\t0\t{}\t{}\t{}\t255\tcg:Z:{}\n", plain(texts.b_name), texts.n,
                     texts.n, plain(texts.a_name), texts.m, texts.m, path.matches, block, operations(path));
}

std::string record(const compared& texts, lcs_metric metric, std::uint64_t value, bool json,
                   const edit_script* path) {
  struct field {
    std::string key, value;
    bool text = false;
  };
  std::vector<field> fields = {{"a", texts.a_name, true},
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
  if (path != nullptr) fields.push_back({"ops", operations(*path), true});
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
