// Engine auto removes the parts of two texts that need no table (cpu/affixes.hpp), tries furthest-reaching
// as long as that is surely faster, and then fills the whole table by the engine that is fastest for it.
//
//   distance(a, b): remove the common prefix and suffix; run furthest-reaching, unless it gives up; remove
//                   unshared symbols, if there are any, and start again; fill the table.
//   path(a, b):     the same, under the conditions that keep the canonical path exact.
//
// Texts of numbers (lines, words) often have many unshared symbols and few matching pairs. So
// furthest-reaching first gets about the time that it takes to remove unshared symbols. Once there are none
// left, it gets the time of the table or of hunt-szymanski, whichever is estimated to be faster; that one
// then follows.
//
// The table is filled by an engine of GPUs if the options ask for a GPU, or if the table is large enough and
// there is one with enough memory; otherwise by bit-sliced, or by bit-parallel for the value of a small
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
#include <weft/base/engines.hpp>
#include <weft/lcs/cpu/affixes.hpp>
#include <weft/lcs/cpu/bit_parallel.hpp>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/cpu/furthest_reaching.hpp>
#include <weft/lcs/cpu/hunt_szymanski.hpp>
#include <weft/lcs/estimates.hpp>

namespace weft::lcs_detail {

namespace {

constexpr double no_limit = 1e12, never = 1e300; // in seconds

// The functions of a step of the procedure are distance() and path(), then those with a name:
//   far_...      after furthest-reaching has given up
//   settled_...  when there are no unshared symbols left
//   full_...     the whole table, by the GPU or bit-sliced
//   sliced_...   bit-sliced, or bit-parallel if memory is too small
class automatic {
public:
  automatic(const lcs_call& call, const table_engine* gpu, bool gpu_required)
      : call_(call), gpu_(gpu), gpu_required_(gpu != nullptr && gpu_required), edit_(call.substitute()),
        threads_(call.threads()), memory_(call.options.run.memory), allowance_(memory_) {}

  template <class Symbol> [[nodiscard]] std::uint64_t distance(text<Symbol> a, text<Symbol> b) {
    if (call_.wildcards != nullptr) return wild_distance(a, b);
    const std::uint64_t prefix = common_prefix(a, b);
    a = a.subspan(prefix), b = b.subspan(prefix);
    const std::uint64_t suffix = common_suffix(a, b);
    a = a.first(a.size() - suffix), b = b.first(b.size() - suffix);
    if (a.empty() || b.empty()) return a.size() + b.size();
    const auto found =
        search_near<Symbol>(a, b, first_search_limit<Symbol>(a, b),
                            [&](std::uint64_t max_steps) { return near_distance(a, b, call_, max_steps); });
    return found ? *found : far_distance(a, b);
  }

  template <class Symbol> [[nodiscard]] edit_script path(text<Symbol> a, text<Symbol> b) {
    if (call_.wildcards != nullptr) return wild_path(a, b);
    edit_script path;
    const std::uint64_t suffix = common_suffix(a, b);
    const text<Symbol> x = a.first(a.size() - suffix), y = b.first(b.size() - suffix);
    const std::uint64_t prefix = common_prefix(x, y);
    if (prefix == std::min(x.size(), y.size())) {
      const std::uint64_t runs =
          max_runs(a.size(), b.size(), std::max(a.size(), b.size()) - std::min(a.size(), b.size()), false);
      require_memory_of_runs("auto", a.size() > b.size() ? 2 * runs : runs, 0, memory_);
      path.runs.reserve(runs);
      embed(a, b, path);
      return path;
    }
    if (auto found =
            search_near<Symbol>(x.subspan(prefix), y.subspan(prefix), first_search_limit<Symbol>(x, y),
                                [&](std::uint64_t max_steps) { return near_path(x, y, call_, max_steps); }))
      path = std::move(*found);
    else
      path = path_after_prefix(x, y, prefix);
    require_memory_of_suffix(path, suffix);
    append_suffix(path, b, suffix);
    return path;
  }

private:
  // Returns the limit, in seconds, of the first search on a caller's texts. For numbers it is the time that
  // it takes to remove unshared symbols.
  template <class Symbol> [[nodiscard]] double first_search_limit(text<Symbol> a, text<Symbol> b) const {
    return sizeof(Symbol) == 1 || edit_ || gpu_required_
               ? no_limit
               : removal_seconds_per_number * static_cast<double>(a.size() + b.size());
  }

  // Returns what `search` finds within the time of the table of a and b and within `limit` seconds. Asking
  // whether a GPU is usable can take longer than a search of nearly equal texts, so it is asked only once
  // the texts are known to differ more. For texts of numbers the GPU is not considered unless it is
  // required: only their codes show whether they have few enough symbols for it, and they seldom do.
  template <class Symbol, class Search>
  [[nodiscard]] auto search_near(text<Symbol> a, text<Symbol> b, double limit, const Search& search) {
    const auto within = [&](double table) { return search(steps_within(std::min(limit, table))); };
    if (gpu_required_ || (sizeof(Symbol) == 1 && gpu_is_worthwhile(a, b))) {
      auto found = within(gpu_seconds(a, b));
      if (found || gpu_required_ || gpu_->is_usable()) return found;
    }
    return within(table_cells(a.size(), b.size()) / bit_sliced_speed(a.size(), b.size(), edit_, threads_));
  }

  // distance() and path() with wildcards. Furthest-reaching only relies on the fact that a step along the
  // diagonal keeps the optimum where symbols match. This holds for any relation between symbols, and so do
  // the proofs of Hirschberg's recursion.
  template <class Symbol> [[nodiscard]] std::uint64_t wild_distance(text<Symbol> a, text<Symbol> b) {
    if (is_narrow(a, b))
      if (const auto found = near_distance(a, b, call_, wild_steps(a, b))) return *found;
    return bit_parallel_distance(a, b, call_);
  }
  template <class Symbol> [[nodiscard]] edit_script wild_path(text<Symbol> a, text<Symbol> b) {
    if (is_narrow(a, b))
      if (auto found = near_path(a, b, call_, wild_steps(a, b))) return std::move(*found);
    return bit_parallel_path(a, b, call_);
  }
  template <class Symbol> [[nodiscard]] std::uint64_t wild_steps(text<Symbol> a, text<Symbol> b) const {
    return steps_within(std::min(no_limit, bit_parallel_seconds(a.size(), b.size(), edit_, threads_)));
  }

  // Returns the canonical path of texts with a common prefix. Leaves a part of the prefix in the core
  // (affixes.hpp), which grows until the path does not begin with a deletion.
  template <class Symbol>
  [[nodiscard]] edit_script path_after_prefix(text<Symbol> a, text<Symbol> b, std::uint64_t prefix) {
    const std::uint64_t quarter = (std::min(a.size(), b.size()) - prefix) / 4;
    for (std::uint64_t kept = 64;; kept = std::max(8 * kept, quarter)) {
      const std::uint64_t q = prefix - std::min(prefix, kept);
      edit_script path = far_path(a.subspan(q), b.subspan(q));
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
    require_memory_of_runs("auto", reallocates ? 2 * runs : runs, 0, memory_);
  }

  template <class Symbol> [[nodiscard]] std::uint64_t far_distance(text<Symbol> a, text<Symbol> b) {
    return with_codes(symbol_texts<Symbol>{a, b}, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return settled_distance(x, y, sigma, first_search_limit<Symbol>(a, b));
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      return distance(decltype(x)(kept_x), decltype(y)(kept_y)) + dropped;
    });
  }
  template <class Symbol> [[nodiscard]] edit_script far_path(text<Symbol> a, text<Symbol> b) {
    return with_codes(symbol_texts<Symbol>{a, b}, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return settled_path(x, y, sigma, first_search_limit<Symbol>(a, b));
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const edit_script core = path(decltype(x)(kept_x), decltype(y)(kept_y));
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      const std::uint64_t runs =
          std::min(core.runs.size() + 2 * dropped,
                   max_runs(x.size(), y.size(), x.size() + y.size() - 2 * core.matches, false));
      require_memory_of_runs("auto", core.runs.size() + runs, 0, memory_);
      return restore_unshared(core, x, y, shared, memory_ == 0 ? 0 : runs);
    });
  }

  // Returns shared_symbols(), or an empty vector if the metric does not allow removing symbols.
  template <class Symbol>
  [[nodiscard]] std::vector<std::uint8_t> common_alphabet(text<Symbol> a, text<Symbol> b,
                                                          std::uint64_t sigma) const {
    return edit_ ? std::vector<std::uint8_t>{} : shared_symbols(a, b, sigma);
  }

  // The functions settled_... follow a search of tried_seconds.
  template <class Symbol>
  [[nodiscard]] std::uint64_t settled_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                               double tried_seconds) {
    const double table = table_seconds(a, b, sigma), pairs = pairs_seconds(a, b, sigma, false);
    if (const double limit = std::min(table, pairs); tried_seconds < limit)
      if (const auto found = search_near<Symbol>(
              a, b, limit, [&](std::uint64_t max_steps) { return near_distance(a, b, call_, max_steps); }))
        return *found;
    if (pairs < table) return hunt_szymanski_distance(a, b, sigma, call_);
    if (gpu_fills(a, b) || std::min(a.size(), b.size()) >= min_bit_sliced_length)
      return full_distance(a, b, sigma);
    return bit_parallel_distance(a, b, call_);
  }
  template <class Symbol>
  [[nodiscard]] edit_script settled_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                         double tried_seconds) {
    const double table = table_seconds(a, b, sigma), pairs = pairs_seconds(a, b, sigma, true);
    if (const double limit = std::min(table, pairs); tried_seconds < limit)
      if (auto found = search_near<Symbol>(
              a, b, limit, [&](std::uint64_t max_steps) { return near_path(a, b, call_, max_steps); }))
        return std::move(*found);
    return pairs < table ? hunt_szymanski_path(a, b, sigma, call_) : full_path(a, b, sigma);
  }

  // Estimates the seconds for the table, filled by the GPU or by bit-sliced.
  template <class Symbol>
  [[nodiscard]] double table_seconds(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    if (sizeof(Symbol) == 1 && gpu_fills(a, b)) return gpu_seconds(a, b);
    return bit_sliced_seconds(a.size(), b.size(), sigma, edit_, threads_);
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

  template <class Symbol> [[nodiscard]] double gpu_seconds(text<Symbol> a, text<Symbol> b) const {
    return gpu_->estimated_seconds({call_, symbol_texts<Symbol>{a, b}});
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
    const auto run = [&] { return gpu_->run(table), true; };
    return base_detail::try_within_memory(gpu_required_, call_.options.run.monitor, run).has_value();
  }
  template <class Symbol>
  [[nodiscard]] std::uint64_t full_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    lcs_problem table{call_, symbol_texts<Symbol>{a, b, sigma}};
    return solve_on_gpu(table, a, b) ? table.distance : sliced_distance(a, b, sigma);
  }
  template <class Symbol>
  [[nodiscard]] edit_script full_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    lcs_problem table{call_, symbol_texts<Symbol>{a, b, sigma}, true};
    return solve_on_gpu(table, a, b) ? std::move(table.path) : sliced_path(a, b, sigma);
  }

  template <class Symbol>
  [[nodiscard]] std::uint64_t sliced_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    const auto found = base_detail::try_within_memory(
        false, call_.options.run.monitor, [&] { return bit_sliced_distance(a, b, sigma, call_); });
    return found ? *found : bit_parallel_distance(a, b, call_);
  }
  template <class Symbol>
  [[nodiscard]] edit_script sliced_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    if (auto found = base_detail::try_within_memory(false, call_.options.run.monitor,
                                                    [&] { return bit_sliced_path(a, b, sigma, call_); }))
      return std::move(*found);
    // If memory is too small for the runs, bit-sliced finds that out sooner.
    (void)memory_of_runs("bit-parallel", a.size(), b.size(), edit_, 0, memory_, [&] {
      const lcs_options silent{.metric = edit_ ? lcs_metric::edit : lcs_metric::indel,
                               .run = {.threads = threads_, .memory = memory_}};
      progress no_progress(nullptr);
      return automatic({silent, no_progress}, nullptr, false).sliced_distance(a, b, sigma);
    });
    return bit_parallel_path(a, b, call_);
  }

  lcs_call call_;
  const table_engine* gpu_;
  bool gpu_required_, edit_;
  int threads_;
  std::uint64_t memory_; // as requested
  memory_allowance allowance_;
};

} // namespace

void solve_automatically(lcs_problem& problem, const table_engine* gpu, bool gpu_required) {
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
