#include <cli/bench/bench.hpp>

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <new>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>

namespace weft::cli::bench {

namespace {

constexpr std::size_t most_runs = 25;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string device_of(const way& each, const limits& asked) {
  if (each.on_gpu) return "gpu";
  return fmt::format("cpu x{}", each.threads == 0 ? thread_count(asked.threads) : each.threads);
}

// Whether the failure says that a way cannot do this here; others end the program.
bool is_refusal(const error& failure) {
  return failure.code() == errc::invalid_input || failure.code() == errc::unavailable ||
         failure.code() == errc::out_of_memory;
}

// Prepares and runs a way once; why it cannot, or nothing.
std::string run_once(way& each, row& into, double& seconds) {
  try {
    if (each.prepare) each.prepare();
    const auto begin = std::chrono::steady_clock::now();
    each.run();
    seconds = each.seconds ? each.seconds() : seconds_since(begin);
    into.digest = each.digest();
    return {};
  } catch (const error& failure) {
    if (!is_refusal(failure)) throw;
    return failure.what();
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  }
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

double runner::seconds_left() const { return limits_.budget - seconds_since(begin_); }

void runner::refuse(const bench_case& of, const way& each, const std::string& key, double share,
                    row& at) const {
  const auto known = rates_.find(key);
  const double expected = known == rates_.end() ? 0 : of.units / known->second.rate;
  const std::uint64_t most = memory_limit(0);
  if (!each.not_here.empty())
    at.not_run = "not on this machine: " + each.not_here;
  else if (most != 0 && of.memory > most)
    at.not_run = fmt::format("not on this machine: it takes {} of memory, and {} may be used",
                             format_size(of.memory), format_size(most));
  else if (seconds_left() <= 0 || expected > share)
    at.not_run = "not run within the budget";
  if (at.not_run.empty() || expected == 0 || !each.not_here.empty()) return;
  at.extrapolated = expected;
  at.not_run += "; extrapolated from a smaller case";
}

case_rows runner::run(const bench_case& of, std::size_t cases_left) {
  std::vector<way> ways = of.ways();
  std::erase_if(ways, [&](const way& each) { return each.on_gpu ? !limits_.gpu : !limits_.cpu; });
  case_rows result{&of, {}};
  for (const way& each : ways) result.rows.push_back({each.name, device_of(each, limits_), each.yardstick});
  const double slice = seconds_left() / static_cast<double>(std::max<std::size_t>(cases_left, 1));
  run_in_turn(of, ways, result, slice);
  check_answers(result);
  return result;
}

void runner::run_in_turn(const bench_case& of, std::vector<way>& ways, case_rows& into, double slice) {
  // What a way may take of the time; once begun it runs to its end.
  const auto here =
      std::count_if(ways.begin(), ways.end(), [](const way& each) { return each.not_here.empty(); });
  const double share = slice / static_cast<double>(std::max<std::ptrdiff_t>(here, 1));
  const std::size_t most = of.for_rates       ? 1
                           : limits_.runs > 0 ? static_cast<std::size_t>(limits_.runs)
                                              : most_runs;
  std::vector<double> used(ways.size());
  for (std::size_t round = 0; round < most; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i) {
      row& at = into.rows[i];
      const std::string key = fmt::format("{}|{}|{}", kind_of(of), at.name, at.device);
      if (round == 0) refuse(of, ways[i], key, share, at);
      const bool over = seconds_left() <= 0 || (limits_.runs == 0 && used[i] > share);
      if (!at.not_run.empty() || (round > 0 && over)) continue;
      for (bool warm_up = round == 0; at.seconds.size() <= round; warm_up = false) {
        double seconds = 0;
        if (at.not_run = run_once(ways[i], at, seconds); !at.not_run.empty()) break;
        used[i] += seconds;
        if (known_rate& known = rates_[key]; of.units > known.units)
          known = {of.units, of.units / seconds};
        else if (of.units == known.units)
          known.rate = std::max(known.rate, of.units / seconds);
        at.wrong = at.wrong || (of.expected && at.digest != *of.expected);
        if (!warm_up) at.seconds.push_back(seconds);
      }
    }
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
