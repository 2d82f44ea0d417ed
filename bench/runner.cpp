#include <bench/bench.hpp>

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <new>
#include <numeric>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::bench {

namespace {

constexpr std::size_t max_runs = 25;
constexpr const char* over_budget = "not run within the budget";
constexpr double unlimited = std::numeric_limits<double>::infinity();

std::string device_of(const method& each, const limits& asked) {
  if (each.on_gpu) return "gpu";
  return fmt::format("cpu x{}", each.threads == 0 ? thread_count(asked.threads) : each.threads);
}

// Returns true if the failure means that a method cannot solve this case on this machine. Other failures end
// the program.
bool is_refusal(const error& failure) {
  return failure.code() == errc::invalid_input || failure.code() == errc::unavailable ||
         failure.code() == errc::out_of_memory;
}

// Prepares, runs and checks a method once. Returns the reason if the method cannot do it, or else an empty
// string.
std::string run_once(method& each, row& into, const std::function<double()>& clock, double& seconds) {
  try {
    if (each.prepare) each.prepare();
    const double begin = clock();
    each.run();
    seconds = each.seconds ? each.seconds() : clock() - begin;
    if (each.is_right) into.wrong = into.wrong || !each.is_right();
    if (each.digest) into.digest = each.digest();
    return {};
  } catch (const error& failure) {
    if (!is_refusal(failure)) throw;
    return failure.what();
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  }
}

std::string key_of(const bench_case& benchmark, const row& at) {
  return fmt::format("{}|{}|{}", kind_of(benchmark), at.name, at.device);
}

// Records why the row's method is not run, and how long a run would take, or 0 if unknown.
void mark_not_run(row& at, const std::string& why, double extrapolated) {
  at.not_run = why;
  at.extrapolated = extrapolated;
  if (extrapolated > 0) at.not_run += "; extrapolated from a smaller case";
}

// Returns the indices of `seconds` in the order of ascending times.
std::vector<std::size_t> order_from_fast_to_slow(const std::vector<double>& seconds) {
  std::vector<std::size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
  return order;
}

// Divides `all` equally among the parties. Those that need less than an equal part leave the rest to the
// others. Returns the largest part, or infinity if all needs can be met.
double equal_part(double all, std::vector<double> needs) {
  std::sort(needs.begin(), needs.end());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const double part = all / static_cast<double>(needs.size() - i);
    if (needs[i] > part) return part;
    all -= needs[i];
  }
  return unlimited;
}

std::vector<method> requested_methods(const bench_case& benchmark, const limits& asked) {
  std::vector<method> methods = benchmark.methods();
  std::erase_if(methods, [&](const method& each) { return each.on_gpu ? !asked.gpu : !asked.cpu; });
  return methods;
}

} // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

bool is_wrong(const std::vector<case_rows>& cases) {
  return std::any_of(cases.begin(), cases.end(), [](const case_rows& rows) {
    return std::any_of(rows.rows.begin(), rows.rows.end(), [](const row& each) { return each.wrong; });
  });
}

std::string kind_of(const bench_case& benchmark) {
  return benchmark.kind.empty() ? benchmark.name.substr(0, benchmark.name.rfind('/')) : benchmark.kind;
}

double row::time() const { return seconds.empty() ? extrapolated : median(seconds); }

const row* quickest_yardstick(const case_rows& rows) {
  const row* best = nullptr;
  const auto before = [](const row& a, const row& b) {
    return a.seconds.empty() != b.seconds.empty() ? !a.seconds.empty() : a.time() < b.time();
  };
  for (const row& each : rows.rows)
    if (each.yardstick && !each.wrong && each.time() > 0 && (best == nullptr || before(each, *best)))
      best = &each;
  return best;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double runner::seconds_left() const { return limits_.budget - (clock_() - begin_); }

const ceilings& runner::ceilings_of(ceiling_kind kind) {
  auto known = ceilings_.find(kind);
  if (known == ceilings_.end()) known = ceilings_.emplace(kind, measure_ceilings(kind, limits_)).first;
  return known->second;
}

runner::known_time runner::expected(const bench_case& benchmark, const row& at) const {
  const auto known = times_.find(key_of(benchmark, at));
  if (known == times_.end()) return {};
  const double larger = benchmark.units / known->second.units;
  return {benchmark.units, larger * known->second.run, larger * known->second.turn};
}

// Predicts the time from the last case of the same kind, or else from the case of the suite that was run
// before, if any. Otherwise the predicted time for all methods is infinite and the minimum is 0.
runner::time_needed runner::time_needed_by(const bench_case& benchmark, const bench_case* before) const {
  auto known = needs_.find(kind_of(benchmark));
  if (known == needs_.end() && before != nullptr) known = needs_.find(kind_of(*before));
  if (known == needs_.end()) return {};
  return {known->second.all * benchmark.units, known->second.minimum * benchmark.units};
}

// Returns the time that the first runs of a case may take: an equal part of the time left, divided among the
// cases that can run at least one method in such a part.
double runner::seconds_for_first_runs(std::span<const bench_case> cases, std::size_t index,
                                      std::size_t cases_left) const {
  const bench_case* const before = index == 0 ? nullptr : &cases[index - 1];
  std::vector<time_needed> needs = {{unlimited, time_needed_by(cases[index], before).minimum}};
  for (const bench_case& later : cases.subspan(index + 1)) needs.push_back(time_needed_by(later, before));
  needs.resize(std::max(cases_left, needs.size()));
  for (;;) {
    std::vector<double> all;
    for (const time_needed& each : needs) all.push_back(each.all);
    const double part = equal_part(seconds_left(), all);
    const auto costliest =
        std::max_element(needs.rbegin(), needs.rend(),
                         [](const time_needed& a, const time_needed& b) { return a.minimum < b.minimum; });
    if (costliest->minimum <= part || costliest + 1 == needs.rend()) return part;
    needs.erase(costliest.base() - 1);
  }
}

// Marks the rows of methods that are not run, with the reason. If the first two turns of all methods together
// are not expected to fit into `seconds`, the slowest methods are left out.
void runner::exclude_methods(const bench_case& benchmark, const std::vector<method>& methods, double seconds,
                             case_rows& into) const {
  const std::uint64_t memory_available = memory_limit(0);
  std::vector<double> needed(methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    row& at = into.rows[i];
    const known_time known = expected(benchmark, at);
    if (!methods[i].unavailable_reason.empty())
      at.not_run = "not on this machine: " + methods[i].unavailable_reason;
    else if (memory_available != 0 && benchmark.memory > memory_available)
      mark_not_run(at,
                   fmt::format("not on this machine: it takes {} of memory, and {} may be used",
                               format_size(benchmark.memory), format_size(memory_available)),
                   known.run);
    else if (benchmark.setup_seconds > seconds_left())
      mark_not_run(at,
                   fmt::format("{}: the input takes {:.0f} s to make", over_budget, benchmark.setup_seconds),
                   known.run);
    else
      needed[i] = 2 * known.turn;
  }
  for (const std::size_t i : order_from_fast_to_slow(needed)) {
    seconds -= needed[i];
    if (seconds < 0 && needed[i] > 0)
      mark_not_run(into.rows[i], over_budget, expected(benchmark, into.rows[i]).run);
  }
}

bool runner::has_runnable_method(const bench_case& benchmark, const limits& asked) {
  const std::vector<method> methods = requested_methods(benchmark, asked);
  return std::any_of(methods.begin(), methods.end(),
                     [](const method& each) { return each.unavailable_reason.empty(); });
}

case_rows runner::run(std::span<const bench_case> cases, std::size_t index, std::size_t cases_left) {
  const bench_case& benchmark = cases[index];
  std::vector<method> methods = requested_methods(benchmark, limits_);
  case_rows result{&benchmark, {}};
  for (const method& each : methods)
    result.rows.push_back(
        {each.name, device_of(each, limits_), each.yardstick, each.step, bool(each.digest)});
  const double seconds_at_start = seconds_left();
  exclude_methods(benchmark, methods, seconds_for_first_runs(cases, index, cases_left), result);
  const std::vector<double> turns = run_first(benchmark, methods, result);
  const double used = seconds_at_start - seconds_left();
  double minimum = unlimited;
  for (const double turn : turns)
    if (turn > 0) minimum = std::min(minimum, 2 * turn);
  if (minimum < unlimited) needs_[kind_of(benchmark)] = {used / benchmark.units, minimum / benchmark.units};
  const double part = seconds_at_start / static_cast<double>(std::max<std::size_t>(cases_left, 1));
  if (!benchmark.for_rates) run_remaining(benchmark, methods, turns, part - used, result);
  check_answers(result);
  return result;
}

// A turn is a run together with the preparation before it and the check after it.
runner::known_time runner::take_turn(const bench_case& benchmark, method& each, row& at, bool counted) {
  const double begin = clock_();
  double seconds = 0;
  at.not_run = run_once(each, at, clock_, seconds);
  const known_time taken{benchmark.units, seconds, clock_() - begin};
  if (!at.not_run.empty()) return taken;
  known_time& known = times_[key_of(benchmark, at)];
  if (benchmark.units > known.units)
    known = taken;
  else if (benchmark.units == known.units)
    known = {benchmark.units, std::min(known.run, taken.run), std::min(known.turn, taken.turn)};
  at.wrong = at.wrong || (benchmark.expected && at.has_digest && at.digest != *benchmark.expected);
  if (counted) at.seconds.push_back(seconds);
  return taken;
}

// Runs each method that is not excluded once uncounted and once counted. Returns the times of the counted
// turns, or 0 for methods without one.
std::vector<double> runner::run_first(const bench_case& benchmark, std::vector<method>& methods,
                                      case_rows& into) {
  std::vector<double> turns(methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    row& at = into.rows[i];
    if (!at.not_run.empty()) continue;
    const known_time known = expected(benchmark, at);
    if (seconds_left() <= 2 * known.turn) {
      mark_not_run(at, over_budget, known.run);
      continue;
    }
    const known_time first = take_turn(benchmark, methods[i], at, false);
    if (!at.not_run.empty()) continue;
    if (first.run < seconds_left()) {
      turns[i] = take_turn(benchmark, methods[i], at, true).turn;
    } else {
      at.extrapolated = first.run;
      at.not_run = fmt::format("{}, but for its first run, which is not counted", over_budget);
    }
  }
  return turns;
}

// Runs the methods that had a first counted run again: as many times as the user asked for, or else as many
// as fit into `seconds`.
void runner::run_remaining(const bench_case& benchmark, std::vector<method>& methods,
                           const std::vector<double>& turns, double seconds, case_rows& into) {
  const std::size_t max_further_runs =
      limits_.runs > 0 ? static_cast<std::size_t>(limits_.runs) - 1 : max_runs - 1;
  std::vector<double> needs;
  for (const double turn : turns) needs.push_back(turn * static_cast<double>(max_further_runs));
  const double part = limits_.runs > 0 ? unlimited : equal_part(std::max(seconds, 0.0), needs);
  for (std::size_t round = 1; round <= max_further_runs; ++round)
    for (std::size_t i = 0; i < methods.size(); ++i)
      if (into.rows[i].not_run.empty() && turns[i] * static_cast<double>(round) <= part && seconds_left() > 0)
        take_turn(benchmark, methods[i], into.rows[i], true);
}

void runner::check_answers(case_rows& rows) const {
  if (rows.definition->expected) return;
  const row* first = nullptr;
  for (row& each : rows.rows) {
    if (each.seconds.empty() || !each.has_digest) continue;
    if (first == nullptr) first = &each;
    each.wrong = each.wrong || each.digest != first->digest;
  }
}

void for_each_engine(
    const std::vector<engine_info>& engines, device_kind device,
    const std::function<void(const std::string& engine, device_choice on)>& check,
    const std::function<void(const std::string& engine, const std::string& unavailable_reason)>& body) {
  for (const engine_info& each : engines) {
    std::string unavailable_reason = each.unavailable;
    try {
      check(each.name, {device, 0});
    } catch (const error& failure) {
      if (failure.code() == errc::invalid_input) continue; // the engine does not support this kind of device
      unavailable_reason = failure.what();
    }
    body(each.name, unavailable_reason);
  }
}

} // namespace weft::bench
