#include <cli/bench/bench.hpp>

#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <fmt/format.h>
#include <new>
#include <numeric>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::cli::bench {

namespace {

constexpr std::size_t max_runs = 25;
constexpr const char* over_budget = "not run within the budget";
constexpr double unlimited = std::numeric_limits<double>::infinity();

std::string device_of(const way& each, const limits& asked) {
  if (each.on_gpu) return "gpu";
  return fmt::format("cpu x{}", each.threads == 0 ? thread_count(asked.threads) : each.threads);
}

// Whether the failure says that a way cannot do this here; others end the program.
bool is_refusal(const error& failure) {
  return failure.code() == errc::invalid_input || failure.code() == errc::unavailable ||
         failure.code() == errc::out_of_memory;
}

// Prepares, runs and checks a way once; why it cannot, or nothing.
std::string run_once(way& each, row& into, const std::function<double()>& clock, double& seconds) {
  try {
    if (each.prepare) each.prepare();
    const double begin = clock();
    each.run();
    seconds = each.seconds ? each.seconds() : clock() - begin;
    into.digest = each.digest();
    return {};
  } catch (const error& failure) {
    if (!is_refusal(failure)) throw;
    return failure.what();
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  }
}

std::string key_of(const bench_case& of, const row& at) {
  return fmt::format("{}|{}|{}", kind_of(of), at.name, at.device);
}

// The row's way is not run, why, and what a run would take, if it is known.
void leave_out(row& at, const std::string& why, double extrapolated) {
  at.not_run = why;
  at.extrapolated = extrapolated;
  if (extrapolated > 0) at.not_run += "; extrapolated from a smaller case";
}

// Indices of seconds, from few to many.
std::vector<std::size_t> from_quick_to_slow(const std::vector<double>& seconds) {
  std::vector<std::size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return seconds[a] < seconds[b]; });
  return order;
}

// An equal part of so much for each that needs it, where those that need less leave the rest to the others.
double equal_part(double all, std::vector<double> needs) {
  std::sort(needs.begin(), needs.end());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const double part = all / static_cast<double>(needs.size() - i);
    if (needs[i] > part) return part;
    all -= needs[i];
  }
  return unlimited;
}

std::vector<way> ways_asked_for(const bench_case& of, const limits& asked) {
  std::vector<way> ways = of.ways();
  std::erase_if(ways, [&](const way& each) { return each.on_gpu ? !asked.gpu : !asked.cpu; });
  return ways;
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

std::string kind_of(const bench_case& of) {
  return of.kind.empty() ? of.name.substr(0, of.name.rfind('/')) : of.kind;
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

runner::known_time runner::expected(const bench_case& of, const row& at) const {
  const auto known = times_.find(key_of(of, at));
  if (known == times_.end()) return {};
  const double larger = of.units / known->second.units;
  return {of.units, larger * known->second.run, larger * known->second.turn};
}

// Told by the last case of its kind, or else by the case of its suite that was run before, or not at all.
runner::need runner::need_of(const bench_case& of, const bench_case* before) const {
  auto known = needs_.find(kind_of(of));
  if (known == needs_.end() && before != nullptr) known = needs_.find(kind_of(*before));
  if (known == needs_.end()) return {};
  return {known->second.all * of.units, known->second.least * of.units};
}

// What the first runs of a case may take: an equal part of what is left, among those that can do anything
// with such a part.
double runner::room_for(std::span<const bench_case> cases, std::size_t index, std::size_t cases_left) const {
  const bench_case* const before = index == 0 ? nullptr : &cases[index - 1];
  std::vector<need> needs = {{unlimited, need_of(cases[index], before).least}};
  for (const bench_case& later : cases.subspan(index + 1)) needs.push_back(need_of(later, before));
  needs.resize(std::max(cases_left, needs.size()));
  for (;;) {
    std::vector<double> all;
    for (const need& each : needs) all.push_back(each.all);
    const double part = equal_part(seconds_left(), all);
    const auto dearest = std::max_element(needs.rbegin(), needs.rend(),
                                          [](const need& a, const need& b) { return a.least < b.least; });
    if (dearest->least <= part || dearest + 1 == needs.rend()) return part;
    needs.erase(dearest.base() - 1);
  }
}

// Says in their rows why ways are not begun. Of those whose first two turns are not expected to fit into so
// many seconds together, the slow ones are left out.
void runner::refuse(const bench_case& of, const std::vector<way>& ways, double room, case_rows& into) const {
  const std::uint64_t most = memory_limit(0);
  std::vector<double> needed(ways.size());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    row& at = into.rows[i];
    const known_time known = expected(of, at);
    if (!ways[i].not_here.empty())
      at.not_run = "not on this machine: " + ways[i].not_here;
    else if (most != 0 && of.memory > most)
      leave_out(at,
                fmt::format("not on this machine: it takes {} of memory, and {} may be used",
                            format_size(of.memory), format_size(most)),
                known.run);
    else
      needed[i] = 2 * known.turn;
  }
  for (const std::size_t i : from_quick_to_slow(needed)) {
    room -= needed[i];
    if (room < 0 && needed[i] > 0) leave_out(into.rows[i], over_budget, expected(of, into.rows[i]).run);
  }
}

bool runner::has_ways(const bench_case& of, const limits& asked) {
  const std::vector<way> ways = ways_asked_for(of, asked);
  return std::any_of(ways.begin(), ways.end(), [](const way& each) { return each.not_here.empty(); });
}

case_rows runner::run(std::span<const bench_case> cases, std::size_t index, std::size_t cases_left) {
  const bench_case& of = cases[index];
  std::vector<way> ways = ways_asked_for(of, limits_);
  case_rows result{&of, {}};
  for (const way& each : ways)
    result.rows.push_back({each.name, device_of(each, limits_), each.yardstick, each.step});
  const double at_first = seconds_left();
  refuse(of, ways, room_for(cases, index, cases_left), result);
  const std::vector<double> turns = run_first(of, ways, result);
  const double used = at_first - seconds_left();
  double least = unlimited;
  for (const double turn : turns)
    if (turn > 0) least = std::min(least, 2 * turn);
  if (least < unlimited) needs_[kind_of(of)] = {used / of.units, least / of.units};
  const double part = at_first / static_cast<double>(std::max<std::size_t>(cases_left, 1));
  if (!of.for_rates) run_further(of, ways, turns, part - used, result);
  check_answers(result);
  return result;
}

// A run with what is before and after it.
runner::known_time runner::take_turn(const bench_case& of, way& each, row& at, bool counted) {
  const double begin = clock_();
  double seconds = 0;
  at.not_run = run_once(each, at, clock_, seconds);
  const known_time taken{of.units, seconds, clock_() - begin};
  if (!at.not_run.empty()) return taken;
  known_time& known = times_[key_of(of, at)];
  if (of.units > known.units)
    known = taken;
  else if (of.units == known.units)
    known = {of.units, std::min(known.run, taken.run), std::min(known.turn, taken.turn)};
  at.wrong = at.wrong || (of.expected && at.digest != *of.expected);
  if (counted) at.seconds.push_back(seconds);
  return taken;
}

// Each way that is not refused: once uncounted, and once counted. What the counted turns took, or 0.
std::vector<double> runner::run_first(const bench_case& of, std::vector<way>& ways, case_rows& into) {
  std::vector<double> turns(ways.size());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    row& at = into.rows[i];
    if (!at.not_run.empty()) continue;
    const known_time known = expected(of, at);
    if (seconds_left() <= 2 * known.turn) {
      leave_out(at, over_budget, known.run);
      continue;
    }
    const known_time first = take_turn(of, ways[i], at, false);
    if (!at.not_run.empty()) continue;
    if (first.run < seconds_left()) {
      turns[i] = take_turn(of, ways[i], at, true).turn;
    } else {
      at.extrapolated = first.run;
      at.not_run = fmt::format("{}, but for its first run, which is not counted", over_budget);
    }
  }
  return turns;
}

// More runs of the ways that had one, within so many seconds, or as many as were asked for.
void runner::run_further(const bench_case& of, std::vector<way>& ways, const std::vector<double>& turns,
                         double seconds, case_rows& into) {
  const std::size_t most = limits_.runs > 0 ? static_cast<std::size_t>(limits_.runs) - 1 : max_runs - 1;
  std::vector<double> needs;
  for (const double turn : turns) needs.push_back(turn * static_cast<double>(most));
  const double part = limits_.runs > 0 ? unlimited : equal_part(std::max(seconds, 0.0), needs);
  for (std::size_t round = 1; round <= most; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i)
      if (into.rows[i].not_run.empty() && turns[i] * static_cast<double>(round) <= part && seconds_left() > 0)
        take_turn(of, ways[i], into.rows[i], true);
}

void runner::check_answers(case_rows& rows) const {
  if (rows.of->expected) return;
  const row* first = nullptr;
  for (row& each : rows.rows) {
    if (each.seconds.empty()) continue;
    if (first == nullptr) first = &each;
    each.wrong = each.digest != first->digest;
  }
}

void for_each_engine(
    const std::vector<engine_info>& engines, device_kind device,
    const std::function<void(const std::string& engine, device_choice on)>& check,
    const std::function<void(const std::string& engine, const std::string& not_here)>& body) {
  for (const engine_info& each : engines) {
    std::string not_here = each.unavailable;
    try {
      check(each.name, {device, 0});
    } catch (const error& failure) {
      if (failure.code() == errc::invalid_input) continue; // it is none of this device
      not_here = failure.what();
    }
    body(each.name, not_here);
  }
}

peer_library::peer_library(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (handle_ == nullptr) handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) not_here_ = fmt::format("{} is not installed", names.front());
}

void* peer_library::symbol(const char* name) {
  if (handle_ == nullptr) return nullptr;
  void* const found = ::dlsym(handle_, name);
  if (found == nullptr) not_here_ = fmt::format("the library has no {}", name);
  return found;
}

} // namespace weft::cli::bench
