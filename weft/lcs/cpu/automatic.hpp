// Engine auto: takes off what needs no table (affixes.hpp), tries furthest-reaching as long as that is surely
// the faster way, then fills the whole table.
//
//   distance(a, b): drop common prefix and suffix; furthest-reaching, unless it gives up;
//                   drop unshared symbols, if there are any, and start again; full table.
//   path(a, b):     the same, with the conditions under which the canonical path stays exact.
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
#include <weft/lcs/cpu/pair_codes.hpp>
#include <weft/lcs/entry/full_table.hpp>

namespace weft::lcs_cpu {

class automatic {
public:
  // elsewhere: null, or who fills tables in place of bit-sliced.
  automatic(const lcs_options& options, progress& work, const full_table* elsewhere = nullptr)
      : options_(options), elsewhere_(elsewhere), substitute_(options.metric == lcs_metric::edit),
        work_(work), threads_(thread_count(options.threads)) {}

  template <class Symbol> [[nodiscard]] std::uint64_t distance(text<Symbol> a, text<Symbol> b) {
    const std::uint64_t prefix = common_prefix(a, b);
    a = a.subspan(prefix), b = b.subspan(prefix);
    const std::uint64_t suffix = common_suffix(a, b);
    a = a.first(a.size() - suffix), b = b.first(b.size() - suffix);
    if (a.empty() || b.empty()) return a.size() + b.size();
    const auto found = search_near<Symbol>(a.size(), b.size(), false,
                                           [&](std::uint64_t most) { return near_distance(a, b, most); });
    return found ? *found : far_distance(a, b);
  }

  template <class Symbol> [[nodiscard]] edit_script path(text<Symbol> a, text<Symbol> b) {
    edit_script path;
    const std::uint64_t suffix = common_suffix(a, b);
    const text<Symbol> x = a.first(a.size() - suffix), y = b.first(b.size() - suffix);
    const std::uint64_t prefix = common_prefix(x, y);
    if (prefix == std::min(x.size(), y.size())) {
      embed(a, b, path);
      return path;
    }
    if (auto found = search_near<Symbol>(x.size() - prefix, y.size() - prefix, true,
                                         [&](std::uint64_t most) { return near_path(x, y, most); }))
      path = std::move(*found);
    else
      path = path_after_prefix(x, y, prefix);
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

  // As many steps of furthest-reaching as take the time of a table of m n cells.
  [[nodiscard]] static std::uint64_t steps_for(std::uint64_t m, std::uint64_t n, double cells_a_second) {
    constexpr double steps_a_second = 350e6;
    const double seconds = static_cast<double>(m) * static_cast<double>(n) / cells_a_second;
    return static_cast<std::uint64_t>(std::min(1e18, seconds * steps_a_second));
  }

  // What furthest-reaching finds in the time of the table of m n cells. To learn whether the table elsewhere
  // is usable can cost more than texts that are nearly equal: it is asked once they are known not to be.
  // Numbers are seldom few enough for a table elsewhere, which only their codes show.
  template <class Symbol, class Search>
  [[nodiscard]] auto search_near(std::uint64_t m, std::uint64_t n, bool path, const Search& search) {
    if (elsewhere_ != nullptr &&
        (elsewhere_->required() || (sizeof(Symbol) == 1 && elsewhere_->worth_while(m, n, path)))) {
      auto found = search(steps_for(m, n, elsewhere_->cells_a_second(m, n)));
      if (found || elsewhere_->usable()) return found;
    }
    return search(steps_for(m, n, cells_a_second(m, n)));
  }

  // The first 32nd of the steps is given to any texts: it may be that they differ in one place only. The
  // rest is for those that at the pace so far (steps grow with the square of what is done) need less than
  // half of it.
  [[nodiscard]] static bool worth_while(std::uint64_t steps, double done, std::uint64_t most) {
    return steps < most / 32 || static_cast<double>(steps) < 0.5 * done * done * static_cast<double>(most);
  }

  // Calls use(engine) for the engine that suits the lengths.
  template <class Symbol, class Use>
  auto with_furthest_reaching(text<Symbol> a, text<Symbol> b, const Use& use) {
    const bool narrow = a.size() + b.size() < std::uint64_t{1} << 29;
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
      return engine.search(false, [&](std::uint64_t, std::uint64_t steps, std::uint64_t reached) {
        return worth_while(steps, static_cast<double>(reached + 1) / total, most);
      });
    });
  }

  template <class Symbol>
  std::optional<edit_script> near_path(text<Symbol> a, text<Symbol> b, std::uint64_t most) {
    const auto total = static_cast<double>(a.size() + b.size());
    note("furthest-reaching");
    return with_furthest_reaching(a, b, [&](auto engine) -> std::optional<edit_script> {
      const auto found = engine.search(true, [&](std::uint64_t d, std::uint64_t steps,
                                                 std::uint64_t reached) {
        if (most == unlimited) require_memory("furthest-reaching", engine.memory(d), options_.memory);
        return worth_while(steps, static_cast<double>(reached + 1) / total, most) && fits(engine.memory(d));
      });
      if (!found) return std::nullopt;
      return engine.path();
    });
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
      const edit_script core = far_path(a.subspan(q), b.subspan(q));
      if (q > 0 && core.runs.front().op == edit_op::remove) continue;
      edit_script path;
      append(path, edit_op::match, q);
      append(path, core);
      return path;
    }
  }

  // far_...: furthest-reaching has given up on a and b.
  template <class Symbol> [[nodiscard]] std::uint64_t far_distance(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return table_distance(x, y, sigma);
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      const std::uint64_t dropped = x.size() + y.size() - kept_x.size() - kept_y.size();
      return distance(decltype(x)(kept_x), decltype(y)(kept_y)) + dropped;
    });
  }

  template <class Symbol> [[nodiscard]] edit_script far_path(text<Symbol> a, text<Symbol> b) {
    return with_codes(a, b, [&](auto x, auto y, std::uint64_t sigma) {
      const std::vector<std::uint8_t> shared = common_alphabet(x, y, sigma);
      if (shared.empty()) return full_path(x, y, sigma);
      const auto kept_x = keep_shared(x, shared), kept_y = keep_shared(y, shared);
      return restore_unshared(path(decltype(x)(kept_x), decltype(y)(kept_y)), x, y, shared);
    });
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
    const auto [x, y] = symbol_planes(a, b, sigma, threads_);
    return bit_sliced_value(substitute_ ? lcs_metric::edit : lcs_metric::indel, x, y, table());
  }

  template <class Symbol>
  [[nodiscard]] edit_script sliced_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) const {
    note("bit-sliced");
    const auto [x, y] = symbol_planes(a, b, sigma, threads_);
    return bit_sliced_path(options_.metric, x, y, table());
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
  bool substitute_;
  progress& work_;
  int threads_;
  std::uint64_t memory_ = 0;
};

} // namespace weft::lcs_cpu
