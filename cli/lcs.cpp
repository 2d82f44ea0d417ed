#include <cli/lcs_lines.hpp>
#include <cli/lcs_notes.hpp>
#include <cli/program.hpp>
#include <cli/ranks.hpp>
#include <cli/task.hpp>
#include <cli/teams.hpp>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/files/lcs/memory_budget.hpp>
#include <weft/files/lcs/residues.hpp>
#include <weft/files/plot/lcs_plot.hpp>
#include <weft/files/ranks/rank_bytes.hpp>
#include <weft/io/byte_source.hpp>
#include <weft/io/output_file.hpp>
#include <weft/multi/lcs.hpp>

namespace weft::cli {

namespace {

enum class unit { residue, byte, line, word };

// Returns the decompressed bytes of a file.
std::string read_bytes(const std::string& path, files::memory_budget& memory) {
  const auto source = io::open_bytes(path, true, memory.left());
  std::string bytes = io::read_all(*source, memory.max_text());
  memory.hold(bytes.capacity(), fmt::format("the bytes of {}", path));
  return bytes;
}

files::unknown_rule unknown_rule_of(const arguments& given) {
  const std::string rule = given.value("unknown");
  return rule == "match"  ? files::unknown_rule::match
         : rule == "skip" ? files::unknown_rule::skip
                          : files::unknown_rule::mismatch;
}

// Reads a record of a file, and says what was joined or removed. `flag` is the flag that chooses the record.
files::named_sequence read_side(const arguments& given, const std::string& path, std::string_view flag,
                                files::memory_budget& memory) {
  const files::record_choice choice{
      given.value(flag), given.has("join"),
      fmt::format(
          "choose one with --{} NAME, join all of them with --join, or compare all pairs of them with "
          "--all-pairs FILE",
          flag)};
  files::named_sequence sequence = files::read_sequence(path, choice, memory);
  note_reading(given, path, sequence);
  return sequence;
}

files::residue_pair read_pair(const arguments& given, files::memory_budget& memory) try {
  files::named_sequence a = read_side(given, given.inputs[0], "a-record", memory);
  files::named_sequence b = read_side(given, given.inputs[1], "b-record", memory);
  return {std::move(a), std::move(b), unknown_rule_of(given), memory};
} catch (const parse_error& fault) {
  if (fault.line() != 1) throw;
  throw error(errc::invalid_input,
              fmt::format("{} (to compare files that are not FASTA or FASTQ, use --by byte or --by line)",
                          fault.what()));
}

// Moves a comparison with wildcards to the CPU if only the environment asks for a GPU. Throws
// error(invalid_input) if the command line does.
void settle_wildcards(const arguments& given, lcs_options& options) {
  if (options.wildcards.empty() || options.run.device.kind != device_kind::gpu) return;
  if (!given.from_environment.contains("device"))
    throw error(errc::invalid_input, "--unknown match runs only on the CPU: it cannot be combined with "
                                     "--device gpu if there are unknown letters");
  options.run.device = {device_kind::cpu, 0};
}

// Throws error(invalid_input) if a penalty is given for another metric than affine.
void check_penalties(const arguments& given, lcs_metric metric) {
  for (const char* flag : {"gap-open", "gap-extend", "mismatch"})
    if (given.has(flag) && metric != lcs_metric::affine)
      throw error(errc::invalid_input, fmt::format("--{} can be used only with --metric affine", flag));
}

lcs_options options_of(const arguments& given) {
  lcs_options options;
  const std::string metric = given.value("metric");
  options.metric = metric == "edit"     ? lcs_metric::edit
                   : metric == "affine" ? lcs_metric::affine
                   : metric == "indel"  ? lcs_metric::indel
                                        : lcs_metric::lcs;
  check_penalties(given, options.metric);
  options.penalties = penalties_of(given);
  set_common_options(given, options);
  options.run.memory = given.size("memory");
  settle_device(given, options, given.has("all-pairs") ? check_all_pairs_options : check_lcs_options);
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

// Returns whether a path that is optimal by the metric contains an LCS.
bool maximises_matches(lcs_metric metric) { return metric == lcs_metric::lcs || metric == lcs_metric::indel; }

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
  if (format == "lcs" && !maximises_matches(metric))
    throw error(errc::invalid_input,
                fmt::format("--format lcs cannot be combined with --metric {}, because a path of {} need "
                            "not contain an LCS",
                            given.value("metric"),
                            metric == lcs_metric::edit ? "fewest edits" : "least penalty"));
}

// The two texts of a comparison, and functions that format a path of them.
struct text_pair {
  files::compared texts;
  std::string_view a, b;                 // the symbols that the engines compare
  std::string_view a_letters, b_letters; // the letters to which paths refer
  std::string plot_unit;
  // Converts a path of symbols to a path of letters; null: they are the same.
  std::function<edit_script(edit_script)> path_of_letters;
  std::function<std::string(const edit_script&)> common;
};

// The output of a comparison.
struct lcs_output {
  std::string text, notes; // text: for standard output; notes: for standard error at the end
  std::uint64_t value = 0; // the number that the metric names
  bool differ = false;     // whether the texts differ
};

// Returns the length of the LCS from the number that a metric names. The metric must maximise matches.
std::uint64_t lcs_length_of(const files::compared& texts, lcs_metric metric, std::uint64_t value) {
  return metric == lcs_metric::lcs ? value : (texts.a_compared() + texts.b_compared() - value) / 2;
}

// Returns true if two texts differ, given the number that their comparison has returned.
bool differ(const files::compared& texts, lcs_metric metric, std::uint64_t value) {
  if (metric != lcs_metric::lcs) return value != 0;
  return value != texts.a_compared() || value != texts.b_compared();
}

// Compares the texts, and returns the number or the path as the user asked for it. Draws the plots.
lcs_output compare(const arguments& given, const text_pair& pair, const lcs_options& options,
                   plot_files& plots, const files::memory_budget& memory) {
  const std::string format = path_format(given);
  const auto summary = [&](const files::compared_value& result) {
    return given.has("length") ? fmt::format("{}\n", result.value)
                               : files::record(pair.texts, result, given.has("json"), nullptr);
  };
  if (format.empty() && plots.empty() && !needs_path(given, options.metric)) {
    const files::compared_value result{options.metric, lcs_value(pair.a, pair.b, options)};
    return {summary(result), "", result.value, differ(pair.texts, options.metric, result.value)};
  }
  edit_script path = lcs(pair.a, pair.b, options);
  const files::compared_value result = files::value_of_path(path, options);
  if (pair.path_of_letters) {
    // Each unknown letter that is left out can split a run, and the vector of runs is copied while it grows.
    const std::uint64_t added =
        2 * (pair.texts.unknown.skipped.empty() ? 0 : pair.texts.unknown.a + pair.texts.unknown.b);
    if (added > 0)
      memory.require((3 * path.runs.size() + 2 * added) * sizeof(edit_run), "the paths of the letters");
    path = pair.path_of_letters(std::move(path));
  }
  memory.require(files::memory_of_text(path, format), "the path and its text");
  if (!plots.empty()) {
    const files::plot_subject picture{pair.texts.a_name, pair.texts.b_name, pair.plot_unit,
                                      files::record_fields(pair.texts, result)};
    const files::strand_anchors anchors = pair.plot_unit == "b"
                                              ? files::find_strand_anchors(pair.a_letters, pair.b_letters)
                                              : files::strand_anchors();
    plots.write([&](files::plot_kind kind) {
      return files::plot(kind, picture, path.runs, pair.texts.m, pair.texts.n, anchors);
    });
  }
  return {format.empty()    ? summary(result)
          : format == "lcs" ? pair.common(path)
          : format == "ops" ? files::operations(path.runs) + "\n"
          : format == "paf" ? files::paf_line(pair.texts, path)
                            : files::record(pair.texts, result, true, &path),
          "", result.value, differ(pair.texts, options.metric, result.value)};
}

// Counts the engines' copies of the texts, up to three, and leaves the rest of the memory for their tables.
void give_memory(lcs_options& options, files::memory_budget& memory, const text_pair& pair) {
  memory.hold(3 * (pair.a.size() + pair.b.size()), "the engines for texts of these lengths");
  options.run.memory = memory.left();
}

lcs_output compare_residues(const arguments& given, lcs_options options, plot_files& plots) {
  files::memory_budget memory(given.size("memory"));
  const files::residue_pair sequences = read_pair(given, memory);
  sequences.set_unknown_letter_options(options);
  settle_wildcards(given, options);
  note_unknown(given, sequences, unknown_rule_of(given));
  const std::string &a = sequences.a().letters, &b = sequences.b().letters;
  if (sequences.is_dna()) note_strand(given, a, b);
  const text_pair pair{sequences.texts(),
                       sequences.a_symbols(),
                       sequences.b_symbols(),
                       a,
                       b,
                       sequences.is_dna() ? "b" : "aa",
                       [&](edit_script path) { return sequences.path_of_letters(std::move(path)); },
                       [&](const edit_script& path) {
                         const std::string common = common_subsequence(path, a);
                         return files::fasta(fmt::format("lcs {} {} length {}", sequences.a().name,
                                                         sequences.b().name, common.size()),
                                             common);
                       }};
  give_memory(options, memory, pair);
  lcs_output output = compare(given, pair, options, plots, memory);
  if (!given.has("quiet") && maximises_matches(options.metric))
    output.notes =
        unrelated_note(pair.a, pair.b, lcs_length_of(pair.texts, options.metric, output.value), options);
  return output;
}

lcs_output compare_bytes(const arguments& given, lcs_options options, plot_files& plots) {
  files::memory_budget memory(given.size("memory"));
  const std::string a = read_bytes(given.inputs[0], memory), b = read_bytes(given.inputs[1], memory);
  const text_pair pair{{given.inputs[0], given.inputs[1], a.size(), b.size()},
                       a,
                       b,
                       a,
                       b,
                       "bytes",
                       nullptr,
                       [&](const edit_script& path) { return common_subsequence(path, a); }};
  give_memory(options, memory, pair);
  return compare(given, pair, options, plots, memory);
}

// Compares every record of the file that --all-pairs names with each record before it. Returns a function
// that writes the values in the format that --format names: tsv, a line for each record with its name and its
// value with each earlier record, or jsonl, an object for each pair.
std::function<void(io::output_file&)> compare_all_pairs(const arguments& given, lcs_options options) {
  files::memory_budget memory(given.size("memory"));
  const std::string path = given.value("all-pairs");
  files::record_set set = files::read_record_set(files::open_on_all_ranks(ranks(), path, memory.left()), path,
                                                 unknown_rule_of(given), memory);
  note_records(given, path, set);
  set.set_unknown_letter_options(options);
  settle_wildcards(given, options);
  io::sequence_chunk& records = set.records;
  memory.hold(3 * records.residues.size(), "the engines for sequences of these lengths");
  options.run.memory = memory.left();
  std::vector<std::uint64_t> values =
      multi::lcs_all_pairs(ranks(), {records.residues, records.offsets}, options);
  return [names = std::move(records.names), values = std::move(values), metric = options.metric,
          format = path_format(given)](io::output_file& out) {
    if (format == "jsonl")
      files::write_pair_objects(out, names, values, files::value_key(metric));
    else
      files::write_pair_table(out, names, values);
  };
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

// Compares two files, or all pairs of records of one file.
int compare_files(const arguments& given, lcs_detail::table_helpers* helpers) {
  check_inputs(given);
  check_diff_flags(given);
  const unit by = unit_of(given);
  const bool pairs = given.has("all-pairs");
  lcs_options options = options_of(given);
  if (!pairs) check_format(given, options.metric);
  weft::run_info info{.engine = options.run.engine};
  options.run.info = &info;
  options.helpers = helpers;
  plot_files plots(given.values("plot"), files::lcs_plot_kinds);
  io::output_file out(ranks().rank() == 0 ? given.value("output") : "/dev/null");
  const stopwatch time;
  lcs_output found;
  std::function<void(io::output_file&)> write = [&](io::output_file& to) { to.write(found.text); };
  {
    const progress_line progress(given, "weft lcs", 1 << 20, "cells");
    if (pairs) {
      write = compare_all_pairs(given, options);
    } else if (by == unit::line || by == unit::word) {
      line_comparison lines = compare_lines(given, options, plots);
      found.differ = lines.differ;
      write = std::move(lines.write);
    } else {
      found =
          by == unit::byte ? compare_bytes(given, options, plots) : compare_residues(given, options, plots);
    }
  }
  say(found.notes);
  if (ranks().rank() == 0) write(out);
  plots.commit_with(out);
  const double seconds = time.seconds();
  // The engine auto runs no engine if one text consists of a prefix and a suffix of the other one.
  const std::string engine = info.engine != "auto" ? info.engine
                             : pairs               ? "none (there are fewer than two records)"
                                                   : "none (the texts differ by at most one gap)";
  closing_line(given, seconds, with_prefix(static_cast<double>(info.work) / seconds) + "cells/s", engine,
               info.device);
  return given.has("fail-if-different") && found.differ ? 1 : 0;
}

} // namespace

int run_lcs(const arguments& given) {
  if (given.has("all-pairs")) return compare_files(given, nullptr);
  return run_with_lcs_team(given, compare_files);
}

} // namespace weft::cli
