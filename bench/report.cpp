// The tables and JSON documents that `weft-bench` prints.
#include <algorithm>
#include <bench/bench.hpp>
#include <cli/task.hpp>
#include <ctime>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>
#include <weft/base/parallel.hpp>
#include <weft/base/version.hpp>
#include <weft/io/json.hpp>

namespace weft::bench {

namespace {

using cli::with_prefix;

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}", __clang_version__);
#else
  return fmt::format("g++ {}", __VERSION__);
#endif
}

std::string gpu_name() { return known_gpus().devices.empty() ? "" : known_gpus().devices.front().name; }

// "1.234 ms"
std::string time_text(double seconds) {
  const auto [factor, unit] = seconds < 1e-3 ? std::pair(1e6, "us")
                              : seconds < 1  ? std::pair(1e3, "ms")
                                             : std::pair(1.0, "s");
  return fmt::format("{:.4g} {}", seconds * factor, unit);
}

// (slowest - quickest) / median
double spread_of(const row& at) {
  const auto [quickest, slowest] = std::minmax_element(at.seconds.begin(), at.seconds.end());
  return (*slowest - *quickest) / at.time();
}

// Returns the percentage of the ceiling, or 0 if no ceiling was measured or the row is a step without a share
// of it.
double of_ceiling(const bench_case& benchmark, const row& at, const ceilings& rates) {
  const double rate = at.device == "gpu" ? rates.gpu : rates.cpu;
  return rate > 0 && !at.step ? 100 * benchmark.work / rate / at.time() : 0;
}

// Returns a line of the table. Extrapolated times, and ratios of them, are marked by a tilde.
std::string table_line(const bench_case& benchmark, std::string_view unit, const row& at,
                       const row* yardstick, const ceilings& rates) {
  const std::string name = at.name + (at.yardstick ? " *" : "");
  const double time = at.time();
  if (time == 0) return fmt::format("  {:<36} {:<8} {}\n", name, at.device, at.not_run);
  if (at.wrong)
    return fmt::format("  {:<36} {:<8} WRONG{}\n", name, at.device,
                       at.has_digest ? fmt::format(": digest {:016x}", at.digest) : "");
  const bool guessed = at.seconds.empty(), of_guessed = yardstick != nullptr && yardstick->seconds.empty();
  const std::string ratio = yardstick == nullptr ? "-"
                                                 : fmt::format("{}{:.3g}", guessed || of_guessed ? "~" : "",
                                                               yardstick->time() / time);
  if (guessed)
    return fmt::format("  {:<36} {:<8} {:>11} {:>9}  {:>7}  {}\n", name, at.device, "~" + time_text(time),
                       "-", ratio, at.not_run);
  const double percent = of_ceiling(benchmark, at, rates);
  const std::string ceiling = percent > 0 ? fmt::format("{:.2g} %", percent) : "-",
                    spread = at.seconds.size() == 1 ? "-" : fmt::format("{:.1f} %", 100 * spread_of(at)),
                    rate = fmt::format("{}{}/s", with_prefix(benchmark.units / time), unit);
  return fmt::format("  {:<36} {:<8} {:>11} {:>9}  {:>7}  {:>9} {:>5}  {}\n", name, at.device,
                     time_text(time), spread, ratio, ceiling, at.seconds.size(), rate);
}

std::string json_row(const suite_rows& suite, const case_rows& rows, const row& at) {
  const bench_case& benchmark = *rows.definition;
  std::string text = fmt::format(
      "{{\"name\":{},\"case\":{},\"input\":{},\"way\":{},\"device\":{},\"yardstick\":{}",
      io::json_string(fmt::format("{}/{}/{}/{}", suite.definition->name, benchmark.name, at.name, at.device)),
      io::json_string(benchmark.name), io::json_string(benchmark.input), io::json_string(at.name),
      io::json_string(at.device), at.yardstick);
  if (!benchmark.published.empty())
    text += fmt::format(",\"published\":{}", io::json_string(benchmark.published));
  const double time = at.time();
  if (!at.not_run.empty() && time > 0) text += fmt::format(",\"extrapolated_ns\":{:.0f}", time * 1e9);
  if (!at.not_run.empty()) return fmt::format("{},\"reason\":{}}}", text, io::json_string(at.not_run));
  text += fmt::format(",\"run_type\":\"iteration\",\"real_time\":{0:.0f},\"time_unit\":\"ns\","
                      "\"median_us\":{1:.3f},\"spread\":{2:.4f},\"units\":{3:.0f},"
                      "\"unit\":\"{4}\",\"rate\":{5:.6g},\"ceiling_percent\":{6:.4g}",
                      time * 1e9, time * 1e6, spread_of(at), benchmark.units, suite.definition->unit,
                      benchmark.units / time, of_ceiling(benchmark, at, suite.rates));
  if (at.has_digest) text += fmt::format(",\"digest\":\"{:016x}\"", at.digest);
  if (benchmark.expected && at.has_digest)
    text += fmt::format(",\"expected\":\"{:016x}\"", *benchmark.expected);
  if (const row* yardstick = quickest_yardstick(rows); yardstick != nullptr)
    text += fmt::format(",\"ratio\":{:.4g},\"ratio_to\":{}", yardstick->time() / time,
                        io::json_string(yardstick->name));
  if (at.wrong) text += ",\"error_occurred\":true,\"error_message\":\"wrong answer\"";
  text += ",\"runs_ns\":[";
  for (std::size_t i = 0; i < at.seconds.size(); ++i)
    text += fmt::format("{}{:.0f}", i > 0 ? "," : "", at.seconds[i] * 1e9);
  return text + "]}";
}

// Returns the row of a method in the case called `name`, or null if the method was not run or has no time.
const row* row_in_figure(const suite_rows& suite, const std::string& name, const std::string& method) {
  for (const case_rows& rows : suite.cases)
    if (rows.definition->name == name)
      for (const row& each : rows.rows)
        if (each.name == method && each.time() > 0 && !each.wrong) return &each;
  return nullptr;
}

// Returns the time of the first method divided by that of the second, or 0 if one of them is unknown.
double ratio_in_figure(const suite_rows& suite, const figure& shown, const std::string& name) {
  const row *const first = row_in_figure(suite, name, shown.methods[0]), *const second = row_in_figure(
                                                                             suite, name, shown.methods[1]);
  return first == nullptr || second == nullptr ? 0 : first->time() / second->time();
}

std::string json_figure(const suite_rows& suite, const figure& shown) {
  std::vector<std::string> rows;
  for (const auto& [name, published] : shown.rows) {
    std::string text = fmt::format("{{\"case\":{},\"ways\":{{", io::json_string(name));
    for (std::size_t i = 0; i < shown.methods.size(); ++i) {
      const row* const at = row_in_figure(suite, name, shown.methods[i]);
      text += fmt::format("{}{}:{}", i > 0 ? "," : "", io::json_string(shown.methods[i]),
                          at == nullptr ? "null" : fmt::format("{:.0f}", at->time() * 1e9));
    }
    text += "}";
    if (const double ratio = ratio_in_figure(suite, shown, name); ratio > 0)
      text += fmt::format(",\"ratio\":{:.4g}", ratio);
    rows.push_back(text + fmt::format(",\"published\":{}}}", io::json_string(published)));
  }
  return fmt::format("{{\"name\":{},\"about\":{},\"rows\":[{}]}}", io::json_string(shown.name),
                     io::json_string(shown.about), fmt::join(rows, ",\n"));
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("[{}]", fmt::join(parts, ",\n"));
}

} // namespace

std::string table_head(const suite_rows& measured, const limits& asked) {
  const suite& from = *measured.definition;
  std::string text = fmt::format("weft-bench {}, weft {}: {}{}{}; {}\n", from.name, WEFT_VERSION,
                                 describe_cpu(), gpu_name().empty() ? "" : "; ", gpu_name(), compiler());
  if (!from.about.empty()) text += fmt::format("  {}\n", from.about);
  const auto fixed = std::count_if(from.cases.begin(), from.cases.end(),
                                   [](const bench_case& each) { return each.expected.has_value(); });
  text += fmt::format(
      "  median: of the runs; spread: (slowest - quickest) / median; every answer is held against {}\n",
      fixed == std::ssize(from.cases) ? "a fixed digest"
      : fixed == 0                    ? "that of the first way"
                                      : "a fixed digest, or else that of the first way");
  text += "  ratio: the time of the quickest yardstick (*) of the case by the row's, in this run; ~: "
          "extrapolated\n";
  const std::string unit = from.ceiling == ceiling_kind::copy ? "B/s" : "bit/s";
  text += fmt::format("  ceiling: {}; measured", from.ceiling_is);
  if (measured.rates.cpu > 0)
    text += fmt::format(" cpu x{}: {}{}", thread_count(asked.threads), with_prefix(measured.rates.cpu), unit);
  if (measured.rates.gpu > 0)
    text +=
        fmt::format("{} gpu: {}{}", measured.rates.cpu > 0 ? "," : "", with_prefix(measured.rates.gpu), unit);
  return text + "\n";
}

std::string table_part(const suite_rows& measured, const case_rows& rows) {
  std::string text = fmt::format("\n{}: {}\n", rows.definition->name, rows.definition->input);
  if (!rows.definition->published.empty())
    text += fmt::format("  published: {}\n", rows.definition->published);
  if (rows.rows.empty()) return text + "  no way on the devices that were asked for\n";
  text += fmt::format("  {:<36} {:<8} {:>11} {:>9}  {:>7}  {:>9} {:>5}  {}\n", "way", "device", "median",
                      "spread", "ratio", "ceiling", "runs", "rate");
  const row* const yardstick = quickest_yardstick(rows);
  for (const row& each : rows.rows)
    text += table_line(*rows.definition, measured.definition->unit, each, yardstick, measured.rates);
  return text;
}

std::string figure_table(const suite_rows& measured, const figure& shown) {
  std::string text = fmt::format("\n{}: {}\n  {:<30}", shown.name, shown.about, "case");
  for (const std::string& method : shown.methods) text += fmt::format(" {:>22}", method);
  text += fmt::format("  {:>7}  published ratio\n", "ratio");
  for (const auto& [name, published] : shown.rows) {
    text += fmt::format("  {:<30}", name);
    bool guessed = false;
    for (const std::string& method : shown.methods) {
      const row* const at = row_in_figure(measured, name, method);
      const bool tilde = at != nullptr && at->seconds.empty();
      text += fmt::format(" {:>22}", at == nullptr ? "-" : (tilde ? "~" : "") + time_text(at->time()));
      guessed = guessed || tilde;
    }
    const double ratio = ratio_in_figure(measured, shown, name);
    text += fmt::format("  {:>7}  {}\n", ratio > 0 ? fmt::format("{}{:.3g}", guessed ? "~" : "", ratio) : "-",
                        published);
  }
  return text;
}

std::string json_document(std::string_view name, const std::vector<suite_rows>& suites,
                          std::span<const other_table> elsewhere, const limits& asked) {
  char host[256] = {};
  (void)::gethostname(host, sizeof host - 1);
  const std::time_t now = std::time(nullptr);
  char date[32] = {};
  std::tm broken_down{};
  (void)std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&now, &broken_down));
  std::vector<std::string> measured, not_run, ceilings, figures;
  for (const other_table& each : elsewhere)
    not_run.push_back(fmt::format("{{\"name\":{},\"reason\":{}}}", io::json_string(each.name),
                                  io::json_string(each.where)));
  for (const suite_rows& suite : suites) {
    ceilings.push_back(fmt::format("{{\"of\":\"{}\",\"is\":{},\"cpu\":{:.6g},\"gpu\":{:.6g}}}",
                                   suite.definition->name, io::json_string(suite.definition->ceiling_is),
                                   suite.rates.cpu, suite.rates.gpu));
    for (const case_rows& rows : suite.cases)
      for (const row& each : rows.rows)
        (each.not_run.empty() ? measured : not_run).push_back(json_row(suite, rows, each));
    for (const figure& each : suite.definition->figures) figures.push_back(json_figure(suite, each));
  }
  return fmt::format(
      "{{\"context\":{{\"program\":\"weft-bench {}\",\"weft\":\"{}\",\"commit\":\"{}\",\"date\":\"{}\","
      "\"host_name\":{},\"num_cpus\":{},\"cpu\":{},\"gpu\":{},\"compiler\":{},\"threads\":{},"
      "\"budget_s\":{},\n\"ceilings\":{}}},\n\"benchmarks\":{},\n\"figures\":{},\n\"not_run\":{}}}\n",
      name, WEFT_VERSION, WEFT_COMMIT, date, io::json_string(host), std::thread::hardware_concurrency(),
      io::json_string(describe_cpu()), io::json_string(gpu_name()), io::json_string(compiler()),
      thread_count(asked.threads), asked.budget, joined(ceilings), joined(measured), joined(figures),
      joined(not_run));
}

} // namespace weft::bench
