// The program weft-bench: its verbs and flags, and what each of them runs.
#include <bench/program.hpp>

#include <algorithm>
#include <bench/bench.hpp>
#include <bench/compare.hpp>
#include <bench/kept_input.hpp>
#include <bench/scale/scale.hpp>
#include <charconv>
#include <cli/file_check.hpp>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fnmatch.h>
#include <set>
#include <weft/base/error.hpp>
#include <weft/io/output_file.hpp>

namespace weft::bench {

namespace {

using cli::arguments;
using cli::verb;

double parse_budget(const std::string& text) {
  double seconds = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (status != std::errc() || rest != text.data() + text.size() || !std::isfinite(seconds) || seconds <= 0)
    throw error(errc::invalid_input,
                fmt::format("--budget must be a number of seconds above 0, not '{}'", text));
  return seconds;
}

limits limits_of(const arguments& given) {
  limits asked;
  asked.budget = parse_budget(given.value("budget"));
  if (given.has("runs")) asked.runs = static_cast<int>(given.number("runs", 1));
  asked.threads = given.threads();
  asked.cpu = given.value("device") != "gpu";
  asked.gpu = given.value("device") != "cpu";
  if (!asked.cpu) require_device({device_kind::gpu, 0});
  return asked;
}

std::vector<suite> suites_of(const arguments& given, const limits& asked) {
  const std::string_view name = given.chosen_verb->name;
  if (name == "sort") return {sort_suite(asked)};
  if (name == "bwt") return {bwt_suite(asked, given.inputs)};
  if (name == "papers") return paper_suites(asked);
  if (given.inputs.size() == 1)
    cli::bad_usage(*given.chosen_verb,
                   fmt::format("{} needs either no files or two: {}", cli::full_name(*given.chosen_verb),
                               given.chosen_verb->arguments));
  return {name == "lcs" ? lcs_suite(asked, given.inputs) : scan_suite(asked, given.inputs)};
}

// Removes the figures that --only does not select. Returns the names of the cases that the remaining figures
// show.
std::set<std::string> keep_requested_figures(suite& definition, const std::string& only) {
  std::erase_if(definition.figures, [&](const figure& each) { return !is_requested(each.name, only); });
  std::set<std::string> drawn;
  for (const figure& each : definition.figures)
    for (const auto& row : each.rows) drawn.insert(row.first);
  return drawn;
}

// Removes the cases and figures that --only does not select. Smaller cases of the same kinds, which come
// earlier in the same suite or in an earlier one, stay as cases `for_rates`.
void keep_requested(std::vector<suite>& suites, const arguments& given) {
  const std::string only = given.value("only");
  const bool all = given.has("all") || given.has("list") || !only.empty();
  std::set<std::string> kinds;
  for (auto definition = suites.rbegin(); definition != suites.rend(); ++definition) {
    std::vector<bench_case> cases;
    const std::set<std::string> drawn = keep_requested_figures(*definition, only);
    for (auto each = definition->cases.rbegin(); each != definition->cases.rend(); ++each) {
      const bool asked = !each->for_rates && (all || !each->on_request) &&
                         (is_requested(each->name, only) || drawn.contains(each->name));
      if (!asked && !kinds.contains(kind_of(*each))) continue;
      if (asked) kinds.insert(kind_of(*each));
      cases.push_back(std::move(*each));
      cases.back().for_rates = !asked;
    }
    std::reverse(cases.begin(), cases.end());
    definition->cases = std::move(cases);
  }
  std::erase_if(suites, [](const suite& definition) { return definition.cases.empty(); });
  if (suites.empty())
    throw error(errc::invalid_input, fmt::format("{0} has no case '{1}' ('{0} --list' names them)",
                                                 cli::full_name(*given.chosen_verb), only));
}

int print_list(const std::vector<suite>& suites, io::output_file& out) {
  for (const suite& definition : suites) {
    for (const bench_case& each : definition.cases)
      if (!each.for_rates)
        out.write(fmt::format("{}\t{}{}\n", each.name, each.input,
                              each.on_request ? " (only with --all or --only)" : ""));
    for (const figure& each : definition.figures) out.write(fmt::format("{}\t{}\n", each.name, each.about));
  }
  out.commit();
  return 0;
}

// Runs the cases of a suite. show(text) is called with each part of the table.
template <class Show>
suite_rows run_suite(const suite& definition, runner& measure, std::size_t& cases_left, const limits& asked,
                     const Show& show) {
  suite_rows done{&definition, measure.ceilings_of(definition.ceiling)};
  const bool shown = std::any_of(definition.cases.begin(), definition.cases.end(),
                                 [](const bench_case& each) { return !each.for_rates; });
  if (shown) show(table_head(done, asked));
  for (std::size_t i = 0; i < definition.cases.size(); ++i) {
    case_rows rows = measure.run(definition.cases, i, cases_left);
    if (runner::has_runnable_method(definition.cases[i], asked)) --cases_left;
    if (definition.cases[i].for_rates && !is_wrong({rows})) continue;
    show(table_part(done, rows));
    done.cases.push_back(std::move(rows));
  }
  last_input() = {}; // the next suite has other inputs
  for (const figure& each : definition.figures) show(figure_table(done, each));
  return done;
}

int run_suites(const arguments& given) {
  const limits asked = limits_of(given);
  std::vector<suite> suites = suites_of(given, asked);
  keep_requested(suites, given);
  io::output_file out(given.value("output"));
  if (given.has("list")) return print_list(suites, out);
  std::size_t cases_left = 0;
  for (const suite& definition : suites)
    cases_left += static_cast<std::size_t>(
        std::count_if(definition.cases.begin(), definition.cases.end(),
                      [&](const bench_case& each) { return runner::has_runnable_method(each, asked); }));
  runner measure(asked);
  std::vector<suite_rows> done;
  bool wrong = false;
  for (const suite& definition : suites) {
    done.push_back(run_suite(definition, measure, cases_left, asked, [&](const std::string& text) {
      if (given.has("json")) return;
      out.write(text);
      if (out.is_stdout()) out.flush();
    }));
    wrong = wrong || is_wrong(done.back().cases);
  }
  const bool papers = given.chosen_verb->name == "papers";
  const std::span<const other_table> elsewhere = papers ? tables_elsewhere() : std::span<const other_table>();
  if (given.has("json"))
    out.write(json_document(given.chosen_verb->name, done, elsewhere, asked));
  else
    for (const other_table& each : elsewhere) out.write(fmt::format("\n{}: {}\n", each.name, each.where));
  out.commit();
  return wrong ? 1 : 0;
}

int run_verb(const arguments& given) {
  if (given.has("help")) return cli::print(cli::help(*given.chosen_verb)), 0;
  cli::check_files(given);
  if (given.chosen_verb->name == "compare") return run_compare(given);
  if (given.chosen_verb->name == "scale") return run_scale(given);
  if (given.chosen_verb->name != "help") return run_suites(given);
  if (given.inputs.empty()) return cli::print(cli::help(benchmarks)), 0;
  if (const verb* asked = cli::find_verb(given.inputs.front(), benchmarks))
    return cli::print(cli::help(*asked)), 0;
  throw error(errc::invalid_input,
              fmt::format("there is no verb '{}'\n'weft-bench help' lists the verbs", given.inputs.front()));
}

} // namespace

bool is_requested(const std::string& name, const std::string& only) {
  if (only.find_first_of("*?[") != std::string::npos) return ::fnmatch(only.c_str(), name.c_str(), 0) == 0;
  return name.find(only) != std::string::npos;
}

int run(int argc, char** argv) {
  cli::install_signal_handlers();
  return cli::report_errors(benchmarks.name, [&] {
    return cli::run_program(benchmarks, {argv + std::min(argc, 1), argv + argc}, run_verb);
  });
}

} // namespace weft::bench
