#include <weft/lcs/lcs.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <weft/lcs/engines.hpp>

namespace weft {

namespace {

using namespace lcs_detail;

text<std::uint8_t> bytes(std::string_view symbols) {
  return {reinterpret_cast<const std::uint8_t*>(symbols.data()), symbols.size()};
}

// Throws error(invalid_input) if there are both wildcards and unmatched letters.
void check_letters(const lcs_options& options) {
  if (!options.wildcards.empty() && !options.unmatched.empty())
    throw error(errc::invalid_input, "lcs: wildcards cannot be combined with unmatched letters");
}

// Throws error(invalid_input) if options set wildcards or unmatched letters, which are for bytes only.
void require_no_letters(const lcs_options& options) {
  if (!options.wildcards.empty() || !options.unmatched.empty())
    throw error(errc::invalid_input, "lcs: wildcards and unmatched letters can be used only for texts of "
                                     "bytes");
}

// Returns a copy of a text with symbol `by` in place of the letters of a set.
template <class Symbol>
std::vector<Symbol> replace_letters(text<std::uint8_t> bytes, const byte_set& set, Symbol by) {
  std::vector<Symbol> symbols(bytes.size());
  std::transform(bytes.begin(), bytes.end(), symbols.begin(),
                 [&](std::uint8_t byte) { return set.contains(byte) ? by : Symbol{byte}; });
  return symbols;
}

// Calls use(x, y) with texts that equal a and b, except that the options.unmatched letters are one symbol
// in x and another symbol in y, and neither symbol occurs elsewhere.
template <class Use>
auto with_letters(std::string_view a, std::string_view b, const lcs_options& options, const Use& use) {
  const byte_set unmatched(options.unmatched);
  const text<std::uint8_t> x = bytes(a), y = bytes(b);
  if (options.unmatched.empty() || !unmatched.occurs_in(x) || !unmatched.occurs_in(y)) return use(x, y);
  std::array<bool, 256> taken{};
  for (const text<std::uint8_t> symbols : {x, y})
    for (const std::uint8_t byte : symbols) taken[byte] = !unmatched.contains(byte);
  const auto of_a = std::find(taken.begin(), taken.end(), false);
  const auto of_b = std::find(of_a + 1, taken.end(), false);
  if (of_b == taken.end()) { // there are 255 other letters, but numbers have symbols left
    const auto p = replace_letters<std::uint32_t>(x, unmatched, 256),
               q = replace_letters<std::uint32_t>(y, unmatched, 257);
    return use(text<std::uint32_t>(p), text<std::uint32_t>(q));
  }
  const auto p = replace_letters(x, unmatched, static_cast<std::uint8_t>(of_a - taken.begin()));
  const auto q = replace_letters(y, unmatched, static_cast<std::uint8_t>(of_b - taken.begin()));
  return use(text<std::uint8_t>(p), text<std::uint8_t>(q));
}

// The wildcards of a call: get() returns null if the texts contain none.
template <class Symbol> class used_wildcards {
public:
  used_wildcards(text<Symbol> a, text<Symbol> b, const lcs_options& options) : set_(options.wildcards) {
    if constexpr (sizeof(Symbol) == 1)
      used_ = !options.wildcards.empty() && (set_.occurs_in(a) || set_.occurs_in(b));
    if (used_) require_wildcards(options.run);
  }
  [[nodiscard]] const byte_set* get() const { return used_ ? &set_ : nullptr; }

private:
  byte_set set_;
  bool used_ = false;
};

// The distance of two texts, or the canonical path if it is wanted.
struct solution {
  std::uint64_t distance;
  edit_script path;
};

// Solves a pair with progress.
template <class Symbol>
solution solve_pair(text<Symbol> a, text<Symbol> b, const lcs_options& options, bool wants_path) {
  progress work(options.run.monitor);
  work.expect(cells(a.size(), b.size()));
  const used_wildcards<Symbol> wildcards(a, b, options);
  lcs_problem problem{{options, work, wildcards.get()}, symbol_texts<Symbol>{a, b}, wants_path};
  if (a.empty() || b.empty()) {
    problem.distance = a.size() + b.size();
    append_unmatched(problem.path, a.size(), b.size());
  } else {
    solve(problem);
  }
  work.finish();
  return {problem.distance, std::move(problem.path)};
}

// Returns the number that `metric` names, and reports the call.
std::uint64_t reported_value(std::string_view a, std::string_view b, lcs_metric metric, lcs_options options) {
  weft::base_detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  options.metric = metric;
  begin_call(options);
  return with_letters(a, b, options, [&](auto x, auto y) { return pair_value(x, y, options); });
}
std::uint64_t reported_value(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                             lcs_metric metric, lcs_options options) {
  require_no_letters(options);
  weft::base_detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  options.metric = metric;
  begin_call(options);
  return pair_value(a, b, options);
}

// Returns the canonical path, and reports the call.
edit_script reported_path(std::string_view a, std::string_view b, const lcs_options& options) {
  weft::base_detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  begin_call(options);
  return with_letters(a, b, options, [&](auto x, auto y) { return solve_pair(x, y, options, true).path; });
}
edit_script reported_path(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                          const lcs_options& options) {
  require_no_letters(options);
  weft::base_detail::run_record record(options.run, "cells");
  record.set_work(cells(a.size(), b.size()));
  begin_call(options);
  return solve_pair(a, b, options, true).path;
}

} // namespace

namespace lcs_detail {

void begin_call(const lcs_options& options) {
  check_lcs_options(options);
  const lcs_engine* const named = find_engine(options.run.engine);
  report_engine(options.run, options.run.engine,
                named != nullptr && named->on_gpu()
                    ? device_choice{device_kind::gpu, base_detail::gpu_index(options.run.device)}
                    : device_choice{device_kind::cpu, 0});
}

void require_wildcards(const run_options& run) {
  if (run.device.kind == device_kind::gpu)
    throw error(errc::invalid_input,
                "lcs: letters that match any letter can be compared only on the CPU, not on device gpu");
  if (run.engine != "auto" && run.engine != "bit-parallel")
    throw error(errc::invalid_input, "lcs: letters that match any letter can be compared only by engine "
                                     "auto or bit-parallel");
}

template <class Symbol> std::uint64_t pair_value(text<Symbol> a, text<Symbol> b, const lcs_options& options) {
  const std::uint64_t distance = solve_pair(a, b, options, false).distance;
  return options.metric == lcs_metric::lcs ? (a.size() + b.size() - distance) / 2 : distance;
}
template std::uint64_t pair_value(text<std::uint8_t>, text<std::uint8_t>, const lcs_options&);
template std::uint64_t pair_value(text<std::uint32_t>, text<std::uint32_t>, const lcs_options&);

} // namespace lcs_detail

std::uint64_t lcs_length(std::string_view a, std::string_view b, const lcs_options& options) {
  return reported_value(a, b, lcs_metric::lcs, options);
}
std::uint64_t lcs_length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                         const lcs_options& options) {
  return reported_value(a, b, lcs_metric::lcs, options);
}

std::uint64_t indel_distance(std::string_view a, std::string_view b, const lcs_options& options) {
  return reported_value(a, b, lcs_metric::indel, options);
}
std::uint64_t indel_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                             const lcs_options& options) {
  return reported_value(a, b, lcs_metric::indel, options);
}

std::uint64_t edit_distance(std::string_view a, std::string_view b, const lcs_options& options) {
  return reported_value(a, b, lcs_metric::edit, options);
}
std::uint64_t edit_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                            const lcs_options& options) {
  return reported_value(a, b, lcs_metric::edit, options);
}

edit_script lcs(std::string_view a, std::string_view b, const lcs_options& options) {
  return reported_path(a, b, options);
}
edit_script lcs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                const lcs_options& options) {
  return reported_path(a, b, options);
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

void check_lcs_options(const lcs_options& options) {
  check_letters(options);
  check_engine(options);
}

std::vector<engine_info> lcs_engines() { return engines().list(); }

} // namespace weft
