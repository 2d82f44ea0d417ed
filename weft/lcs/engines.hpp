// The engines of lcs: the problem that each solves, their list, and what auto asks of an engine of GPUs.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#include <weft/base/engines.hpp>
#include <weft/lcs/entry/engine_basics.hpp>
#include <weft/lcs/entry/pair_codes.hpp>

namespace weft::lcs_detail {

// Two texts that are not empty, and the number of symbols: all are below sigma. sigma = 0: 32-bit numbers as
// the caller has them.
template <class Symbol> struct symbol_texts {
  text<Symbol> a, b;
  std::uint64_t sigma = sizeof(Symbol) == 1 ? 256 : 0;
};

// Two texts to compare, and the result. An engine computes the distance, or the path if `wants_path`.
struct lcs_problem {
  lcs_call call;
  std::variant<symbol_texts<std::uint8_t>, symbol_texts<std::uint32_t>> texts;
  bool wants_path = false;
  std::uint64_t distance = 0; // the result; see entry/engine_basics.hpp
  edit_script path = {};

  [[nodiscard]] std::uint64_t m() const {
    return std::visit([](const auto& both) { return both.a.size(); }, texts);
  }
  [[nodiscard]] std::uint64_t n() const {
    return std::visit([](const auto& both) { return both.b.size(); }, texts);
  }
};

// Calls use(a, b, sigma) with symbols below sigma, as bytes if there are at most 256 symbols.
template <class Symbol, class Use> auto with_codes(const symbol_texts<Symbol>& texts, const Use& use) {
  if constexpr (sizeof(Symbol) == 1) {
    return use(texts.a, texts.b, texts.sigma);
  } else {
    if (texts.sigma != 0) return use(texts.a, texts.b, texts.sigma);
    const coded_pair coded = dense_codes(texts.a, texts.b);
    if (coded.sigma > 256)
      return use(text<std::uint32_t>(coded.a), text<std::uint32_t>(coded.b), coded.sigma);
    const std::vector<std::uint8_t> x(coded.a.begin(), coded.a.end()), y(coded.b.begin(), coded.b.end());
    return use(text<std::uint8_t>(x), text<std::uint8_t>(y), std::uint64_t{256});
  }
}
template <class Use> auto with_codes(const lcs_problem& problem, const Use& use) {
  return std::visit([&](const auto& texts) { return with_codes(texts, use); }, problem.texts);
}

// An engine. run() reports the engine (report_engine).
class lcs_engine : public base_detail::engine<lcs_problem> {
public:
  using engine::engine;
  // Returns whether the engine computes edit distances.
  [[nodiscard]] virtual bool computes_edit() const { return true; }
  [[nodiscard]] std::string why_not(const lcs_problem& problem) const final {
    if (problem.call.substitute() && !computes_edit()) return "it computes lcs and indel, not edit distances";
    return why_not_texts(problem);
  }

protected:
  ~lcs_engine() = default;
  // Returns why the engine does not take the texts; empty if it does.
  [[nodiscard]] virtual std::string why_not_texts(const lcs_problem&) const { return ""; }
};

// An engine of GPUs that auto takes for large tables and for batches.
class table_engine : public lcs_engine {
public:
  using lcs_engine::lcs_engine;
  // Returns whether auto should take the engine for a table of m n cells, if is_usable().
  [[nodiscard]] virtual bool is_worthwhile(std::uint64_t m, std::uint64_t n) const = 0;
  // Returns whether there is a GPU. The first call can take a second.
  [[nodiscard]] virtual bool is_usable() const = 0;
  // Returns the value of every pair of a batch, as lcs_all_pairs() does. No letter has a meaning of its own.
  [[nodiscard]] virtual std::vector<std::uint64_t> all_pairs(const sequences_view& batch,
                                                             const lcs_options& options) const = 0;

protected:
  ~table_engine() = default;
};

// Returns the engines.
[[nodiscard]] const base_detail::engine_list<lcs_problem>& engines();
// Returns the engine `name`, or null for auto and unknown names.
[[nodiscard]] const lcs_engine* find_engine(std::string_view name);
// Returns the engine of GPUs that auto takes; null in a build without CUDA.
[[nodiscard]] const table_engine* gpu_table_engine();

// Throws what a call with these options throws whatever the texts are: error(invalid_input) if the engine is
// unknown, does not run on the device or does not compute edit distances; unavailable_error if the GPU does
// not exist.
void check_engine(const lcs_options& options);

// Throws what check_lcs_options() throws, and reports the requested engine: the beginning of every call.
void begin_call(const lcs_options& options);
// Throws error(invalid_input) if the requested engine cannot compare wildcards, or would run on a GPU.
void require_wildcards(const run_options& run);

// Solves a problem by the engine that the options name. The options have been checked.
void solve(lcs_problem& problem);
// Returns the number that options.metric names, for bytes or 32-bit numbers. The options have been checked.
template <class Symbol>
[[nodiscard]] std::uint64_t pair_value(text<Symbol> a, text<Symbol> b, const lcs_options& options);

// Solves a problem by engine auto (automatic.cpp). `gpu` is the engine of GPUs that may fill tables; null:
// none. If it is `gpu_required`, it fills every table.
void solve_automatically(lcs_problem& problem, const table_engine* gpu, bool gpu_required);

} // namespace weft::lcs_detail
