// Engine auto. It removes parts of the texts that need no table (affixes.hpp), tries furthest-reaching as
// long as that is surely faster, and then fills the whole table.
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
// If memory is too small for bit-sliced, bit-parallel replaces it, with Hirschberg's recursion for the
// path. This needs linear space and is several times slower.
//
// The table is filled by bit-sliced or by an external table (entry/full_table.hpp), such as a GPU. The
// external table fills every table if it is required, and otherwise those that are worthwhile.
//
// The names of functions tell the engine:
//   near_...               furthest-reaching, which is fast for near (nearly equal) texts
//   far_..., settled_...   what follows after furthest-reaching has given up
//   pairs_..., sparse_...  hunt-szymanski
//   sliced_...             bit-sliced
//   full_..., whole_...    the external table, or bit-sliced
//   table_...              the same, or bit-parallel for small tables
//   wild_...               furthest-reaching and bit-parallel for texts with wildcards
#pragma once

#include <optional>
#include <weft/base/if_it_fits.hpp>
#include <weft/base/parallel.hpp>
#include <weft/lcs/cpu/affixes.hpp>
#include <weft/lcs/cpu/batch.hpp>
#include <weft/lcs/cpu/bit_parallel.hpp>
#include <weft/lcs/cpu/bit_sliced.hpp>
#include <weft/lcs/cpu/furthest_reaching.hpp>
#include <weft/lcs/cpu/hirschberg.hpp>
#include <weft/lcs/cpu/hunt_szymanski.hpp>
#include <weft/lcs/cpu/pair_codes.hpp>
#include <weft/lcs/entry/full_table.hpp>

namespace weft::lcs_cpu {

// Computes distances and paths by engine auto, and by the engines furthest-reaching, bit-sliced and
// hunt-szymanski alone.
class automatic {
public:
  // `external_table`: null, or an implementation that fills tables instead of bit-sliced. `wildcards`:
  // null, or bytes that equal every byte. Wildcards need bit-parallel for the table, because the other
  // engines compare symbols by value.
  automatic(const lcs_options& options, progress& work, const full_table* external_table = nullptr,
            const byte_set* wildcards = nullptr)
      : options_(options), external_table_(external_table), wildcards_(wildcards),
        substitute_(options.metric == lcs_metric::edit), work_(work),
        threads_(thread_count(options.run.threads)) {}

  // Returns the distance of two texts by engine auto.
  template <class Symbol> [[nodiscard]] std::uint64_t distance(text<Symbol> a, text<Symbol> b) {
    if (wildcards_ != nullptr) return wild_distance(a, b);
    const std::uint64_t prefix = common_prefix(a, b);
    a = a.subspan(prefix), b = b.subspan(prefix);
    const std::uint64_t suffix = common_suffix(a, b);
    a = a.first(a.size() - suffix), b = b.first(b.size() - suffix);
    if (a.empty() || b.empty()) return a.size() + b.size();
    const auto found =
        search_near<Symbol>(a.size(), b.size(), false, first_search_limit<Symbol>(a, b),
                            [&](std::uint64_t max_steps) { return near_distance(a, b, max_steps); });
    return found ? *found : far_distance(a, b);
  }

  // Returns the canonical path of two texts by engine auto.
  template <class Symbol> [[nodiscard]] edit_script path(text<Symbol> a, text<Symbol> b) {
    if (wildcards_ != nullptr) return wild_path(a, b);
    edit_script path;
    const std::uint64_t suffix = common_suffix(a, b);
    const text<Symbol> x = a.first(a.size() - suffix), y = b.first(b.size() - suffix);
    const std::uint64_t prefix = common_prefix(x, y);
    if (prefix == std::min(x.size(), y.size())) {
      const std::uint64_t runs =
          max_runs(a.size(), b.size(), std::max(a.size(), b.size()) - std::min(a.size(), b.size()), false);
      require_memory_of_runs("auto", a.size() > b.size() ? 2 * runs : runs, 0, options_.run.memory);
      path.runs.reserve(runs);
      embed(a, b, path);
      return path;
    }
    if (auto found =
            search_near<Symbol>(x.size() - prefix, y.size() - prefix, true, first_search_limit<Symbol>(x, y),
                                [&](std::uint64_t max_steps) { return near_path(x, y, max_steps); }))
      path = std::move(*found);
    else
      path = path_after_prefix(x, y, prefix);
    require_memory_of_suffix(path, suffix);
    append_suffix(path, b, suffix);
    return path;
  }

  // Compute by engine furthest-reaching alone.
  template <class Symbol> [[nodiscard]] std::uint64_t near_distance(text<Symbol> a, text<Symbol> b) {
    return *near_distance(a, b, unlimited);
  }
  template <class Symbol> [[nodiscard]] edit_script near_path(text<Symbol> a, text<Symbol> b) {
    return *near_path(a, b, unlimited);
  }

  // Compute by engine bit-sliced alone, or by the external table.
  template <class Symbol> [[nodiscard]] std::uint64_t whole_distance(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) { return full_distance(x, y, sigma); });
  }
  template <class Symbol> [[nodiscard]] edit_script whole_path(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) { return full_path(x, y, sigma); });
  }

  // Compute by engine hunt-szymanski alone, which does not support the metric edit.
  template <class Symbol> [[nodiscard]] std::uint64_t sparse_distance(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) {
      require_pairs(x, y, sigma, false);
      return pairs_distance(x, y, sigma);
    });
  }
  template <class Symbol> [[nodiscard]] edit_script sparse_path(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) {
      require_pairs(x, y, sigma, true);
      return pairs_path(x, y, sigma);
    });
  }

  // Returns the distance by furthest-reaching, or nothing if furthest-reaching is not surely faster than a
  // table that fills `cells_per_second`.
  template <class Symbol>
  [[nodiscard]] std::optional<std::uint64_t> near_distance_within(text<Symbol> a, text<Symbol> b,
                                                                  double cells_per_second) {
    return near_distance(a, b, steps_for(a.size(), b.size(), cells_per_second));
  }

private:
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  // Whether bit-sliced computes a value faster than bit-parallel. (It is always faster for a path.)
  [[nodiscard]] static bool is_worth_bit_slicing(std::uint64_t m, std::uint64_t n) {
    return std::min(m, n) >= 768;
  }

  // Returns the number of steps of furthest-reaching that take as long as a table of m n cells, but at most
  // `limit` seconds.
  [[nodiscard]] static std::uint64_t steps_for(std::uint64_t m, std::uint64_t n, double cells_per_second,
                                               double limit = 1e12) {
    constexpr double steps_per_second = 350e6;
    const double seconds =
        std::min(limit, static_cast<double>(m) * static_cast<double>(n) / cells_per_second);
    return static_cast<std::uint64_t>(std::min(1e18, seconds * steps_per_second));
  }

  // Returns the limit, in seconds, of the first search on a caller's texts. For numbers it is the time that
  // it takes to remove unshared symbols.
  template <class Symbol> [[nodiscard]] double first_search_limit(text<Symbol> a, text<Symbol> b) const {
    constexpr double seconds_per_number = 20e-9;
    return sizeof(Symbol) == 1 || substitute_ || requires_external_table()
               ? 1e12
               : seconds_per_number * static_cast<double>(a.size() + b.size());
  }

  [[nodiscard]] bool requires_external_table() const {
    return external_table_ != nullptr && external_table_->required();
  }

  // Returns what `search` finds within the time of the table of m n cells and within `limit` seconds.
  // Asking whether the external table is usable can take longer than a search of nearly equal texts, so it
  // is asked only once the texts are known to differ more. For texts of numbers the external table is not
  // considered unless it is required: only their codes show whether they have few enough symbols for it,
  // and they seldom do.
  template <class Symbol, class Search>
  [[nodiscard]] auto search_near(std::uint64_t m, std::uint64_t n, bool path, double limit,
                                 const Search& search) {
    if (external_table_ != nullptr && (external_table_->required() ||
                                       (sizeof(Symbol) == 1 && external_table_->is_worthwhile(m, n, path)))) {
      auto found = search(steps_for(m, n, external_table_->cells_per_second(m, n), limit));
      if (found || external_table_->usable()) return found;
    }
    return search(steps_for(m, n, cells_per_second(m, n), limit));
  }

  // Every search gets the first 32nd of the steps, because the texts may differ in one position only. It
  // gets the other steps only if it is expected to need less than half of max_steps in all at the present
  // pace. (Steps grow with the square of the part that is done.)
  [[nodiscard]] static bool is_worth_continuing(std::uint64_t steps, double done, std::uint64_t max_steps) {
    return steps < max_steps / 32 ||
           static_cast<double>(steps) < 0.5 * done * done * static_cast<double>(max_steps);
  }

  // Whether 32-bit indices suffice for furthest-reaching.
  template <class Symbol> [[nodiscard]] static bool is_narrow(text<Symbol> a, text<Symbol> b) {
    return a.size() + b.size() < std::uint64_t{1} << 29;
  }

  // Calls use(engine) with the engine that suits the lengths of the texts.
  template <class Symbol, class Use>
  auto with_furthest_reaching(text<Symbol> a, text<Symbol> b, const Use& use) {
    const bool narrow = is_narrow(a, b);
    if constexpr (sizeof(Symbol) == 1)
      if (wildcards_ != nullptr) { // only narrow texts come here
        const equal_or_wild equal{wildcards_};
        using index = std::int32_t;
        if (substitute_)
          return use(furthest_reaching<Symbol, index, true, equal_or_wild>(a, b, work_, equal));
        return use(furthest_reaching<Symbol, index, false, equal_or_wild>(a, b, work_, equal));
      }
    if (narrow && substitute_) return use(furthest_reaching<Symbol, std::int32_t, true>(a, b, work_));
    if (narrow) return use(furthest_reaching<Symbol, std::int32_t, false>(a, b, work_));
    if (substitute_) return use(furthest_reaching<Symbol, std::int64_t, true>(a, b, work_));
    return use(furthest_reaching<Symbol, std::int64_t, false>(a, b, work_));
  }

  template <class Symbol>
  std::optional<std::uint64_t> near_distance(text<Symbol> a, text<Symbol> b, std::uint64_t max_steps) {
    const auto total = static_cast<double>(a.size() + b.size());
    record_engine("furthest-reaching");
    return with_furthest_reaching(a, b, [&](auto engine) {
      const auto found = engine.search(false, [&](std::uint64_t, std::uint64_t steps, std::uint64_t reached) {
        return is_worth_continuing(steps, static_cast<double>(reached + 1) / total, max_steps);
      });
      if (!found) work_.drop_estimate();
      return found;
    });
  }

  template <class Symbol>
  std::optional<edit_script> near_path(text<Symbol> a, text<Symbol> b, std::uint64_t max_steps) {
    const auto total = static_cast<double>(a.size() + b.size());
    record_engine("furthest-reaching");
    return with_furthest_reaching(a, b, [&](auto engine) -> std::optional<edit_script> {
      const auto found =
          engine.search(true, [&](std::uint64_t d, std::uint64_t steps, std::uint64_t reached) {
            const std::uint64_t runs = options_.run.memory == 0
                                           ? 0
                                           : max_runs(a.size(), b.size(), d, substitute_),
                                needed = engine.memory(d) + runs * sizeof(edit_run);
            if (max_steps == unlimited) require_memory("furthest-reaching", needed, options_.run.memory);
            return is_worth_continuing(steps, static_cast<double>(reached + 1) / total, max_steps) &&
                   fits_in_memory(needed);
          });
      if (!found) {
        work_.drop_estimate();
        return std::nullopt;
      }
      return engine.path();
    });
  }

  // distance() and path() with wildcards. Furthest-reaching only relies on the fact that a step along the
  // diagonal keeps the optimum where symbols match. This holds for any relation between symbols, and so do
  // the proofs of Hirschberg's recursion.
  template <class Symbol> [[nodiscard]] std::uint64_t wild_distance(text<Symbol> a, text<Symbol> b) {
    if (is_narrow(a, b))
      if (const auto found = near_distance(a, b, wild_steps(a, b))) return *found;
    record_engine("bit-parallel");
    return bit_parallel_engine<Symbol>(substitute_, work_, wildcards_).distance(a, b, threads_);
  }
  template <class Symbol> [[nodiscard]] edit_script wild_path(text<Symbol> a, text<Symbol> b) {
    if (is_narrow(a, b))
      if (auto found = near_path(a, b, wild_steps(a, b))) return std::move(*found);
    return linear_space_path(a, b);
  }
  // Returns the number of steps of furthest-reaching that take about as long as bit-parallel.
  template <class Symbol> [[nodiscard]] std::uint64_t wild_steps(text<Symbol> a, text<Symbol> b) const {
    return steps_for(a.size(), b.size(), (substitute_ ? 15e9 : 40e9) * threads_);
  }

  // Returns the path by Hirschberg's recursion with bit-parallel: m + n / 2 bytes and a path.
  template <class Symbol> [[nodiscard]] edit_script linear_space_path(text<Symbol> a, text<Symbol> b) const {
    record_engine("bit-parallel");
    work_.expect_more(cells(a.size(), b.size()));
    bit_parallel_engine<Symbol> words(substitute_, work_, wildcards_);
    return hirschberg_path("bit-parallel", words, a, b, threads_, words.memory(a.size(), b.size()),
                           options_.run.memory);
  }

  // Returns the result of table(), or that of linear_space() if engine auto has too little memory for
  // table().
  template <class Table, class LinearSpace>
  [[nodiscard]] auto within_memory(const Table& table, const LinearSpace& linear_space) const {
    auto found = base_detail::if_it_fits(options_.run.engine != "auto", options_.run.monitor, table);
    return found ? std::move(*found) : linear_space();
  }

  // Whether this number of bytes is allowed. Asks the operating system only if it matters.
  [[nodiscard]] bool fits_in_memory(std::uint64_t bytes) {
    if (options_.run.memory == 0 && bytes <= std::uint64_t{1} << 24) return true;
    if (memory_ == 0) memory_ = memory_limit(options_.run.memory);
    return bytes <= memory_;
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
    require_memory_of_runs("auto", reallocates ? 2 * runs : runs, 0, options_.run.memory);
  }

  // The functions far_... compute a and b after furthest-reaching has given up.
  template <class Symbol> [[nodiscard]] std::uint64_t far_distance(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return settled_distance(x, y, sigma, first_search_limit<Symbol>(a, b));
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      return distance(decltype(x)(kept_x), decltype(y)(kept_y)) + dropped;
    });
  }

  template <class Symbol> [[nodiscard]] edit_script far_path(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return settled_path(x, y, sigma, first_search_limit<Symbol>(a, b));
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const edit_script core = path(decltype(x)(kept_x), decltype(y)(kept_y));
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      const std::uint64_t runs =
          std::min(core.runs.size() + 2 * dropped,
                   max_runs(x.size(), y.size(), x.size() + y.size() - 2 * core.matches, false));
      require_memory_of_runs("auto", core.runs.size() + runs, 0, options_.run.memory);
      return restore_unshared(core, x, y, shared, options_.run.memory == 0 ? 0 : runs);
    });
  }

  // The functions settled_... compute texts without unshared symbols, after furthest-reaching has tried for
  // tried_seconds.
  template <class Symbol>
  [[nodiscard]] std::uint64_t settled_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                               double tried_seconds) {
    const double table = table_seconds(a, b, sigma), pairs = pairs_seconds(a, b, sigma, false);
    if (const double limit = std::min(table, pairs); tried_seconds < limit)
      if (const auto found =
              search_near<Symbol>(a.size(), b.size(), false, limit,
                                  [&](std::uint64_t max_steps) { return near_distance(a, b, max_steps); }))
        return *found;
    return pairs < table ? pairs_distance(a, b, sigma) : table_distance(a, b, sigma);
  }
  template <class Symbol>
  [[nodiscard]] edit_script settled_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                         double tried_seconds) {
    const double table = table_seconds(a, b, sigma), pairs = pairs_seconds(a, b, sigma, true);
    if (const double limit = std::min(table, pairs); tried_seconds < limit)
      if (auto found = search_near<Symbol>(a.size(), b.size(), true, limit, [&](std::uint64_t max_steps) {
            return near_path(a, b, max_steps);
          }))
        return std::move(*found);
    return pairs < table ? pairs_path(a, b, sigma) : full_path(a, b, sigma);
  }

  // Estimates the seconds for the table, filled by bit-sliced or by the external table. Each plane that the
  // symbols need costs two operations, and a cell three more; cells_per_second() is the speed with two
  // planes.
  template <class Symbol>
  [[nodiscard]] double table_seconds(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    const double count = static_cast<double>(a.size()) * static_cast<double>(b.size());
    if (sizeof(Symbol) == 1 && uses_external_table(a, b, true))
      return count / external_table_->cells_per_second(a.size(), b.size());
    const double operations = 3 + 2 * std::max(2, lcs_core::planes_for(sigma));
    return count / cells_per_second(a.size(), b.size()) * operations / 7;
  }

  // Estimates the seconds for hunt-szymanski; practically infinite if it may not run.
  template <class Symbol>
  [[nodiscard]] double pairs_seconds(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, bool path) {
    constexpr double never = 1e300, seconds_per_pair = 8e-9, seconds_per_symbol = 30e-9;
    using engine = hunt_szymanski<Symbol>;
    if (substitute_ || requires_external_table() || b.size() > engine::max_columns) return never;
    const std::uint64_t pairs = matching_pairs(a, b, sigma);
    if (!fits_in_memory(path ? engine::memory(a.size(), b.size(), sigma, pairs)
                             : engine::value_memory(b.size(), sigma)))
      return never;
    return seconds_per_symbol * static_cast<double>(a.size() + b.size()) +
           (path ? 2 : 1) * seconds_per_pair * static_cast<double>(pairs);
  }

  template <class Symbol>
  [[nodiscard]] std::uint64_t pairs_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
    record_engine("hunt-szymanski");
    return a.size() + b.size() - 2 * hunt_szymanski<Symbol>(a, b, sigma, work_).length();
  }
  template <class Symbol>
  [[nodiscard]] edit_script pairs_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
    record_engine("hunt-szymanski");
    const std::uint64_t lists = hunt_szymanski<Symbol>::memory(a.size(), b.size(), sigma, 0);
    const std::uint64_t runs =
        memory_of_runs("hunt-szymanski", a.size(), b.size(), false, lists, options_.run.memory, [&] {
          progress silent(options_.run.monitor, false);
          return a.size() + b.size() - 2 * hunt_szymanski<Symbol>(a, b, sigma, silent).length();
        });
    const std::uint64_t limit = std::min(memory_limit(options_.run.memory) - runs, std::uint64_t{1} << 31);
    return hunt_szymanski<Symbol>(a, b, sigma, work_)
        .path((limit - std::min(limit, lists)) / 2, runs / sizeof(edit_run));
  }

  // Throws if hunt-szymanski cannot take the texts.
  template <class Symbol> void require_pairs(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, bool path) {
    using engine = hunt_szymanski<Symbol>;
    if (b.size() > engine::max_columns)
      throw error(errc::invalid_input,
                  fmt::format("engine hunt-szymanski takes up to {} symbols", engine::max_columns));
    require_memory("hunt-szymanski",
                   path ? engine::memory(a.size(), b.size(), sigma, matching_pairs(a, b, sigma))
                        : engine::value_memory(b.size(), sigma),
                   options_.run.memory);
  }

  // Returns shared_symbols(), or an empty vector if the metric does not allow removing symbols.
  template <class Symbol>
  [[nodiscard]] std::vector<std::uint8_t> common_alphabet(text<Symbol> a, text<Symbol> b,
                                                          std::uint64_t sigma) const {
    return substitute_ ? std::vector<std::uint8_t>{} : shared_symbols(a, b, sigma);
  }

  // Calls use(a, b, sigma) with symbols below sigma, as bytes if there are at most 256 symbols.
  template <class Use> static auto with_codes(text<std::uint8_t> a, text<std::uint8_t> b, const Use& use) {
    return use(a, b, std::uint64_t{256});
  }
  template <class Use> static auto with_codes(text<std::uint32_t> a, text<std::uint32_t> b, const Use& use) {
    const coded_pair coded = dense_codes(a, b);
    if (coded.sigma > 256)
      return use(text<std::uint32_t>(coded.a), text<std::uint32_t>(coded.b), coded.sigma);
    const std::vector<std::uint8_t> x(coded.a.begin(), coded.a.end()), y(coded.b.begin(), coded.b.end());
    return use(text<std::uint8_t>(x), text<std::uint8_t>(y), std::uint64_t{256});
  }

  template <class Symbol>
  [[nodiscard]] std::uint64_t table_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
    if (uses_external_table(a, b, false) || is_worth_bit_slicing(a.size(), b.size()))
      return full_distance(a, b, sigma);
    record_engine("bit-parallel");
    return bit_parallel_engine<Symbol>(substitute_, work_).distance(a, b, threads_);
  }

  template <class Symbol>
  [[nodiscard]] bool uses_external_table(text<Symbol> a, text<Symbol> b, bool path) const {
    return external_table_ != nullptr &&
           (external_table_->required() ||
            (external_table_->is_worthwhile(a.size(), b.size(), path) && external_table_->usable()));
  }

  template <class Symbol>
  [[nodiscard]] std::uint64_t full_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    if (uses_external_table(a, b, false))
      if (const pair_codes<Symbol> codes(a, b, sigma, threads_); gpu_takes_alphabet(codes.count())) {
        const auto x = codes.template codes_of_a<std::uint8_t>(a),
                   y = codes.template codes_of_b<std::uint8_t>(b);
        if (const auto found =
                base_detail::if_it_fits(external_table_->required(), options_.run.monitor,
                                        [&] { return external_table_->distance(x, y, codes.count()); }))
          return *found;
      }
    return sliced_distance(a, b, sigma);
  }

  template <class Symbol>
  [[nodiscard]] edit_script full_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    if (uses_external_table(a, b, true))
      if (const pair_codes<Symbol> codes(a, b, sigma, threads_); gpu_takes_alphabet(codes.count())) {
        const auto x = codes.template codes_of_a<std::uint8_t>(a),
                   y = codes.template codes_of_b<std::uint8_t>(b);
        if (auto found = base_detail::if_it_fits(external_table_->required(), options_.run.monitor,
                                                 [&] { return external_table_->path(x, y, codes.count()); }))
          return std::move(*found);
      }
    return sliced_path(a, b, sigma);
  }

  // Whether the external table takes this number of symbols. Throws if it does not, but is required.
  [[nodiscard]] bool gpu_takes_alphabet(std::uint64_t symbols) const {
    if (symbols > 256 && external_table_->required())
      throw error(errc::invalid_input,
                  fmt::format("the GPU engines of lcs take up to 256 distinct symbols, and these texts "
                              "have {}; device cpu takes any number",
                              symbols));
    return symbols <= 256;
  }

  template <class Symbol>
  [[nodiscard]] std::uint64_t sliced_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    record_engine("bit-sliced");
    return within_memory(
        [&] {
          const auto [x, y] = symbol_planes(a, b, sigma, threads_);
          return bit_sliced_value(substitute_ ? lcs_metric::edit : lcs_metric::indel, x, y, table());
        },
        [&] {
          record_engine("bit-parallel");
          return bit_parallel_engine<Symbol>(substitute_, work_).distance(a, b, threads_);
        });
  }

  template <class Symbol>
  [[nodiscard]] edit_script sliced_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    record_engine("bit-sliced");
    return within_memory(
        [&] {
          const auto [x, y] = symbol_planes(a, b, sigma, threads_);
          return bit_sliced_path(options_.metric, x, y, table());
        },
        [&] {
          // If memory is too small for the runs, bit-sliced finds that out sooner.
          (void)memory_of_runs("bit-parallel", a.size(), b.size(), substitute_, 0, options_.run.memory, [&] {
            const lcs_options silent{.metric = substitute_ ? lcs_metric::edit : lcs_metric::indel,
                                     .run = {.threads = threads_, .memory = options_.run.memory}};
            progress no_progress(nullptr);
            return automatic(silent, no_progress).sliced_distance(a, b, sigma);
          });
          return linear_space_path(a, b);
        });
  }

  [[nodiscard]] table_options table() const { return {threads_, options_.run.memory, options_.run.monitor}; }

  // Records the engine that computes the result for the caller.
  void record_engine(const char* engine) const { report_engine(options_.run, engine); }

  // Estimates the speed of bit-sliced for four letters, including the start and the end of the sweep, which
  // matter for short texts.
  [[nodiscard]] double cells_per_second(std::uint64_t m, std::uint64_t n) const {
    const auto shorter = static_cast<double>(std::min(m, n));
    const double full = (substitute_ ? 40e9 : 75e9) * static_cast<double>(vector_words()) * threads_;
    return full * shorter / (shorter + 10000);
  }

  const lcs_options& options_;
  const full_table* external_table_;
  const byte_set* wildcards_;
  bool substitute_;
  progress& work_;
  int threads_;
  std::uint64_t memory_ = 0;
};

} // namespace weft::lcs_cpu
