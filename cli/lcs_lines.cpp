#include <cli/lcs_lines.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/files/formats/lcs_formats.hpp>
#include <weft/files/lines/token_text.hpp>
#include <weft/files/plot/lcs_plot.hpp>

namespace weft::cli {

namespace {

files::token_rules rules_of(const arguments& given) {
  return {.kind = given.value("by") == "word" ? files::token_kind::word : files::token_kind::line,
          .ignore_space = given.has("ignore-all-space"),
          .ignore_case = given.has("ignore-case"),
          .newline_counts = given.value("format") == "unified" || given.has("fail-if-different")};
}

// Throws memory_error if `memory` (0: no limit) does not suffice for a path and its text.
void require_memory(std::uint64_t needed, std::uint64_t memory) {
  if (memory != 0 && needed > memory)
    throw memory_error(fmt::format("the path and its text need {} of memory, but only {} of the allowed "
                                   "memory is left",
                                   format_size(needed), format_size(memory)));
}

void write_path(io::output_file& out, const arguments& given, const files::compared& texts,
                const files::token_pair& pair, const edit_script& path, const files::compared_value& result) {
  const std::string format = path_format(given);
  if (format == "unified")
    files::write_unified(
        out, {given.inputs[0], pair.a.bytes()}, {given.inputs[1], pair.b.bytes()}, path.runs,
        std::min(static_cast<std::uint64_t>(given.number("context", 0)), std::uint64_t{1} << 62));
  else if (format == "lcs")
    files::write_common_tokens(out, pair.a.bytes(), rules_of(given).kind, path.runs);
  else if (format == "ops")
    out.write(files::operations(path.runs) + "\n");
  else
    out.write(files::record(texts, result, true, &path));
}

} // namespace

bool needs_path(const arguments& given, lcs_metric metric) {
  return metric == lcs_metric::affine && !given.has("length");
}

std::string path_format(const arguments& given) {
  const std::string format = given.value("format");
  return format == "tsv" ? "" : format;
}

void check_diff_flags(const arguments& given) {
  const std::string by = given.has("raw") ? "byte" : given.value("by"), format = given.value("format");
  const auto refuse = [](const char* flag, const char* with) {
    throw error(errc::invalid_input, fmt::format("--{} can be used only with {}", flag, with));
  };
  if (given.has("ignore-all-space") && by != "line") refuse("ignore-all-space", "--by line");
  if (given.has("ignore-case") && by != "line" && by != "word")
    refuse("ignore-case", "--by line or --by word (residues are always compared without regard to case)");
  if (format == "unified" && by != "line") refuse("format unified", "--by line");
  if (const std::string metric = given.value("metric");
      format == "unified" && (metric == "edit" || metric == "affine"))
    refuse("format unified",
           "--metric lcs or indel, because a path of fewest edits or of least penalty is not the shortest "
           "list of changed lines");
  if (given.has("context") && format != "unified") refuse("context", "--format unified");
}

line_comparison compare_lines(const arguments& given, lcs_options options, plot_files& plots) {
  const auto pair = std::make_shared<const files::token_pair>(given.inputs[0], given.inputs[1],
                                                              rules_of(given), options.run.memory);
  options.run.memory = pair->left_memory;
  const std::span<const std::uint32_t> a(pair->a_numbers), b(pair->b_numbers);
  const files::compared texts{given.inputs[0], given.inputs[1], a.size(), b.size()};
  line_comparison result;
  result.differ = !std::ranges::equal(a, b);
  const auto write_value = [=, &given](const files::compared_value& value) {
    return [=, &given](io::output_file& out) {
      out.write(given.has("length") ? fmt::format("{}\n", value.value)
                                    : files::record(texts, value, given.has("json"), nullptr));
    };
  };
  if (path_format(given).empty() && plots.empty() && !needs_path(given, options.metric)) {
    result.write = write_value({options.metric, lcs_value(a, b, options)});
    return result;
  }
  const auto path = std::make_shared<const edit_script>(lcs(a, b, options));
  const files::compared_value value = files::value_of_path(*path, options);
  const std::string format = path_format(given);
  const bool in_pieces = format == "lcs" || format == "unified";
  require_memory(files::memory_of_text(*path, in_pieces ? "" : format), options.run.memory);
  if (!plots.empty()) {
    const files::plot_subject subject{texts.a_name, texts.b_name, given.value("by") + "s",
                                      files::record_fields(texts, value)};
    plots.write(
        [&](files::plot_kind kind) { return files::plot(kind, subject, path->runs, texts.m, texts.n); });
  }
  if (path_format(given).empty())
    result.write = write_value(value);
  else
    result.write = [=, &given](io::output_file& out) { write_path(out, given, texts, *pair, *path, value); };
  return result;
}

} // namespace weft::cli
