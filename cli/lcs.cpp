#include <cli/lcs_lines.hpp>
#include <cli/lcs_notes.hpp>
#include <cli/lcs_pairs.hpp>
#include <cli/lcs_residues.hpp>
#include <cli/memory_budget.hpp>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <fmt/format.h>
#include <functional>
#include <weft/base/error.hpp>
#include <weft/files/plot/lcs_plot.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

enum class unit { residue, byte, line, word };

// Returns the decompressed bytes of a file.
std::string read_bytes(const std::string& path, memory_budget& memory) {
  const auto source = io::open_bytes(path, true, memory.left());
  std::string bytes = io::read_all(*source, memory.max_text());
  memory.hold(bytes.capacity(), fmt::format("the bytes of {}", path));
  return bytes;
}

residue_pair read_pair(const arguments& given, memory_budget& memory) try {
  residues a = read_residues(given, given.inputs[0], given.value("a-record"), "--a-record", memory);
  residues b = read_residues(given, given.inputs[1], given.value("b-record"), "--b-record", memory);
  return {std::move(a), std::move(b), unknown_rule_of(given), memory};
} catch (const parse_error& fault) {
  if (fault.line() != 1) throw;
  throw error(errc::invalid_input,
              fmt::format("{} (to compare files that are not FASTA or FASTQ, use --by byte or --by line)",
                          fault.what()));
}

lcs_options options_of(const arguments& given) {
  lcs_options options;
  const std::string metric = given.value("metric");
  options.metric = metric == "edit"    ? lcs_metric::edit
                   : metric == "indel" ? lcs_metric::indel
                                       : lcs_metric::lcs;
  set_common_options(given, options);
  options.run.memory = given.size("memory");
  settle_device(given, options, check_lcs_options);
  return options;
}

unit unit_of(const arguments& given) {
  const std::string by = given.value("by");
  if (given.has("raw") && given.has("by") && by != "byte")
    throw error(errc::invalid_input, "--raw is the same as --by byte: it cannot be combined with another "
                                     "--by");
  const unit result = given.has("raw") || by == "byte" ? unit::byte
                      : by == "line"                   ? unit::line
                      : by == "word"                   ? unit::word
                                                       : unit::residue;
  for (const char* name : {"a-record", "b-record", "join", "unknown"})
    if (result != unit::residue && given.has(name))
      throw error(
          errc::invalid_input,
          fmt::format("--{} is for residues of FASTA files: it cannot be combined with --raw or --by", name));
  if (given.has("join") && given.has("a-record") && given.has("b-record"))
    throw error(errc::invalid_input, "--join cannot be combined with both --a-record and --b-record, "
                                     "because they leave nothing to join");
  return result;
}

void check_format(const arguments& given, lcs_metric metric) {
  const std::string format = path_format(given);
  if (given.has("length") && given.has("json"))
    throw error(errc::invalid_input, "--length prints a number and --json prints the record: use only "
                                     "one of them");
  if (given.has("json") && given.has("format"))
    throw error(errc::invalid_input, "--json prints the record and cannot be combined with --format: to "
                                     "print the path as JSON, use --format jsonl alone");
  if (format.empty()) return;
  if (given.has("length"))
    throw error(errc::invalid_input, "--length prints a number and --format prints a path: use only one "
                                     "of them");
  if (format == "paf" && (given.value("by") == "line" || given.value("by") == "word"))
    throw error(errc::invalid_input, "--format paf can be used only for residues and bytes");
  if (format == "lcs" && metric == lcs_metric::edit)
    throw error(errc::invalid_input,
                "--format lcs cannot be combined with --metric edit, because a path of fewest edits need "
                "not contain an LCS");
}

// The two texts of a comparison, and functions that format a path of them.
struct subject {
  files::compared texts;
  std::string_view a, b;                 // the symbols that the engines compare
  std::string_view a_letters, b_letters; // the letters to which paths refer
  std::string plot_unit;
  // Converts a path of symbols to a path of letters; null: they are the same.
  std::function<edit_script(edit_script)> path_of_letters;
  std::function<std::string(const edit_script&)> common;
};

// The output of a comparison, and the number that the metric names.
struct comparison {
  std::string text;
  std::uint64_t value = 0; // the number that the metric names
};

// Compares the texts, and returns the number or the path as the user asked for it. Draws the plots.
comparison compare(const arguments& given, const subject& sides, const lcs_options& options,
                   plot_files& plots, const memory_budget& memory) {
  const std::string format = path_format(given);
  const auto summary = [&](std::uint64_t value) {
    return given.has("length")
               ? fmt::format("{}\n", value)
               : files::record(sides.texts, options.metric, value, given.has("json"), nullptr);
  };
  if (format.empty() && plots.empty()) {
    const std::uint64_t value = lcs_value(sides.a, sides.b, options);
    return {summary(value), value};
  }
  edit_script path = lcs(sides.a, sides.b, options);
  const std::uint64_t value = files::path_value(path, options.metric);
  if (sides.path_of_letters) {
    // Each unknown letter that is left out can split a run, and the vector of runs is copied while it grows.
    const std::uint64_t added =
        2 * (sides.texts.unknown.skipped.empty() ? 0 : sides.texts.unknown.a + sides.texts.unknown.b);
    if (added > 0)
      memory.require((3 * path.runs.size() + 2 * added) * sizeof(edit_run), "the paths of the letters");
    path = sides.path_of_letters(std::move(path));
  }
  memory.require(files::memory_of_text(path, format), "the path and its text");
  if (!plots.empty()) {
    const files::plot_subject picture{sides.texts.a_name, sides.texts.b_name, sides.plot_unit,
                                      files::record_fields(sides.texts, options.metric, value)};
    const files::strand_anchors anchors = sides.plot_unit == "b"
                                              ? files::find_strand_anchors(sides.a_letters, sides.b_letters)
                                              : files::strand_anchors();
    plots.write([&](files::plot_kind kind) {
      return files::plot(kind, picture, path.runs, sides.texts.m, sides.texts.n, anchors);
    });
  }
  return {format.empty()    ? summary(value)
          : format == "lcs" ? sides.common(path)
          : format == "ops" ? files::operations(path.runs) + "\n"
          : format == "paf" ? files::paf_line(sides.texts, path)
                            : files::record(sides.texts, options.metric, value, true, &path),
          value};
}

// Returns the length of the LCS from the number that a metric names. The metric must not be edit.
std::uint64_t lcs_length_of(const files::compared& texts, lcs_metric metric, std::uint64_t value) {
  return metric == lcs_metric::lcs ? value : (texts.a_compared() + texts.b_compared() - value) / 2;
}

// Returns true if two texts differ, given the number that their comparison has returned.
bool differ(const files::compared& texts, lcs_metric metric, std::uint64_t value) {
  if (metric != lcs_metric::lcs) return value != 0;
  return value != texts.a_compared() || value != texts.b_compared();
}

// The result of the comparison of A and B.
struct finding {
  std::string text, notes; // text: for standard output; notes: for standard error at the end
  double cells = 0;
  bool differ = false;
};

// Counts the engines' copies of the texts, up to three, and leaves the rest of the memory for their tables.
void give_memory(lcs_options& options, memory_budget& memory, const subject& sides) {
  memory.hold(3 * (sides.a.size() + sides.b.size()), "the engines for texts of these lengths");
  options.run.memory = memory.left();
}

finding result_of(const subject& sides, lcs_metric metric, comparison&& found) {
  return {std::move(found.text), "",
          static_cast<double>(sides.a.size()) * static_cast<double>(sides.b.size()),
          differ(sides.texts, metric, found.value)};
}

finding compare_residues(const arguments& given, lcs_options options, plot_files& plots) {
  memory_budget memory(given.size("memory"));
  const residue_pair pair = read_pair(given, memory);
  pair.set_letters(given, options);
  const bool quiet = given.has("quiet");
  pair.say_notes(given);
  if (!quiet && pair.is_dna()) say(strand_note(pair.a().letters, pair.b().letters));
  const subject sides{pair.texts(),
                      pair.a_symbols(),
                      pair.b_symbols(),
                      pair.a().letters,
                      pair.b().letters,
                      pair.is_dna() ? "b" : "aa",
                      [&](edit_script path) { return pair.path_of_letters(std::move(path)); },
                      [&](const edit_script& path) {
                        const std::string common = common_subsequence(path, pair.a().letters);
                        return files::fasta(
                            fmt::format("lcs {} {} length {}", pair.a().name, pair.b().name, common.size()),
                            common);
                      }};
  give_memory(options, memory, sides);
  comparison found = compare(given, sides, options, plots, memory);
  const std::uint64_t value = found.value;
  finding result = result_of(sides, options.metric, std::move(found));
  if (!quiet && options.metric != lcs_metric::edit)
    result.notes = shuffle_note(sides.a, sides.b, lcs_length_of(sides.texts, options.metric, value), options);
  return result;
}

finding compare_bytes(const arguments& given, lcs_options options, plot_files& plots) {
  memory_budget memory(given.size("memory"));
  const std::string a = read_bytes(given.inputs[0], memory), b = read_bytes(given.inputs[1], memory);
  const subject sides{{given.inputs[0], given.inputs[1], a.size(), b.size()},
                      a,
                      b,
                      a,
                      b,
                      "bytes",
                      nullptr,
                      [&](const edit_script& path) { return common_subsequence(path, a); }};
  give_memory(options, memory, sides);
  return result_of(sides, options.metric, compare(given, sides, options, plots, memory));
}

// Throws error(invalid_input) if A and B, or --all-pairs, cannot be combined with the other flags.
void check_inputs(const arguments& given) {
  const bool pairs = given.has("all-pairs");
  if (given.inputs.size() != (pairs ? 0 : 2))
    throw error(errc::invalid_input,
                "weft lcs needs two files, A and B (or one file, with --all-pairs FILE)");
  if (!pairs && given.inputs[0] == "-" && given.inputs[1] == "-")
    throw error(errc::invalid_input, "only one of A and B can be standard input");
  for (const char* name :
       {"plot", "json", "length", "by", "raw", "a-record", "b-record", "join", "fail-if-different"})
    if (pairs && given.has(name))
      throw error(
          errc::invalid_input,
          fmt::format("--{} cannot be combined with --all-pairs, which writes a table of values", name));
  if (const std::string format = path_format(given); pairs && !format.empty() && format != "jsonl")
    throw error(errc::invalid_input,
                fmt::format("--format must be tsv or jsonl with --all-pairs, not '{}'", format));
}

} // namespace

int run_lcs(const arguments& given) {
  check_inputs(given);
  check_diff_flags(given);
  const unit by = unit_of(given);
  const bool pairs = given.has("all-pairs");
  lcs_options options = options_of(given);
  if (!pairs) check_format(given, options.metric);
  weft::run_info info{.engine = options.run.engine};
  options.run.info = &info;
  plot_files plots(given.values("plot"), files::lcs_plot_kinds);
  io::output_file out(given.value("output"));
  const stopwatch time;
  finding found;
  std::function<void(io::output_file&)> write = [&](io::output_file& to) { to.write(found.text); };
  {
    const progress_line progress(given, "weft lcs", 1 << 20, "cells");
    if (pairs) {
      write = compare_all_pairs(given, options, found.cells);
    } else if (by == unit::line || by == unit::word) {
      line_comparison lines = compare_lines(given, options, plots);
      found.differ = lines.differ;
      found.cells = lines.cells;
      write = std::move(lines.write);
    } else {
      found =
          by == unit::byte ? compare_bytes(given, options, plots) : compare_residues(given, options, plots);
    }
  }
  say(found.notes);
  write(out);
  plots.commit_with(out);
  const double seconds = time.seconds();
  // The engine auto runs no engine if one text consists of a prefix and a suffix of the other one.
  const std::string engine = info.engine != "auto" ? info.engine
                             : pairs               ? "none (there are fewer than two records)"
                                                   : "none (the texts differ by at most one gap)";
  closing_line(given, seconds, with_prefix(found.cells / seconds) + "cells/s", engine, info.device);
  return given.has("fail-if-different") && found.differ ? 1 : 0;
}

} // namespace weft::cli
