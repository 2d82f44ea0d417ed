// Engine auto removes the parts of two texts that need no table (cpu/affixes.hpp), tries furthest-reaching
// as long as that is surely faster, and then fills the whole table by the engine that is fastest for it.
//
// Each step is a function. Those of steps 1 and 2 exist for the distance and for the path, because the path
// needs conditions that keep it canonical; the others return either.
//   1 distance(), path()       remove the common prefix and suffix, and run furthest-reaching, which may give
//                              up
//   2 drop_unshared_...()      remove symbols that only one text has, and go back to 1; if there are none,
//   3 choose_table_engine()    try furthest-reaching again if it has more time now, then run hunt-szymanski,
//                              or
//   4 fill_table()             fill the whole table
//
// Texts of numbers (lines, words) often have many unshared symbols and few matching pairs. So
// furthest-reaching first gets about the time that it takes to remove unshared symbols. Once there are none
// left, it gets the time of the table or of hunt-szymanski, whichever is estimated to be faster; that one
// then follows.
//
// The table is filled by the GPU engine if the options ask for a GPU, or if the table is large enough and
// there is a GPU with enough memory; otherwise by bit-sliced, or by bit-parallel for the value of a small
// table. If memory is too small for bit-sliced, bit-parallel replaces it, with Hirschberg's recursion for
// the path. This needs linear space and is several times slower.
//
// Texts with wildcards are compared by furthest-reaching and then bit-parallel, because the other engines
// compare symbols by value.
//
// estimates.hpp has the figures by which auto decides.
#include <weft/lcs/engines.hpp>

#include <limits>
#include <optional>
#include <type_traits>
#include <weft/base/engines.hpp>
#include <weft/lcs/cpu/affixes.hpp>
#include <weft/lcs/cpu/bit_parallel.hpp>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/cpu/furthest_reaching.hpp>
#include <weft/lcs/cpu/hunt_szymanski.hpp>
#include <weft/lcs/entry/path_memory.hpp>
#include <weft/lcs/estimates.hpp>

namespace weft::lcs_detail {

namespace {

constexpr double no_limit = 1e12, never = 1e300; // in seconds

// A Result is a distance (std::uint64_t) or a path (edit_script).
template <class Result> constexpr bool is_path = std::is_same_v<Result, edit_script>;

class automatic {
public:
  automatic(const lcs_call& call, const gpu_table_engine* gpu, bool gpu_required)
      : call_(call), gpu_(gpu), gpu_required_(gpu != nullptr && gpu_required), edit_(call.edit()),
        memory_(call.options.run.memory), allowance_(memory_) {}

  template <class Symbol> [[nodiscard]] std::uint64_t distance(text<Symbol> a, text<Symbol> b) {
    if (call_.wildcards != nullptr) return compare_with_wildcards<std::uint64_t>(a, b);
    const std::uint64_t prefix = common_prefix(a, b);
    a = a.subspan(prefix), b = b.subspan(prefix);
    const std::uint64_t suffix = common_suffix(a, b);
    a = a.first(a.size() - suffix), b = b.first(b.size() - suffix);
    if (a.empty() || b.empty()) return a.size() + b.size();
    const auto found = search_near<std::uint64_t>(a, b, 0, first_search_limit(a, b));
    return found ? *found : drop_unshared_distance(a, b);
  }

  template <class Symbol> [[nodiscard]] edit_script path(text<Symbol> a, text<Symbol> b) {
    if (call_.wildcards != nullptr) return compare_with_wildcards<edit_script>(a, b);
    edit_script path;
    const std::uint64_t suffix = common_suffix(a, b);
    const text<Symbol> x = a.first(a.size() - suffix), y = b.first(b.size() - suffix);
    const std::uint64_t prefix = common_prefix(x, y);
    if (prefix == std::min(x.size(), y.size())) {
      const std::uint64_t runs =
          max_runs(a.size(), b.size(), std::max(a.size(), b.size()) - std::min(a.size(), b.size()), false);
      require_memory_of_runs("the path", a.size() > b.size() ? 2 * runs : runs, 0, memory_);
      path.runs.reserve(runs);
      embed(a, b, path);
      return path;
    }
    if (auto found = search_near<edit_script>(x, y, prefix, first_search_limit(x, y)))
      path = std::move(*found);
    else
      path = path_after_prefix(x, y, prefix);
    require_memory_of_suffix(path, suffix);
    append_suffix(path, b, suffix);
    return path;
  }

private:
  void report(std::string_view engine) const { report_engine(call_.options.run, engine); }

  // Returns the limit, in seconds, of the first search on a caller's texts. For numbers it is the time that
  // it takes to remove unshared symbols.
  template <class Symbol> [[nodiscard]] double first_search_limit(text<Symbol> a, text<Symbol> b) const {
    return sizeof(Symbol) == 1 || edit_ || gpu_required_
               ? no_limit
               : removal_seconds_per_number * static_cast<double>(a.size() + b.size());
  }

  // Runs furthest-reaching. Returns nothing if it gives up.
  template <class Result, class Symbol>
  [[nodiscard]] std::optional<Result> run_furthest_reaching(text<Symbol> a, text<Symbol> b, double seconds) {
    report("furthest-reaching");
    if constexpr (is_path<Result>)
      return furthest_reaching_path(a, b, call_, steps_within(seconds));
    else
      return furthest_reaching_distance(a, b, call_, steps_within(seconds));
  }

  template <class Result, class Symbol>
  [[nodiscard]] Result run_bit_parallel(text<Symbol> a, text<Symbol> b) const {
    report("bit-parallel");
    if constexpr (is_path<Result>)
      return bit_parallel_path(a, b, call_);
    else
      return bit_parallel_distance(a, b, call_);
  }

  // Returns what furthest-reaching finds within `limit` seconds and within the time of the table of a and b
  // without their first `prefix` symbols, which are equal. Asking whether a GPU is usable can take longer
  // than a search of nearly equal texts, so it is asked only once the texts are known to differ more. For
  // texts of numbers the GPU is not considered unless it is required: only their codes show whether they
  // have few enough symbols for it, and they seldom do.
  template <class Result, class Symbol>
  [[nodiscard]] std::optional<Result> search_near(text<Symbol> a, text<Symbol> b, std::uint64_t prefix,
                                                  double limit) {
    const text<Symbol> x = a.subspan(prefix), y = b.subspan(prefix);
    if (gpu_required_ || (sizeof(Symbol) == 1 && gpu_is_worthwhile(x, y))) {
      auto found = run_furthest_reaching<Result>(a, b, std::min(limit, gpu_seconds<Result>(x, y)));
      if (found || gpu_required_ || gpu_->is_usable()) return found;
    }
    const double table = table_cells(x.size(), y.size()) /
                         bit_sliced_speed(x.size(), y.size(), edit_, call_.threads(x.size(), y.size())) /
                         speedup(x, y, is_path<Result>);
    return run_furthest_reaching<Result>(a, b, std::min(limit, table));
  }

  // Returns the distance or the path of texts with wildcards. Furthest-reaching only relies on the fact that
  // a step along the diagonal keeps the optimum where symbols match. This holds for any relation between
  // symbols, and so do the proofs of Hirschberg's recursion.
  template <class Result, class Symbol>
  [[nodiscard]] Result compare_with_wildcards(text<Symbol> a, text<Symbol> b) {
    const double table = bit_parallel_seconds(a.size(), b.size(), edit_, call_.threads(a.size(), b.size()));
    if (is_narrow(a, b))
      if (auto found = run_furthest_reaching<Result>(a, b, std::min(no_limit, table)))
        return std::move(*found);
    return run_bit_parallel<Result>(a, b);
  }

  // Returns the canonical path of texts with a common prefix. Leaves a part of the prefix in the core
  // (affixes.hpp), which grows until the path does not begin with a deletion.
  template <class Symbol>
  [[nodiscard]] edit_script path_after_prefix(text<Symbol> a, text<Symbol> b, std::uint64_t prefix) {
    const std::uint64_t quarter = (std::min(a.size(), b.size()) - prefix) / 4;
    for (std::uint64_t kept = 64;; kept = std::max(8 * kept, quarter)) {
      const std::uint64_t q = prefix - std::min(prefix, kept);
      edit_script path = drop_unshared_path(a.subspan(q), b.subspan(q));
      if (q > 0 && path.runs.front().op == edit_op::remove) continue;
      prepend_matches(path, q);
      return path;
    }
  }

  // Throws memory_error if a limit was requested and the path with its common suffix may exceed it.
  void require_memory_of_suffix(const edit_script& core, std::uint64_t suffix) const {
    const std::uint64_t slack =
        core.runs.empty() || core.runs.back().op != edit_op::insert ? 0 : core.runs.back().length;
    if (slack == 0) return;
    const std::uint64_t runs = core.runs.size() + max_runs(suffix, suffix + slack, slack, false);
    const bool reallocates = runs > core.runs.capacity(); // then both copies exist at once
    require_memory_of_runs("the path", reallocates ? 2 * runs : runs, 0, memory_);
  }

  // Remove the symbols that only one text has, which can never match, and compare what is left.
  template <class Symbol> [[nodiscard]] std::uint64_t drop_unshared_distance(text<Symbol> a, text<Symbol> b) {
    return with_dense_symbols(symbol_texts<Symbol>{a, b}, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return choose_table_engine<std::uint64_t>(x, y, sigma, first_search_limit(a, b));
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      return distance(decltype(x)(kept_x), decltype(y)(kept_y)) + dropped;
    });
  }
  template <class Symbol> [[nodiscard]] edit_script drop_unshared_path(text<Symbol> a, text<Symbol> b) {
    return with_dense_symbols(symbol_texts<Symbol>{a, b}, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return choose_table_engine<edit_script>(x, y, sigma, first_search_limit(a, b));
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const edit_script core = path(decltype(x)(kept_x), decltype(y)(kept_y));
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      const std::uint64_t runs =
          std::min(core.runs.size() + 2 * dropped,
                   max_runs(x.size(), y.size(), x.size() + y.size() - 2 * core.matches, false));
      require_memory_of_runs("the path", core.runs.size() + runs, 0, memory_);
      return restore_unshared(core, x, y, shared, memory_ == 0 ? 0 : runs);
    });
  }

  // Returns shared_symbols(), or an empty vector if the metric does not allow removing symbols.
  template <class Symbol>
  [[nodiscard]] std::vector<std::uint8_t> common_alphabet(text<Symbol> a, text<Symbol> b,
                                                          std::uint64_t sigma) const {
    return edit_ ? std::vector<std::uint8_t>{} : shared_symbols(a, b, sigma);
  }

  // Compares texts whose symbols are all shared. searched_seconds is the limit that the first search by
  // furthest-reaching had (no_limit for bytes); the search is repeated only with a larger limit.
  template <class Result, class Symbol>
  [[nodiscard]] Result choose_table_engine(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                           double searched_seconds) {
    const double table = table_seconds<Result>(a, b, sigma),
                 pairs = pairs_seconds(a, b, sigma, is_path<Result>);
    if (const double limit = std::min(table, pairs); searched_seconds < limit)
      if (auto found = search_near<Result>(a, b, 0, limit)) return std::move(*found);
    if (pairs < table) {
      report("hunt-szymanski");
      if constexpr (is_path<Result>)
        return hunt_szymanski_path(a, b, sigma, call_);
      else
        return hunt_szymanski_distance(a, b, sigma, call_);
    }
    if (!is_path<Result> && std::min(a.size(), b.size()) < min_bit_sliced_length && !gpu_fills(a, b))
      return run_bit_parallel<Result>(a, b);
    return fill_table<Result>(a, b, sigma);
  }

  // Estimates the seconds for the table, filled by the GPU or by bit-sliced.
  template <class Result, class Symbol>
  [[nodiscard]] double table_seconds(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    if (sizeof(Symbol) == 1 && gpu_fills(a, b)) return gpu_seconds<Result>(a, b);
    return bit_sliced_seconds(a.size(), b.size(), sigma, edit_, call_.threads(a.size(), b.size())) /
           speedup(a, b, is_path<Result>);
  }

  // Returns how many times as fast bit-sliced fills a table with the helpers of the call.
  template <class Symbol> [[nodiscard]] double speedup(text<Symbol> a, text<Symbol> b, bool path) const {
    const table_helpers* const helpers = call_.options.helpers;
    return helpers != nullptr && helpers->is_worthwhile(a.size(), b.size()) ? helpers->speedup(path) : 1;
  }

  // Estimates the seconds for hunt-szymanski; `never` if it may not run.
  template <class Symbol>
  [[nodiscard]] double pairs_seconds(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, bool path) {
    using engine = hunt_szymanski<Symbol>;
    if (edit_ || gpu_required_ || b.size() > engine::max_columns) return never;
    const std::uint64_t pairs = matching_pairs(a, b, sigma);
    if (!allowance_.fits(path ? engine::memory(a.size(), b.size(), sigma, pairs)
                              : engine::value_memory(b.size(), sigma)))
      return never;
    return hunt_szymanski_seconds(a.size(), b.size(), pairs, path);
  }

  template <class Result, class Symbol>
  [[nodiscard]] double gpu_seconds(text<Symbol> a, text<Symbol> b) const {
    return gpu_->estimated_seconds({call_, symbol_texts<Symbol>{a, b}, is_path<Result>});
  }
  template <class Symbol> [[nodiscard]] bool gpu_is_worthwhile(text<Symbol> a, text<Symbol> b) const {
    return gpu_ != nullptr && (gpu_required_ || gpu_->is_worthwhile(a.size(), b.size()));
  }
  template <class Symbol> [[nodiscard]] bool gpu_fills(text<Symbol> a, text<Symbol> b) const {
    return gpu_is_worthwhile(a, b) && (gpu_required_ || gpu_->is_usable());
  }

  // Solves a table on the GPU, and returns true. Returns false if the CPU has to solve it.
  template <class Symbol> bool solve_on_gpu(lcs_problem& table, text<Symbol> a, text<Symbol> b) const {
    if (!gpu_fills(a, b)) return false;
    if (const std::string reason = gpu_->why_not(table); !reason.empty()) {
      if (!gpu_required_) return false;
      base_detail::refuse_problem("lcs", gpu_->name(), reason);
    }
    const run_options& run = call_.options.run;
    if (!base_detail::try_within_memory(gpu_required_, run.monitor, [&] { return gpu_->run(table), true; }))
      return false;
    report_engine(run, gpu_->name(), {device_kind::gpu, base_detail::gpu_index(run.device)});
    return true;
  }

  // Fills the whole table by the GPU or bit-sliced, or by bit-parallel if memory is too small for both.
  template <class Result, class Symbol>
  [[nodiscard]] Result fill_table(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    lcs_problem table{call_, symbol_texts<Symbol>{a, b, sigma}, is_path<Result>};
    if (solve_on_gpu(table, a, b)) {
      if constexpr (is_path<Result>)
        return std::move(table.path);
      else
        return table.distance;
    }
    report("bit-sliced");
    if (auto found = base_detail::try_within_memory(false, call_.options.run.monitor, [&]() -> Result {
          const auto [x, y] = symbol_planes(a, b, sigma, call_.threads(a.size(), b.size()));
          return solve_bit_sliced<Result>(x, y, call_);
        }))
      return std::move(*found);
    if constexpr (is_path<Result>) require_memory_of_bit_parallel_runs(a, b, sigma);
    return run_bit_parallel<Result>(a, b);
  }

  // Throws memory_error if memory is too small for the runs of a path by bit-parallel. Bit-sliced computes
  // the distance for that, because it is faster.
  template <class Symbol>
  void require_memory_of_bit_parallel_runs(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    (void)memory_of_runs("engine bit-parallel", a.size(), b.size(), edit_, 0, memory_, [&] {
      const lcs_options options{.metric = edit_ ? lcs_metric::edit : lcs_metric::indel,
                                .run = {.threads = call_.options.run.threads, .memory = memory_}};
      cell_counter uncounted(nullptr);
      return automatic({options, uncounted}, nullptr, false).fill_table<std::uint64_t>(a, b, sigma);
    });
  }

  lcs_call call_;
  const gpu_table_engine* gpu_;
  bool gpu_required_, edit_;
  std::uint64_t memory_; // as requested
  memory_allowance allowance_;
};

} // namespace

void solve_automatically(lcs_problem& problem, const gpu_table_engine* gpu, bool gpu_required) {
  automatic solver(problem.call, gpu, gpu_required);
  std::visit(
      [&](const auto& texts) {
        if (problem.wants_path)
          problem.path = solver.path(texts.a, texts.b);
        else
          problem.distance = solver.distance(texts.a, texts.b);
      },
      problem.texts);
}

} // namespace weft::lcs_detail
