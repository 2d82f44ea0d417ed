// The engines of lcs: the problem that each solves, their list, and what auto needs to know of the GPU engine
// that fills tables.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
#include <weft/base/engines.hpp>
#include <weft/lcs/core/bit_planes.hpp>
#include <weft/lcs/entry/call.hpp>
#include <weft/lcs/entry/pair_codes.hpp>

namespace weft::lcs_detail {

// Two texts that are not empty. sigma: all symbols are smaller; 0: unknown (arbitrary 32-bit numbers).
template <class Symbol> struct symbol_texts {
  text<Symbol> a, b;
  std::uint64_t sigma = sizeof(Symbol) == 1 ? 256 : 0;
};

// Two texts to compare, and the result. An engine computes the distance, or the path if `wants_path`.
struct lcs_problem {
  lcs_call call;
  std::variant<symbol_texts<std::uint8_t>, symbol_texts<std::uint32_t>> texts;
  bool wants_path = false;
  std::uint64_t distance = 0; // the result; see entry/call.hpp
  edit_script path = {};

  [[nodiscard]] std::uint64_t m() const {
    return std::visit([](const auto& both) { return both.a.size(); }, texts);
  }
  [[nodiscard]] std::uint64_t n() const {
    return std::visit([](const auto& both) { return both.b.size(); }, texts);
  }
};

// Calls use(a, b, sigma) with symbols below sigma, as bytes if there are at most 256 different symbols.
template <class Symbol, class Use>
auto with_dense_symbols(const symbol_texts<Symbol>& texts, const Use& use) {
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
template <class Use> auto with_dense_symbols(const lcs_problem& problem, const Use& use) {
  return std::visit([&](const auto& texts) { return with_dense_symbols(texts, use); }, problem.texts);
}

// An engine of the list. run() checks the memory that it needs.
class lcs_engine : public base_detail::engine<lcs_problem> {
public:
  using engine::engine;
  // Returns whether the engine computes edit distances.
  [[nodiscard]] virtual bool computes_edit() const { return true; }
  // Returns whether the engine computes metric affine, and no other one.
  [[nodiscard]] virtual bool is_affine() const { return false; }
  // Returns why the engine refuses a metric; empty if it computes it.
  [[nodiscard]] std::string_view why_not_metric(lcs_metric metric) const {
    if (is_affine()) return metric == lcs_metric::affine ? "" : "it computes metric affine only";
    if (metric == lcs_metric::affine)
      return "it does not compute metric affine (the engines affine-wavefront and affine-table do)";
    if (metric == lcs_metric::edit && !computes_edit())
      return "it computes lcs and indel, not edit distances";
    return "";
  }
  [[nodiscard]] std::string why_not(const lcs_problem& problem) const final {
    const std::string_view reason = why_not_metric(problem.call.options.metric);
    return reason.empty() ? why_not_texts(problem) : std::string(reason);
  }

protected:
  ~lcs_engine() = default;
  // Returns why the engine does not take the texts; empty if it does.
  [[nodiscard]] virtual std::string why_not_texts(const lcs_problem&) const { return ""; }
};

// A GPU engine that computes all pairs of a batch at once.
class gpu_batch_engine : public lcs_engine {
public:
  using lcs_engine::lcs_engine;
  // Returns whether there is a GPU. The first call can take a second.
  [[nodiscard]] virtual bool is_usable() const = 0;
  // Returns whether auto should take the engine for pairs of `cells` cells in place of this many threads of
  // the CPU, if is_usable().
  [[nodiscard]] virtual bool is_worthwhile_for_pairs(double cells, int threads) const;
  // Returns the length of the longest sequence whose pairs all_pairs() computes; 0: it computes none.
  [[nodiscard]] virtual std::uint64_t max_length(const sequences_view&, const lcs_options&) const {
    return ~std::uint64_t{0};
  }
  // Returns the value of every pair of a batch, as lcs_all_pairs() does, and 0 for pairs with a sequence of
  // more than max_length() symbols. options.wildcards must be empty, and options.unmatched, too, for other
  // metrics than affine.
  [[nodiscard]] virtual std::vector<std::uint64_t> all_pairs(const sequences_view& batch,
                                                             const lcs_options& options) const = 0;

protected:
  ~gpu_batch_engine() = default;
};

// The size of the right half of a table whose LCS length two GPUs compute, and the form of its sweep.
struct half_shape {
  std::uint64_t m, n;  // rows of the table, and columns of the half
  std::uint64_t sigma; // symbols are codes below sigma <= 256
  std::uint64_t words; // strips have 1024 * words rows
  // The UUID of the GPU that sweeps the left half, which cannot sweep the right half at the same time. If it
  // is 0, any GPU may sweep the right half.
  std::array<char, 16> gpu = {};

  // Returns the number of 32-bit words of the border of the half: the differences beside its last column, a
  // bit for each row of all strips.
  [[nodiscard]] std::uint64_t border_words() const {
    return (m + 1024 * words - 1) / (1024 * words) * 32 * words;
  }
};
// A long sweep on a GPU calls it often. It throws if the sweep has to end.
using sweep_check = std::function<void()>;

// The GPU engine with which auto fills large tables.
class gpu_table_engine : public gpu_batch_engine {
public:
  using gpu_batch_engine::gpu_batch_engine;
  // Returns whether auto should take the engine for a table of m n cells, if is_usable().
  [[nodiscard]] virtual bool is_worthwhile(std::uint64_t m, std::uint64_t n) const = 0;
  // Returns whether the GPU that `run` names can sweep a half of this shape with the memory that `run`
  // allows, and is another GPU than that of the left half. Throws device_error.
  [[nodiscard]] virtual bool can_sweep_half(const half_shape& shape, const run_options& run) const = 0;
  // Sweeps the right half of a table on the GPU that `run` names. `a` has the rows, and `b` is the second
  // half of the text of the columns. Returns the border of the half, of shape.border_words() words. Throws
  // what check() throws.
  [[nodiscard]] virtual std::vector<std::uint32_t> sweep_half(const half_shape& shape, text<std::uint8_t> a,
                                                              text<std::uint8_t> b, const run_options& run,
                                                              const sweep_check& check) const = 0;

protected:
  ~gpu_table_engine() = default;
};

// Other processes that fill tables together with this one, which asks them to. Functions throw memory_error,
// without having changed anything, if the task needs more memory than the call allows.
class table_helpers {
public:
  // Returns whether it is faster to fill a table of m n cells together, and how many times as fast it is.
  [[nodiscard]] virtual bool is_worthwhile(std::uint64_t m, std::uint64_t n) const = 0;
  [[nodiscard]] virtual double speedup(bool path) const = 0;
  // Return what bit_sliced_distance() and bit_sliced_path() return.
  [[nodiscard]] virtual std::uint64_t distance(const bit_planes& a, const bit_planes& b,
                                               const lcs_call& call) = 0;
  [[nodiscard]] virtual edit_script path(const bit_planes& a, const bit_planes& b, const lcs_call& call) = 0;
  // Returns whether the GPU of this process and that of another one compute the LCS length of a table of m n
  // cells faster together.
  [[nodiscard]] virtual bool is_worthwhile_on_gpu(std::uint64_t m, std::uint64_t n) const = 0;
  // Lets another process sweep the right half of a table as gpu_table_engine::sweep_half() does, with
  // `memory` as its run_options::memory, and calls own(check) meanwhile, which sweeps the left half on the
  // GPU of this process. Returns the border of the right half. Returns an empty vector, without calling
  // own(), if the other process cannot do it.
  [[nodiscard]] virtual std::vector<std::uint32_t>
  sweep_half(const half_shape& shape, text<std::uint8_t> a, text<std::uint8_t> b, std::uint64_t memory,
             const std::function<void(const sweep_check& check)>& own) = 0;

protected:
  ~table_helpers() = default;
};

// Returns the distance (std::uint64_t) or the canonical path (edit_script) by engine bit-sliced, together
// with the helpers of the call if there are any, and if that is worthwhile.
template <class Result>
[[nodiscard]] Result solve_bit_sliced(const bit_planes& a, const bit_planes& b, const lcs_call& call);

// Returns the engines.
[[nodiscard]] const base_detail::engine_list<lcs_problem>& engines();
// Returns the engine `name`, or null for auto and unknown names.
[[nodiscard]] const lcs_engine* find_engine(std::string_view name);
// Returns the GPU engine with which auto fills tables; null in a build without CUDA.
[[nodiscard]] const gpu_table_engine* find_gpu_table_engine();
// Returns the GPU engine that computes all pairs of a batch by a metric; null in a build without CUDA.
[[nodiscard]] const gpu_batch_engine* find_gpu_batch_engine(lcs_metric metric);

// The engines of metric affine (affine.cpp).
[[nodiscard]] const lcs_engine& affine_wavefront_engine();
[[nodiscard]] const lcs_engine& affine_table_engine();

// Reports the engine that the options name (auto reports the engines that it runs instead), and its device.
void report_requested_engine(const run_options& run);
// Throws error(invalid_input) if the requested engine cannot compare wildcards, or would run on a GPU.
void require_wildcards(const lcs_options& options);

// The distance of two texts, or the canonical path if it is wanted.
struct solution {
  std::uint64_t distance;
  edit_script path;
};
// Solves a pair of texts, which may be empty, by the engine that the options name. Reports the engine and the
// progress. The options have been checked.
template <class Symbol>
[[nodiscard]] solution solve_pair(text<Symbol> a, text<Symbol> b, const lcs_options& options,
                                  bool wants_path);

// Solves a problem by engine auto (automatic.cpp), and reports the engine that does most of the work. `gpu`
// is the GPU engine that may fill tables; null: none. If it is `gpu_required`, it fills every table.
void solve_automatically(lcs_problem& problem, const gpu_table_engine* gpu, bool gpu_required);
// Does the same for metric affine (affine.cpp): runs affine-wavefront, as long as that is surely faster, and
// then affine-table.
void solve_affine(lcs_problem& problem);

} // namespace weft::lcs_detail
