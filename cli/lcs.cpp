#include <algorithm>
#include <cli/plot/lcs_plot.hpp>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <weft/base/error.hpp>
#include <weft/io/output_file.hpp>
#include <weft/io/sequence_reader.hpp>

namespace weft::cli {

namespace {

enum class unit { residue, byte, line };

struct text {
  std::string name, bytes;
};

void raise_case(std::string& residues) {
  for (char& c : residues)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
}

// The records of a FASTA or FASTQ file one after another, or the one asked for.
text read_residues(const std::string& path, const std::string& record) {
  io::sequence_reader reader(io::open_bytes(path));
  io::sequence_chunk chunk;
  text result{path, {}};
  bool found = record.empty();
  while (reader.read(chunk, record.empty() ? ~std::uint64_t{0} : 1)) {
    if (!record.empty() && chunk.names.front() != record) continue;
    if (chunk.count() == 1 && !chunk.names.front().empty()) result.name = chunk.names.front();
    result.bytes = std::move(chunk.residues);
    found = true;
    break;
  }
  if (!found) throw error(errc::invalid_input, fmt::format("{}: there is no record '{}'", path, record));
  raise_case(result.bytes);
  return result;
}

text read_text(const std::string& path, unit by, const std::string& record) {
  if (by == unit::residue) try {
      return read_residues(path, record);
    } catch (const parse_error& fault) {
      if (fault.line() != 1) throw;
      throw error(errc::invalid_input,
                  fmt::format("{} (--by byte and --by line compare files of any kind)", fault.what()));
    }
  const auto source = io::open_bytes(path);
  return {path, io::read_all(*source)};
}

// Each line as a number: equal lines, equal numbers. A last line with and without its newline are the same.
class line_numbers {
public:
  std::vector<std::uint32_t> of(std::string_view bytes, std::vector<std::string_view>& lines) {
    std::vector<std::uint32_t> numbers;
    while (!bytes.empty()) {
      const std::string_view line = bytes.substr(0, bytes.find('\n'));
      bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
      lines.push_back(line);
      numbers.push_back(known_.try_emplace(line, static_cast<std::uint32_t>(known_.size())).first->second);
    }
    return numbers;
  }

private:
  std::unordered_map<std::string_view, std::uint32_t> known_;
};

lcs_options options_of(const arguments& given) {
  lcs_options options;
  const std::string metric = given.value("metric");
  options.metric = metric == "edit"    ? lcs_metric::edit
                   : metric == "indel" ? lcs_metric::indel
                                       : lcs_metric::lcs;
  set_common_options(given, options);
  options.memory = given.size("memory");
  settle_device(given, options, check_lcs_options);
  return options;
}

unit unit_of(const arguments& given) {
  const std::string by = given.value("by");
  if (given.has("raw") && given.has("by") && by != "byte")
    throw error(errc::invalid_input, "--raw is the same as --by byte, and goes with no other --by");
  const unit result = given.has("raw") || by == "byte" ? unit::byte
                      : by == "line"                   ? unit::line
                                                       : unit::residue;
  if (result != unit::residue && (given.has("a-record") || given.has("b-record")))
    throw error(errc::invalid_input,
                "--a-record and --b-record choose records of FASTA files; they do not go with --raw or --by");
  return result;
}

// What goes out: text, and the bytes of the plot if one is asked for.
struct outcome {
  std::string text, plot;
};

void check_format(const arguments& given, lcs_metric metric) {
  const std::string format = given.value("format");
  if (given.has("length") && given.has("json"))
    throw error(errc::invalid_input, "--length prints a number, --json the record: only one of them");
  if (format.empty()) return;
  if (given.has("length"))
    throw error(errc::invalid_input, "--length prints a number, --format a path: only one of them");
  if (given.has("json"))
    throw error(errc::invalid_input, "--json prints the record; for the path as JSON take --format jsonl");
  if (format == "paf" && given.value("by") == "line")
    throw error(errc::invalid_input, "--format paf is for residues and bytes");
  if (format == "lcs" && metric == lcs_metric::edit)
    throw error(errc::invalid_input,
                "a path of fewest edits need not hold an LCS: --format lcs goes with --metric lcs");
}

std::uint64_t value_of(const edit_script& path, lcs_metric metric) {
  const std::uint64_t indel = path.insertions + path.deletions;
  return metric == lcs_metric::edit    ? indel + path.substitutions
         : metric == lcs_metric::indel ? indel
                                       : path.matches;
}

// What a plot calls a symbol; residues "b", for bases, if nine in ten are letters of nucleotides, else "aa"
// for amino acids.
std::string plot_unit(const arguments& given, std::string_view a, std::string_view b) {
  if (unit_of(given) == unit::byte) return "bytes";
  std::uint64_t bases = 0;
  for (const std::string_view each : {a, b})
    bases += static_cast<std::uint64_t>(std::count_if(each.begin(), each.end(), [](char c) {
      return std::string_view("ACGTUN").find(c) != std::string_view::npos;
    }));
  const std::uint64_t length = a.size() + b.size();
  return bases >= length - length / 10 ? "b" : "aa";
}
std::string plot_unit(const arguments&, std::span<const std::uint32_t>, std::span<const std::uint32_t>) {
  return "lines";
}

// What both kinds of symbols share: the number or the path, printed and drawn as asked.
template <class Symbols>
outcome compare(const arguments& given, const compared& texts, Symbols a, Symbols b,
                const lcs_options& options, const std::function<std::string(const edit_script&)>& common) {
  const std::string format = given.value("format");
  const auto summary = [&](std::uint64_t value) {
    return given.has("length") ? fmt::format("{}\n", value)
                               : record(texts, options.metric, value, given.has("json"), nullptr);
  };
  if (format.empty() && !given.has("plot")) return {summary(lcs_value(a, b, options)), {}};
  const edit_script path = lcs(a, b, options);
  const std::uint64_t value = value_of(path, options.metric);
  outcome result;
  if (given.has("plot"))
    result.plot = plot(
        plot_kind_of(given.value("plot")),
        {texts.a_name, texts.b_name, plot_unit(given, a, b), record_fields(texts, options.metric, value)},
        path.runs, texts.m, texts.n);
  result.text = format.empty()    ? summary(value)
                : format == "lcs" ? common(path)
                : format == "ops" ? operations(path.runs) + "\n"
                : format == "paf" ? paf_line(texts, path)
                                  : record(texts, options.metric, value, true, &path);
  return result;
}

outcome compare_lines(const arguments& given, const text& a, const text& b, const lcs_options& options,
                      compared texts, double& cells) {
  line_numbers numbers;
  std::vector<std::string_view> a_lines, b_lines;
  const std::vector<std::uint32_t> a_numbers = numbers.of(a.bytes, a_lines),
                                   b_numbers = numbers.of(b.bytes, b_lines);
  texts.m = a_numbers.size();
  texts.n = b_numbers.size();
  cells = static_cast<double>(texts.m) * static_cast<double>(texts.n);
  return compare(given, texts, std::span(a_numbers), std::span(b_numbers), options,
                 [&](const edit_script& path) {
                   std::string common;
                   std::uint64_t at = 0;
                   for (const edit_run& run : path.runs) {
                     if (run.op == edit_op::insert) continue;
                     for (std::uint64_t i = 0; i < run.length && run.op == edit_op::match; ++i)
                       (common += a_lines[at + i]) += '\n';
                     at += run.length;
                   }
                   return common;
                 });
}

std::string all_pairs(const std::string& path, const lcs_options& options, double& cells) {
  io::sequence_chunk chunk = io::read_sequences(path);
  raise_case(chunk.residues);
  const std::vector<std::uint64_t> values = lcs_all_pairs(chunk.residues, chunk.offsets, options);
  std::string table;
  for (std::uint64_t i = 0, at = 0; i < chunk.count(); ++i) {
    table += chunk.names[i];
    for (std::uint64_t j = 0; j < i; ++j) table += fmt::format("\t{}", values[at++]);
    table += '\n';
    cells += static_cast<double>(chunk.offsets[i]) * static_cast<double>(chunk.sequence(i).size());
  }
  return table;
}

// Throws error(invalid_input) where A and B, or --all-pairs, do not fit what else is given.
void check_inputs(const arguments& given) {
  const bool pairs = given.has("all-pairs");
  if (given.inputs.size() != (pairs ? 0 : 2))
    throw error(errc::invalid_input,
                "weft lcs compares two files, A and B (or all records of one, with --all-pairs FILE)");
  if (!pairs && given.inputs[0] == "-" && given.inputs[1] == "-")
    throw error(errc::invalid_input, "only one of A and B can be standard input");
  for (const char* name : {"plot", "json", "length", "format", "by", "raw", "a-record", "b-record"})
    if (pairs && given.has(name))
      throw error(
          errc::invalid_input,
          fmt::format("--{} is for A and B: not with --all-pairs, which writes a table of values", name));
}

} // namespace

int run_lcs(const arguments& given) {
  check_inputs(given);
  const unit by = unit_of(given);
  const bool pairs = given.has("all-pairs");
  if (given.has("plot")) (void)plot_kind_of(given.value("plot"));
  lcs_options options = options_of(given);
  if (!pairs) check_format(given, options.metric);
  lcs_used used{options.engine, -1};
  options.used = &used;
  io::output_file out(given.value("output"));
  std::optional<io::output_file> plot_out;
  if (given.has("plot")) plot_out.emplace(given.value("plot"));
  const stopwatch time;
  outcome result;
  double cells = 0;
  {
    const progress_line progress(given, "weft lcs", 1 << 20, "cells");
    if (pairs) {
      result.text = all_pairs(given.value("all-pairs"), options, cells);
    } else {
      const text a = read_text(given.inputs[0], by, given.value("a-record")),
                 b = read_text(given.inputs[1], by, given.value("b-record"));
      const compared texts{a.name, b.name, a.bytes.size(), b.bytes.size()};
      cells = static_cast<double>(a.bytes.size()) * static_cast<double>(b.bytes.size());
      result = by == unit::line ? compare_lines(given, a, b, options, texts, cells)
                                : compare(given, texts, std::string_view(a.bytes), std::string_view(b.bytes),
                                          options, [&](const edit_script& path) {
                                            const std::string common = common_subsequence(path, a.bytes);
                                            return by == unit::byte
                                                       ? common
                                                       : fasta(fmt::format("lcs {} {} length {}", a.name,
                                                                           b.name, common.size()),
                                                               common);
                                          });
    }
  }
  if (plot_out) {
    plot_out->write(result.plot);
    plot_out->finish(); // before anything goes to standard output
  }
  out.write(result.text);
  if (plot_out)
    io::output_file::commit_both(*plot_out, out);
  else
    out.commit();
  const double seconds = time.seconds();
  // Auto runs no engine where one text is the start and the end of the other.
  const bool no_table = used.engine == "auto" && !pairs;
  closing_line(given, seconds, with_prefix(cells / seconds) + "cells/s",
               no_table ? "none (they differ by one gap at most)" : used.engine, used.gpu);
  return 0;
}

} // namespace weft::cli
