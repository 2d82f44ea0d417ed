// weft bench: the verb.
#include <cli/bench/bench.hpp>

#include <algorithm>
#include <charconv>
#include <cli/bench/kept_input.hpp>
#include <cli/program.hpp>
#include <cli/task.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fnmatch.h>
#include <set>
#include <weft/base/error.hpp>
#include <weft/io/output_file.hpp>

namespace weft::cli {

namespace {

using namespace bench;

double parse_budget(const std::string& text) {
  double seconds = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (status != std::errc() || rest != text.data() + text.size() || !std::isfinite(seconds) || seconds <= 0)
    throw error(errc::invalid_input, fmt::format("--budget is a number of seconds above 0, not '{}'", text));
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
  const std::string& name = given.inputs.front();
  const std::vector<std::string> files(given.inputs.begin() + 1, given.inputs.end());
  if (name == "scan" && (files.empty() || files.size() == 2)) return {scan_suite(asked, files)};
  if (name == "scan")
    throw error(errc::invalid_input, "weft bench scan takes no files, or motifs and sequences");
  if (!files.empty()) throw error(errc::invalid_input, fmt::format("weft bench {} takes no files", name));
  if (name == "sort") return {sort_suite(asked)};
  if (name == "bwt") return {bwt_suite(asked)};
  if (name == "lcs") return {lcs_suite(asked)};
  if (name == "papers") return paper_suites(asked);
  throw error(errc::invalid_input,
              fmt::format("weft bench knows sort, bwt, lcs, scan and papers, not '{}'", name));
}

// Whether the name holds, or as a pattern of a shell is, what --only says.
bool is_asked_for(const std::string& name, const std::string& only) {
  if (only.find_first_of("*?[") != std::string::npos) return ::fnmatch(only.c_str(), name.c_str(), 0) == 0;
  return name.find(only) != std::string::npos;
}

// Keeps the suite's figures that are asked for. The cases that they draw.
std::set<std::string> keep_figures(suite& of, const std::string& only) {
  std::erase_if(of.figures, [&](const figure& each) { return !is_asked_for(each.name, only); });
  std::set<std::string> drawn;
  for (const figure& each : of.figures)
    for (const auto& row : each.rows) drawn.insert(row.first);
  return drawn;
}

// Keeps what is asked for, and for their rates smaller cases of the same kinds, which come before it in their
// suite or one before.
void keep_asked_for(std::vector<suite>& suites, const arguments& given) {
  const std::string only = given.value("only");
  std::set<std::string> kinds;
  for (auto of = suites.rbegin(); of != suites.rend(); ++of) {
    std::vector<bench_case> cases;
    const std::set<std::string> drawn = keep_figures(*of, only);
    for (auto each = of->cases.rbegin(); each != of->cases.rend(); ++each) {
      const bool asked = !each->for_rates && (is_asked_for(each->name, only) || drawn.contains(each->name));
      if (!asked && !kinds.contains(kind_of(*each))) continue;
      if (asked) kinds.insert(kind_of(*each));
      cases.push_back(std::move(*each));
      cases.back().for_rates = !asked;
    }
    std::reverse(cases.begin(), cases.end());
    of->cases = std::move(cases);
  }
  std::erase_if(suites, [](const suite& of) { return of.cases.empty(); });
  if (suites.empty())
    throw error(errc::invalid_input,
                fmt::format("weft bench {0} has no case '{1}' ('weft bench {0} --list' names them)",
                            given.inputs.front(), only));
}

int print_list(const std::vector<suite>& suites, io::output_file& out) {
  for (const suite& of : suites) {
    for (const bench_case& each : of.cases)
      if (!each.for_rates) out.write(fmt::format("{}\t{}\n", each.name, each.input));
    for (const figure& each : of.figures) out.write(fmt::format("{}\t{}\n", each.name, each.about));
  }
  out.commit();
  return 0;
}

// show(text): takes a part of the table.
template <class Show>
suite_rows run_suite(const suite& of, runner& measure, std::size_t& left, const limits& asked,
                     const Show& show) {
  suite_rows done{&of, measure.ceilings_of(of.ceiling)};
  const bool shown =
      std::any_of(of.cases.begin(), of.cases.end(), [](const bench_case& each) { return !each.for_rates; });
  if (shown) show(table_head(done, asked));
  for (std::size_t i = 0; i < of.cases.size(); ++i) {
    case_rows rows = measure.run(of.cases, i, left);
    if (runner::has_ways(of.cases[i], asked)) --left;
    if (of.cases[i].for_rates && !is_wrong({rows})) continue;
    show(table_part(done, rows));
    done.cases.push_back(std::move(rows));
  }
  last_input() = {}; // the next suite has others
  for (const figure& each : of.figures) show(figure_table(done, each));
  return done;
}

} // namespace

int run_bench(const arguments& given) {
  const limits asked = limits_of(given);
  std::vector<suite> suites = suites_of(given, asked);
  keep_asked_for(suites, given);
  io::output_file out(given.value("output"));
  if (given.has("list")) return print_list(suites, out);
  std::size_t left = 0;
  for (const suite& of : suites)
    left +=
        static_cast<std::size_t>(std::count_if(of.cases.begin(), of.cases.end(), [&](const bench_case& each) {
          return runner::has_ways(each, asked);
        }));
  runner measure(asked);
  std::vector<suite_rows> done;
  bool wrong = false;
  for (const suite& of : suites) {
    done.push_back(run_suite(of, measure, left, asked, [&](const std::string& text) {
      if (given.has("json")) return;
      out.write(text);
      if (out.is_stdout()) out.flush();
    }));
    wrong = wrong || is_wrong(done.back().cases);
  }
  const bool papers = given.inputs.front() == "papers";
  const std::span<const other_table> elsewhere = papers ? tables_elsewhere() : std::span<const other_table>();
  if (given.has("json"))
    out.write(json_document(given.inputs.front(), done, elsewhere, asked));
  else
    for (const other_table& each : elsewhere) out.write(fmt::format("\n{}: {}\n", each.name, each.where));
  out.commit();
  return wrong ? 1 : 0;
}

} // namespace weft::cli
