// Engine auto: takes off what needs no table (affixes.hpp), tries furthest-reaching as long as that is surely
// the faster way, then fills the whole table.
//
//   distance(a, b): drop common prefix and suffix; furthest-reaching, unless it gives up;
//                   drop unshared symbols, if there are any, and start again; full table.
//   path(a, b):     the same, with the conditions under which the canonical path stays exact.
//
// Numbers (lines, words) often have many symbols of one text alone and few matching pairs: furthest-reaching
// first gets about the time that it takes to drop symbols, and once nothing is left to drop, the time of the
// table or of hunt-szymanski, whichever is estimated to be faster and then follows.
//
// Where memory is too small for bit-sliced, bit-parallel takes its place, with Hirschberg's recursion for the
// path: linear space, several times slower.
//
// The full table is filled by bit-sliced, or by whom the caller names (entry/full_table.hpp): for every table
// if that is required, else where it is worth while.
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

class automatic {
public:
  // elsewhere: null, or who fills tables in place of bit-sliced. wildcards: null, or bytes that equal every
  // byte: then the table is filled by bit-parallel, because the others compare symbols by value.
  automatic(const lcs_options& options, progress& work, const full_table* elsewhere = nullptr,
            const byte_set* wildcards = nullptr)
      : options_(options), elsewhere_(elsewhere), wildcards_(wildcards),
        substitute_(options.metric == lcs_metric::edit), work_(work),
        threads_(thread_count(options.threads)) {}

  template <class Symbol> [[nodiscard]] std::uint64_t distance(text<Symbol> a, text<Symbol> b) {
    if (wildcards_ != nullptr) return wild_distance(a, b);
    const std::uint64_t prefix = common_prefix(a, b);
    a = a.subspan(prefix), b = b.subspan(prefix);
    const std::uint64_t suffix = common_suffix(a, b);
    a = a.first(a.size() - suffix), b = b.first(b.size() - suffix);
    if (a.empty() || b.empty()) return a.size() + b.size();
    const auto found = search_near<Symbol>(a.size(), b.size(), false, first_limit<Symbol>(a, b),
                                           [&](std::uint64_t most) { return near_distance(a, b, most); });
    return found ? *found : far_distance(a, b);
  }

  template <class Symbol> [[nodiscard]] edit_script path(text<Symbol> a, text<Symbol> b) {
    if (wildcards_ != nullptr) return wild_path(a, b);
    edit_script path;
    const std::uint64_t suffix = common_suffix(a, b);
    const text<Symbol> x = a.first(a.size() - suffix), y = b.first(b.size() - suffix);
    const std::uint64_t prefix = common_prefix(x, y);
    if (prefix == std::min(x.size(), y.size())) {
      const std::uint64_t runs =
          max_runs(a.size(), b.size(), std::max(a.size(), b.size()) - std::min(a.size(), b.size()), false);
      require_memory_of_runs("auto", a.size() > b.size() ? 2 * runs : runs, 0, options_.memory);
      path.runs.reserve(runs);
      embed(a, b, path);
      return path;
    }
    if (auto found =
            search_near<Symbol>(x.size() - prefix, y.size() - prefix, true, first_limit<Symbol>(x, y),
                                [&](std::uint64_t most) { return near_path(x, y, most); }))
      path = std::move(*found);
    else
      path = path_after_prefix(x, y, prefix);
    require_memory_of_suffix(path, suffix);
    append_suffix(path, b, suffix);
    return path;
  }

  // Engine furthest-reaching by itself.
  template <class Symbol> [[nodiscard]] std::uint64_t near_distance(text<Symbol> a, text<Symbol> b) {
    return *near_distance(a, b, unlimited);
  }
  template <class Symbol> [[nodiscard]] edit_script near_path(text<Symbol> a, text<Symbol> b) {
    return *near_path(a, b, unlimited);
  }

  // Engine bit-sliced by itself, or the one elsewhere.
  template <class Symbol> [[nodiscard]] std::uint64_t whole_distance(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) { return full_distance(x, y, sigma); });
  }
  template <class Symbol> [[nodiscard]] edit_script whole_path(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) { return full_path(x, y, sigma); });
  }

  // Engine hunt-szymanski by itself: not for the metric edit.
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

  // The distance by furthest-reaching, unless it cannot be surely faster than a table at so many cells a
  // second.
  template <class Symbol>
  [[nodiscard]] std::optional<std::uint64_t> near_distance_within(text<Symbol> a, text<Symbol> b,
                                                                  double cells_a_second) {
    return near_distance(a, b, steps_for(a.size(), b.size(), cells_a_second));
  }

private:
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  // Where bit-sliced gives a value faster than bit-parallel; a path always.
  [[nodiscard]] static bool worth_planes(std::uint64_t m, std::uint64_t n) { return std::min(m, n) >= 768; }

  // As many steps of furthest-reaching as take the time of a table of m n cells, but no longer than `limit`
  // seconds.
  [[nodiscard]] static std::uint64_t steps_for(std::uint64_t m, std::uint64_t n, double cells_a_second,
                                               double limit = 1e12) {
    constexpr double steps_a_second = 350e6;
    const double seconds = std::min(limit, static_cast<double>(m) * static_cast<double>(n) / cells_a_second);
    return static_cast<std::uint64_t>(std::min(1e18, seconds * steps_a_second));
  }

  // Seconds for the first search on the texts of a caller: those that it takes to drop symbols, for numbers.
  template <class Symbol> [[nodiscard]] double first_limit(text<Symbol> a, text<Symbol> b) const {
    constexpr double seconds_a_number = 20e-9;
    return sizeof(Symbol) == 1 || substitute_ || required_elsewhere()
               ? 1e12
               : seconds_a_number * static_cast<double>(a.size() + b.size());
  }

  [[nodiscard]] bool required_elsewhere() const { return elsewhere_ != nullptr && elsewhere_->required(); }

  // What furthest-reaching finds in the time of the table of m n cells, and in `limit` seconds. To learn
  // whether the table elsewhere is usable can cost more than texts that are nearly equal: it is asked once
  // they are known not to be. Numbers are seldom few enough for a table elsewhere, which only their codes
  // show.
  template <class Symbol, class Search>
  [[nodiscard]] auto search_near(std::uint64_t m, std::uint64_t n, bool path, double limit,
                                 const Search& search) {
    if (elsewhere_ != nullptr &&
        (elsewhere_->required() || (sizeof(Symbol) == 1 && elsewhere_->worth_while(m, n, path)))) {
      auto found = search(steps_for(m, n, elsewhere_->cells_a_second(m, n), limit));
      if (found || elsewhere_->usable()) return found;
    }
    return search(steps_for(m, n, cells_a_second(m, n), limit));
  }

  // The first 32nd of the steps is given to any texts: it may be that they differ in one place only. The
  // rest is for those that at the pace so far (steps grow with the square of what is done) need less than
  // half of it.
  [[nodiscard]] static bool worth_while(std::uint64_t steps, double done, std::uint64_t most) {
    return steps < most / 32 || static_cast<double>(steps) < 0.5 * done * done * static_cast<double>(most);
  }

  template <class Symbol> [[nodiscard]] static bool is_narrow(text<Symbol> a, text<Symbol> b) {
    return a.size() + b.size() < std::uint64_t{1} << 29;
  }

  // Calls use(engine) for the engine that suits the lengths.
  template <class Symbol, class Use>
  auto with_furthest_reaching(text<Symbol> a, text<Symbol> b, const Use& use) {
    const bool narrow = is_narrow(a, b);
    if constexpr (sizeof(Symbol) == 1)
      if (wildcards_ != nullptr) { // only narrow texts get here
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
  std::optional<std::uint64_t> near_distance(text<Symbol> a, text<Symbol> b, std::uint64_t most) {
    const auto total = static_cast<double>(a.size() + b.size());
    note("furthest-reaching");
    return with_furthest_reaching(a, b, [&](auto engine) {
      const auto found = engine.search(false, [&](std::uint64_t, std::uint64_t steps, std::uint64_t reached) {
        return worth_while(steps, static_cast<double>(reached + 1) / total, most);
      });
      if (!found) work_.drop_estimate();
      return found;
    });
  }

  template <class Symbol>
  std::optional<edit_script> near_path(text<Symbol> a, text<Symbol> b, std::uint64_t most) {
    const auto total = static_cast<double>(a.size() + b.size());
    note("furthest-reaching");
    return with_furthest_reaching(a, b, [&](auto engine) -> std::optional<edit_script> {
      const auto found =
          engine.search(true, [&](std::uint64_t d, std::uint64_t steps, std::uint64_t reached) {
            const std::uint64_t runs =
                                    options_.memory == 0 ? 0 : max_runs(a.size(), b.size(), d, substitute_),
                                needed = engine.memory(d) + runs * sizeof(edit_run);
            if (most == unlimited) require_memory("furthest-reaching", needed, options_.memory);
            return worth_while(steps, static_cast<double>(reached + 1) / total, most) && fits(needed);
          });
      if (!found) {
        work_.drop_estimate();
        return std::nullopt;
      }
      return engine.path();
    });
  }

  // distance() and path() with wildcards. The search for near texts asks only that a step along the diagonal
  // keeps the optimum where symbols match, which holds for any relation between symbols; so do the proofs for
  // Hirschberg's recursion.
  template <class Symbol> [[nodiscard]] std::uint64_t wild_distance(text<Symbol> a, text<Symbol> b) {
    if (is_narrow(a, b))
      if (const auto found = near_distance(a, b, wild_steps(a, b))) return *found;
    note("bit-parallel");
    return bit_parallel_engine<Symbol>(substitute_, work_, wildcards_).distance(a, b, threads_);
  }
  template <class Symbol> [[nodiscard]] edit_script wild_path(text<Symbol> a, text<Symbol> b) {
    if (is_narrow(a, b))
      if (auto found = near_path(a, b, wild_steps(a, b))) return std::move(*found);
    return linear_space_path(a, b);
  }
  // Steps of furthest-reaching that take about the time of bit-parallel.
  template <class Symbol> [[nodiscard]] std::uint64_t wild_steps(text<Symbol> a, text<Symbol> b) const {
    return steps_for(a.size(), b.size(), (substitute_ ? 15e9 : 40e9) * threads_);
  }

  // Hirschberg's recursion by bit-parallel: m + n / 2 bytes and a path.
  template <class Symbol> [[nodiscard]] edit_script linear_space_path(text<Symbol> a, text<Symbol> b) const {
    note("bit-parallel");
    work_.expect_more(cells(a.size(), b.size()));
    bit_parallel_engine<Symbol> words(substitute_, work_, wildcards_);
    return hirschberg_path("bit-parallel", words, a, b, threads_, words.memory(a.size(), b.size()),
                           options_.memory);
  }

  // What table() returns, or, where engine auto has too little memory for it, what linear_space() does.
  template <class Table, class LinearSpace>
  [[nodiscard]] auto within_memory(const Table& table, const LinearSpace& linear_space) const {
    auto found = base_detail::if_it_fits(options_.engine != "auto", options_.monitor, table);
    return found ? std::move(*found) : linear_space();
  }

  // Whether so much memory is allowed; asks the machine only when it matters.
  [[nodiscard]] bool fits(std::uint64_t bytes) {
    if (options_.memory == 0 && bytes <= std::uint64_t{1} << 24) return true;
    if (memory_ == 0) memory_ = memory_limit(options_.memory);
    return bytes <= memory_;
  }

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

  // Throws memory_error if a limit was asked for that the path with its common suffix may exceed.
  void require_memory_of_suffix(const edit_script& core, std::uint64_t suffix) const {
    const std::uint64_t slack =
        core.runs.empty() || core.runs.back().op != edit_op::insert ? 0 : core.runs.back().length;
    if (slack == 0) return;
    const std::uint64_t runs = core.runs.size() + max_runs(suffix, suffix + slack, slack, false);
    const bool moves = runs > core.runs.capacity(); // while it grows
    require_memory_of_runs("auto", moves ? 2 * runs : runs, 0, options_.memory);
  }

  // far_...: furthest-reaching has given up on a and b.
  template <class Symbol> [[nodiscard]] std::uint64_t far_distance(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return settled_distance(x, y, sigma, first_limit<Symbol>(a, b));
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      return distance(decltype(x)(kept_x), decltype(y)(kept_y)) + dropped;
    });
  }

  template <class Symbol> [[nodiscard]] edit_script far_path(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return settled_path(x, y, sigma, first_limit<Symbol>(a, b));
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const edit_script core = path(decltype(x)(kept_x), decltype(y)(kept_y));
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      const std::uint64_t runs =
          std::min(core.runs.size() + 2 * dropped,
                   max_runs(x.size(), y.size(), x.size() + y.size() - 2 * core.matches, false));
      require_memory_of_runs("auto", core.runs.size() + runs, 0, options_.memory);
      return restore_unshared(core, x, y, shared, options_.memory == 0 ? 0 : runs);
    });
  }

  // settled_...: nothing is left to drop; furthest-reaching has had `tried` seconds.
  template <class Symbol>
  [[nodiscard]] std::uint64_t settled_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                               double tried) {
    const double table = table_seconds(a, b, sigma), pairs = pairs_seconds(a, b, sigma, false);
    if (const double limit = std::min(table, pairs); tried < limit)
      if (const auto found = search_near<Symbol>(a.size(), b.size(), false, limit, [&](std::uint64_t most) {
            return near_distance(a, b, most);
          }))
        return *found;
    return pairs < table ? pairs_distance(a, b, sigma) : table_distance(a, b, sigma);
  }
  template <class Symbol>
  [[nodiscard]] edit_script settled_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, double tried) {
    const double table = table_seconds(a, b, sigma), pairs = pairs_seconds(a, b, sigma, true);
    if (const double limit = std::min(table, pairs); tried < limit)
      if (auto found = search_near<Symbol>(a.size(), b.size(), true, limit,
                                           [&](std::uint64_t most) { return near_path(a, b, most); }))
        return std::move(*found);
    return pairs < table ? pairs_path(a, b, sigma) : full_path(a, b, sigma);
  }

  // About, for a table that bit-sliced or the one elsewhere fills. Each of the planes that symbols need
  // costs two operations beside the three of a cell; cells_a_second is that of two planes.
  template <class Symbol>
  [[nodiscard]] double table_seconds(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    const double count = static_cast<double>(a.size()) * static_cast<double>(b.size());
    if (sizeof(Symbol) == 1 && goes_elsewhere(a, b, true))
      return count / elsewhere_->cells_a_second(a.size(), b.size());
    const double operations = 3 + 2 * std::max(2, lcs_core::planes_for(sigma));
    return count / cells_a_second(a.size(), b.size()) * operations / 7;
  }

  // Of hunt-szymanski, about; without end where it may not run.
  template <class Symbol>
  [[nodiscard]] double pairs_seconds(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, bool path) {
    constexpr double never = 1e300, seconds_a_pair = 8e-9, seconds_a_symbol = 30e-9;
    using engine = hunt_szymanski<Symbol>;
    if (substitute_ || required_elsewhere() || b.size() > engine::max_columns) return never;
    const std::uint64_t pairs = matching_pairs(a, b, sigma);
    if (!fits(path ? engine::memory(a.size(), b.size(), sigma, pairs)
                   : engine::value_memory(b.size(), sigma)))
      return never;
    return seconds_a_symbol * static_cast<double>(a.size() + b.size()) +
           (path ? 2 : 1) * seconds_a_pair * static_cast<double>(pairs);
  }

  template <class Symbol>
  [[nodiscard]] std::uint64_t pairs_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
    note("hunt-szymanski");
    return a.size() + b.size() - 2 * hunt_szymanski<Symbol>(a, b, sigma, work_).length();
  }
  template <class Symbol>
  [[nodiscard]] edit_script pairs_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
    note("hunt-szymanski");
    const std::uint64_t lists = hunt_szymanski<Symbol>::memory(a.size(), b.size(), sigma, 0);
    const std::uint64_t runs =
        memory_of_runs("hunt-szymanski", a.size(), b.size(), false, lists, options_.memory, [&] {
          progress silent(options_.monitor, false);
          return a.size() + b.size() - 2 * hunt_szymanski<Symbol>(a, b, sigma, silent).length();
        });
    const std::uint64_t limit = std::min(memory_limit(options_.memory) - runs, std::uint64_t{1} << 31);
    return hunt_szymanski<Symbol>(a, b, sigma, work_)
        .path((limit - std::min(limit, lists)) / 2, runs / sizeof(edit_run));
  }

  // Throws where hunt-szymanski cannot take the texts.
  template <class Symbol> void require_pairs(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, bool path) {
    using engine = hunt_szymanski<Symbol>;
    if (b.size() > engine::max_columns)
      throw error(errc::invalid_input,
                  fmt::format("engine hunt-szymanski takes up to {} symbols", engine::max_columns));
    require_memory("hunt-szymanski",
                   path ? engine::memory(a.size(), b.size(), sigma, matching_pairs(a, b, sigma))
                        : engine::value_memory(b.size(), sigma),
                   options_.memory);
  }

  // shared_symbols where they may be used; else empty.
  template <class Symbol>
  [[nodiscard]] std::vector<std::uint8_t> common_alphabet(text<Symbol> a, text<Symbol> b,
                                                          std::uint64_t sigma) const {
    return substitute_ ? std::vector<std::uint8_t>{} : shared_symbols(a, b, sigma);
  }

  // use(a, b, sigma) with symbols below sigma; as bytes if there are at most 256.
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
    if (goes_elsewhere(a, b, false) || worth_planes(a.size(), b.size())) return full_distance(a, b, sigma);
    note("bit-parallel");
    return bit_parallel_engine<Symbol>(substitute_, work_).distance(a, b, threads_);
  }

  template <class Symbol> [[nodiscard]] bool goes_elsewhere(text<Symbol> a, text<Symbol> b, bool path) const {
    return elsewhere_ != nullptr &&
           (elsewhere_->required() ||
            (elsewhere_->worth_while(a.size(), b.size(), path) && elsewhere_->usable()));
  }

  template <class Symbol>
  [[nodiscard]] std::uint64_t full_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    if (goes_elsewhere(a, b, false))
      if (const pair_codes<Symbol> codes(a, b, sigma, threads_); few_enough(codes.count())) {
        const auto x = codes.template of_a<std::uint8_t>(a), y = codes.template of_b<std::uint8_t>(b);
        if (const auto found = base_detail::if_it_fits(elsewhere_->required(), options_.monitor, [&] {
              return elsewhere_->distance(x, y, codes.count());
            }))
          return *found;
      }
    return sliced_distance(a, b, sigma);
  }

  template <class Symbol>
  [[nodiscard]] edit_script full_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    if (goes_elsewhere(a, b, true))
      if (const pair_codes<Symbol> codes(a, b, sigma, threads_); few_enough(codes.count())) {
        const auto x = codes.template of_a<std::uint8_t>(a), y = codes.template of_b<std::uint8_t>(b);
        if (auto found = base_detail::if_it_fits(elsewhere_->required(), options_.monitor,
                                                 [&] { return elsewhere_->path(x, y, codes.count()); }))
          return std::move(*found);
      }
    return sliced_path(a, b, sigma);
  }

  [[nodiscard]] bool few_enough(std::uint64_t symbols) const {
    if (symbols > 256 && elsewhere_->required())
      throw error(errc::invalid_input,
                  fmt::format("the GPU engines of lcs take up to 256 distinct symbols, and these texts "
                              "have {}; device cpu takes any number",
                              symbols));
    return symbols <= 256;
  }

  template <class Symbol>
  [[nodiscard]] std::uint64_t sliced_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    note("bit-sliced");
    return within_memory(
        [&] {
          const auto [x, y] = symbol_planes(a, b, sigma, threads_);
          return bit_sliced_value(substitute_ ? lcs_metric::edit : lcs_metric::indel, x, y, table());
        },
        [&] {
          note("bit-parallel");
          return bit_parallel_engine<Symbol>(substitute_, work_).distance(a, b, threads_);
        });
  }

  template <class Symbol>
  [[nodiscard]] edit_script sliced_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    note("bit-sliced");
    return within_memory(
        [&] {
          const auto [x, y] = symbol_planes(a, b, sigma, threads_);
          return bit_sliced_path(options_.metric, x, y, table());
        },
        [&] {
          // Where runs are what memory does not suffice for, bit-sliced finds it out sooner.
          (void)memory_of_runs("bit-parallel", a.size(), b.size(), substitute_, 0, options_.memory, [&] {
            const lcs_options silent{.metric = substitute_ ? lcs_metric::edit : lcs_metric::indel,
                                     .threads = threads_,
                                     .memory = options_.memory};
            progress nothing(nullptr);
            return automatic(silent, nothing).sliced_distance(a, b, sigma);
          });
          return linear_space_path(a, b);
        });
  }

  [[nodiscard]] table_options table() const { return {threads_, options_.memory, options_.monitor}; }

  void note(const char* engine) const {
    if (options_.used != nullptr) *options_.used = {engine, -1};
  }

  // Of bit-sliced, about: four letters, and what filling and setting up costs where texts are short.
  [[nodiscard]] double cells_a_second(std::uint64_t m, std::uint64_t n) const {
    const auto shorter = static_cast<double>(std::min(m, n));
    const double full = (substitute_ ? 40e9 : 75e9) * static_cast<double>(vector_words()) * threads_;
    return full * shorter / (shorter + 10000);
  }

  const lcs_options& options_;
  const full_table* elsewhere_;
  const byte_set* wildcards_;
  bool substitute_;
  progress& work_;
  int threads_;
  std::uint64_t memory_ = 0;
};

} // namespace weft::lcs_cpu
