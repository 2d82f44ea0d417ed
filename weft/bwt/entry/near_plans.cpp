#include <weft/bwt/entry/near_plans.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/fm_letters.hpp>
#include <weft/bwt/core/near_region_steps.hpp>
#include <weft/bwt/cpu/near_patterns.hpp>
#include <weft/bwt/cpu/near_windows.hpp>

namespace weft::bwt_detail {

namespace {

constexpr std::uint64_t max_planned_letters = 1 << 16; // of a pattern, which one thread compares
constexpr std::uint64_t max_planned_strings = 1 << 16; // of a strand

// Letters of a window; letters from there on are looked up step by step, whatever k-mers the index has.
constexpr std::uint32_t max_window_letters = 14;

// The time that a GPU takes for a row that it looks up, in the nanoseconds of choose_windows(), which are
// those of a row's context and a string on a CPU. Estimated from the numbers of memory sectors that are read.
constexpr double looked_up_cost = 25;

bool is_plain(const near_strand& strand, std::uint64_t begin, std::uint64_t size) {
  return std::all_of(strand.sets + begin, strand.sets + begin + size,
                     [](std::uint8_t set) { return std::has_single_bit(set); });
}

void add_window(near_plan& plan, std::uint64_t begin, std::uint64_t size, unsigned max_changes) {
  const std::uint64_t end = begin + size,
                      free_begin = std::clamp<std::uint64_t>(plan.exact_prefix, begin, end),
                      free_end = std::clamp<std::uint64_t>(plan.size - plan.exact_suffix, free_begin, end);
  near_plan_window& window = plan.windows[plan.num_windows++];
  window = {static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(size),
            static_cast<std::uint32_t>(free_begin),
            static_cast<std::uint32_t>(free_end - free_begin),
            max_changes,
            plan.num_strings};
  plan.num_strings += static_cast<std::uint32_t>(num_window_strings(window.num_free, max_changes));
  plan.has_changes = plan.has_changes || max_changes > 0;
}

// Makes the plans of a batch.
class planner {
public:
  planner(std::uint64_t num_rows, const sequences_view& patterns, const near_options& options)
      : num_rows_(num_rows), patterns_(patterns), options_(options),
        num_strands_(options.both_strands ? 2 : 1) {
    result_.plans.emplace_back();
    allocate(result_.plan_of, patterns.count() * num_strands_);
  }

  // Patterns of bases alone have the plans of the pattern before them if they have its size. For the others,
  // which begin a run, the plans are looked up, one after another.
  near_plans run() {
    constexpr std::uint64_t slice = 1 << 12;
    const std::uint64_t num_slices = (patterns_.count() + slice - 1) / slice;
    std::vector<std::vector<pattern_run>> runs(num_slices);
    parallel_for(0, patterns_.count(), slice, options_.run, [&](std::uint64_t first, std::uint64_t last) {
      runs[first / slice] = runs_of(first, last);
    });
    for (std::vector<pattern_run>& of_slice : runs)
      for (pattern_run& each : of_slice) {
        each.plans = &plans_of(each.first, each.plain);
        for (std::uint64_t p = each.first; p < each.last && each.plans->left; ++p) result_.left.push_back(p);
      }
    parallel_for(0, num_slices, 1, options_.run, [&](std::uint64_t s, std::uint64_t) {
      for (const pattern_run& each : runs[s])
        for (std::uint64_t p = each.first; p < each.last; ++p)
          for (unsigned strand = 0; strand < num_strands_; ++strand)
            result_.plan_of[p * num_strands_ + strand] = each.plans->plan[strand];
    });
    return std::move(result_);
  }

private:
  // The plans of both strands of the patterns of a shape; or these are left to the CPU.
  struct shape_plans {
    std::uint32_t plan[2] = {0, 0};
    bool left = false;
  };
  // Patterns [first, last): one, or several of one size that have only bases.
  struct pattern_run {
    std::uint64_t first, last;
    bool plain; // only bases
    const shape_plans* plans = nullptr;
  };

  [[nodiscard]] std::vector<pattern_run> runs_of(std::uint64_t first, std::uint64_t last) const {
    std::vector<pattern_run> runs;
    for (std::uint64_t p = first; p < last; ++p) {
      const bool plain = has_only_bases(patterns_[p]);
      if (plain && !runs.empty() && runs.back().plain &&
          patterns_.size(runs.back().first) == patterns_.size(p))
        runs.back().last = p + 1;
      else
        runs.push_back({p, p + 1, plain});
    }
    return runs;
  }

  static bool has_only_bases(std::string_view pattern) {
    bool valid = true;
    std::uint64_t eight = 0;
    for (; pattern.size() >= 8; pattern.remove_prefix(8)) {
      std::memcpy(&eight, pattern.data(), 8);
      (void)bases_of_letters(eight, valid);
    }
    for (const char letter : pattern) eight = eight << 8 | static_cast<unsigned char>(letter);
    (void)bases_of_letters(first_letters(eight, pattern.size(), 'A'), valid);
    return valid;
  }

  // Returns a text that is equal for patterns with the same plans.
  [[nodiscard]] std::string shape_of_pattern(std::uint64_t p, bool plain) const {
    std::string shape = std::to_string(patterns_.size(p));
    if (plain) return shape;
    shape += ' ';
    for (const char letter : patterns_[p]) {
      const std::uint8_t set = near_letter_set(letter, options_.iupac);
      shape += static_cast<char>('0' + std::popcount(set));
    }
    return shape;
  }

  const shape_plans& plans_of(std::uint64_t p, bool plain) {
    const auto [found, is_new] = shapes_.try_emplace(shape_of_pattern(p, plain));
    if (is_new) found->second = make_plans(p);
    return found->second;
  }

  shape_plans make_plans(std::uint64_t p) {
    constexpr std::size_t max_plans = 1 << 16; // of a batch
    if (patterns_.size(p) > max_planned_letters || result_.plans.size() > max_plans) return {{0, 0}, true};
    const near_patterns coded(patterns_, p, p + 1, options_);
    shape_plans plans;
    std::vector<near_plan> made;
    for (const near_strand& strand : coded.strands()) {
      const std::optional<near_plan> plan = make_plan(strand);
      if (!plan) return {{0, 0}, true};
      made.push_back(*plan);
    }
    for (std::size_t s = 0; s < made.size(); ++s) {
      if (made[s].num_windows == 0) continue;
      plans.plan[s] = static_cast<std::uint32_t>(result_.plans.size());
      result_.plans.push_back(made[s]);
    }
    return plans;
  }

  // Returns the plan of a strand, or nothing if the strand is left to the CPU.
  [[nodiscard]] std::optional<near_plan> make_plan(const near_strand& strand) const {
    const bool errors = options_.metric == near_metric::errors;
    if (errors && (strand.exact_prefix + strand.exact_suffix > 0 || strand.size > max_error_letters))
      return std::nullopt;
    near_plan plan;
    plan.size = static_cast<std::uint32_t>(strand.size);
    plan.exact_prefix = static_cast<std::uint32_t>(strand.exact_prefix);
    plan.exact_suffix = static_cast<std::uint32_t>(strand.exact_suffix);
    bool possible = true;
    const std::vector<near_seed> seeds = choose_seeds(strand, options_.max_distance, possible);
    if (!possible) return plan;
    const double num_symbols = static_cast<double>(num_rows_);
    double rows = expected_seeds(seeds, num_rows_);
    if (const near_windows windows = windows_of(strand);
        !windows.windows.empty() && (seeds.empty() || looked_up_cost * rows > windows.cost)) {
      rows = 0;
      for (const near_window& each : windows.windows) {
        const std::uint32_t strings_before = plan.num_strings;
        add_window(plan, each.begin, each.size, each.max_mismatches);
        rows +=
            std::ldexp(num_symbols * (plan.num_strings - strings_before), -2 * static_cast<int>(each.size));
      }
    } else {
      if (seeds.empty()) return std::nullopt;
      for (const near_seed& seed : seeds) add_window(plan, seed.begin, seed.size, 0);
    }
    // A scan of all symbols by the CPU takes some hundredths of the time in which a GPU looks up as many
    // rows.
    constexpr double max_share = 1.0 / 64, always_allowed = 1 << 12;
    if (rows > std::max(always_allowed, max_share * num_symbols)) return std::nullopt;
    return plan;
  }

  // Returns the windows of a strand, if they consist of letters that stand for one base, or none.
  [[nodiscard]] near_windows windows_of(const near_strand& strand) const {
    // search_other_letters() completes the hits of strands of at most so many letters.
    if (options_.metric != near_metric::mismatches || strand.size > 32) return {};
    near_windows windows = choose_windows(strand, options_.max_distance,
                                          {static_cast<double>(num_rows_), max_window_letters, 0});
    std::uint64_t num_strings = 0;
    for (const near_window& each : windows.windows) {
      num_strings += num_window_strings(each.size, each.max_mismatches);
      if (!is_plain(strand, each.begin, each.size) || num_strings > max_planned_strings) return {};
    }
    return windows;
  }

  const std::uint64_t num_rows_;
  const sequences_view& patterns_;
  const near_options& options_;
  const unsigned num_strands_;
  std::map<std::string, shape_plans> shapes_;
  near_plans result_;
};

} // namespace

near_plans plan_patterns(const fm_index& index, const sequences_view& patterns, const near_options& options) {
  return planner(index.parts().num_rows, patterns, options).run();
}

near_key_layout key_layout_of(std::uint64_t num_symbols) {
  return {static_cast<unsigned>(std::bit_width(num_symbols))};
}

} // namespace weft::bwt_detail
