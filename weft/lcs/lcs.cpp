#include <weft/lcs/lcs.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <weft/lcs/engines.hpp>
#include <weft/lcs/entry/affine_costs.hpp>

namespace weft {

namespace {

using namespace lcs_detail;

text<std::uint8_t> bytes(std::string_view symbols) {
  return {reinterpret_cast<const std::uint8_t*>(symbols.data()), symbols.size()};
}

// Throws error(invalid_input) if options set wildcards or unmatched letters, which are for bytes only.
void require_no_special_letters(const lcs_options& options) {
  if (!options.wildcards.empty() || !options.unmatched.empty())
    throw error(errc::invalid_input,
                "lcs: wildcards and unmatched letters can be used only for texts of bytes");
}

// Returns a copy of a text with symbol `by` in place of the letters of a set.
template <class Symbol>
std::vector<Symbol> replace_letters(text<std::uint8_t> bytes, const byte_set& set, Symbol by) {
  std::vector<Symbol> symbols(bytes.size());
  std::transform(bytes.begin(), bytes.end(), symbols.begin(),
                 [&](std::uint8_t byte) { return set.contains(byte) ? by : Symbol{byte}; });
  return symbols;
}

// Calls use(x, y) with texts that equal a and b, except that the letters of `unmatched` are one symbol in x
// and another symbol in y, and neither symbol occurs elsewhere.
template <class Use>
auto separate_unmatched(text<std::uint8_t> a, text<std::uint8_t> b, const byte_set& unmatched,
                        const Use& use) {
  std::array<bool, 256> taken{};
  for (const text<std::uint8_t> symbols : {a, b})
    for (const std::uint8_t byte : symbols) taken[byte] = !unmatched.contains(byte);
  const auto of_a = std::find(taken.begin(), taken.end(), false);
  const auto of_b = std::find(of_a + 1, taken.end(), false);
  if (of_b == taken.end()) { // there are 255 other letters, but numbers have symbols left
    const auto x = replace_letters<std::uint32_t>(a, unmatched, 256),
               y = replace_letters<std::uint32_t>(b, unmatched, 257);
    return use(text<std::uint32_t>(x), text<std::uint32_t>(y));
  }
  const auto x = replace_letters(a, unmatched, static_cast<std::uint8_t>(of_a - taken.begin()));
  const auto y = replace_letters(b, unmatched, static_cast<std::uint8_t>(of_b - taken.begin()));
  return use(text<std::uint8_t>(x), text<std::uint8_t>(y));
}

// The wildcards of a call: get() returns null if the texts contain none.
template <class Symbol> class used_wildcards {
public:
  used_wildcards(text<Symbol> a, text<Symbol> b, const lcs_options& options) : set_(options.wildcards) {
    if constexpr (sizeof(Symbol) == 1)
      used_ = !options.wildcards.empty() && (set_.occurs_in(a) || set_.occurs_in(b));
    if (used_) require_wildcards(options);
  }
  [[nodiscard]] const byte_set* get() const { return used_ ? &set_ : nullptr; }

private:
  byte_set set_;
  bool used_ = false;
};

// Checks and reports a call, and solves it. Bytes are in a std::string_view, numbers in a span.
solution compare(std::string_view a, std::string_view b, const lcs_options& options, bool wants_path) {
  base_detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  check_lcs_options(options);
  const text<std::uint8_t> x = bytes(a), y = bytes(b);
  if (!options.unmatched.empty())
    if (const byte_set unmatched(options.unmatched); unmatched.occurs_in(x) && unmatched.occurs_in(y))
      return separate_unmatched(x, y, unmatched,
                                [&](auto p, auto q) { return solve_pair(p, q, options, wants_path); });
  return solve_pair(x, y, options, wants_path);
}
solution compare(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                 const lcs_options& options, bool wants_path) {
  require_no_special_letters(options);
  base_detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  check_lcs_options(options);
  return solve_pair(a, b, options, wants_path);
}

// Returns the options with another metric.
lcs_options with_metric(lcs_options options, lcs_metric metric) {
  options.metric = metric;
  return options;
}

} // namespace

namespace lcs_detail {

void report_requested_engine(const run_options& run) {
  const lcs_engine* const named = find_engine(run.engine);
  report_engine(run, run.engine,
                named != nullptr && named->on_gpu()
                    ? device_choice{device_kind::gpu, base_detail::gpu_index(run.device)}
                    : device_choice{device_kind::cpu, 0});
}

void require_wildcards(const lcs_options& options) {
  const run_options& run = options.run;
  if (run.device.kind == device_kind::gpu)
    throw error(errc::invalid_input,
                "lcs: letters that match any letter can be compared only on the CPU, not on device gpu");
  if (run.engine != "auto" && run.engine != "bit-parallel" && options.metric != lcs_metric::affine)
    throw error(errc::invalid_input, "lcs: letters that match any letter can be compared only by engine "
                                     "auto or bit-parallel");
}

template <class Symbol>
solution solve_pair(text<Symbol> a, text<Symbol> b, const lcs_options& options, bool wants_path) {
  const run_options& run = options.run;
  report_requested_engine(run);
  cell_counter work(run.monitor);
  work.expect(cells(a.size(), b.size()));
  const used_wildcards<Symbol> wildcards(a, b, options);
  lcs_problem problem{{options, work, wildcards.get()}, symbol_texts<Symbol>{a, b}, wants_path};
  if (a.empty() || b.empty()) {
    problem.distance =
        problem.call.affine() ? max_penalty(options.penalties, a.size(), b.size()) : a.size() + b.size();
    append_unmatched(problem.path, a.size(), b.size());
  } else if (run.engine == "auto" && problem.call.affine()) {
    solve_affine(problem);
  } else if (run.engine == "auto") {
    solve_automatically(problem, run.device.kind == device_kind::cpu ? nullptr : find_gpu_table_engine(),
                        run.device.kind == device_kind::gpu);
  } else {
    engines().solve(problem, run);
  }
  work.finish();
  return {problem.distance, std::move(problem.path)};
}
template solution solve_pair(text<std::uint8_t>, text<std::uint8_t>, const lcs_options&, bool);
template solution solve_pair(text<std::uint32_t>, text<std::uint32_t>, const lcs_options&, bool);

} // namespace lcs_detail

std::uint64_t lcs_value(std::string_view a, std::string_view b, const lcs_options& options) {
  return value_of(options.metric, a.size(), b.size(), compare(a, b, options, false).distance);
}
std::uint64_t lcs_value(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                        const lcs_options& options) {
  return value_of(options.metric, a.size(), b.size(), compare(a, b, options, false).distance);
}

std::uint64_t lcs_length(std::string_view a, std::string_view b, const lcs_options& options) {
  return lcs_value(a, b, with_metric(options, lcs_metric::lcs));
}
std::uint64_t lcs_length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                         const lcs_options& options) {
  return lcs_value(a, b, with_metric(options, lcs_metric::lcs));
}

std::uint64_t indel_distance(std::string_view a, std::string_view b, const lcs_options& options) {
  return lcs_value(a, b, with_metric(options, lcs_metric::indel));
}
std::uint64_t indel_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                             const lcs_options& options) {
  return lcs_value(a, b, with_metric(options, lcs_metric::indel));
}

std::uint64_t edit_distance(std::string_view a, std::string_view b, const lcs_options& options) {
  return lcs_value(a, b, with_metric(options, lcs_metric::edit));
}
std::uint64_t edit_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                            const lcs_options& options) {
  return lcs_value(a, b, with_metric(options, lcs_metric::edit));
}

edit_script lcs(std::string_view a, std::string_view b, const lcs_options& options) {
  return compare(a, b, options, true).path;
}
edit_script lcs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                const lcs_options& options) {
  return compare(a, b, options, true).path;
}

std::string common_subsequence(const edit_script& path, std::string_view a) {
  std::string common;
  common.reserve(path.matches);
  std::uint64_t i = 0;
  for (const edit_run& run : path.runs) {
    if (run.op == edit_op::insert) continue;
    if (run.length > a.size() - i)
      throw std::invalid_argument("common_subsequence: not a path of this sequence");
    if (run.op == edit_op::match) common.append(a.substr(i, run.length));
    i += run.length;
  }
  if (i != a.size()) throw std::invalid_argument("common_subsequence: not a path of this sequence");
  return common;
}

void check_all_pairs_options(const lcs_options& options) {
  if (!options.wildcards.empty() && !options.unmatched.empty())
    throw error(errc::invalid_input, "lcs: wildcards cannot be combined with unmatched letters");
  if (options.metric == lcs_metric::affine) check_penalties(options.penalties);
  if (const lcs_engine* const named = find_engine(options.run.engine))
    if (const std::string_view reason = named->why_not_metric(options.metric); !reason.empty())
      base_detail::refuse_problem("lcs", named->name(), reason);
  engines().check(options.run);
}

void check_lcs_options(const lcs_options& options) {
  if (options.metric == lcs_metric::affine && options.run.device.kind == device_kind::gpu &&
      options.run.engine == "auto") {
    check_penalties(options.penalties);
    throw error(errc::invalid_input, "lcs: metric affine is computed only on the CPU, not on device gpu");
  }
  check_all_pairs_options(options);
}

std::vector<engine_info> lcs_engines() { return engines().list(); }

} // namespace weft
