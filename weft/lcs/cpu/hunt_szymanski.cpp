#include <weft/lcs/cpu/hunt_szymanski.hpp>
#include <weft/lcs/entry/path_memory.hpp>

#include <cmath>

namespace weft::lcs_detail {

template <class Symbol> std::uint64_t matching_pairs(text<Symbol> a, text<Symbol> b, std::uint64_t sigma) {
  std::vector<std::uint64_t> in_b(sigma);
  for (const Symbol symbol : b) ++in_b[symbol];
  std::uint64_t pairs = 0;
  for (const Symbol symbol : a)
    if (__builtin_add_overflow(pairs, in_b[symbol], &pairs)) return ~std::uint64_t{0};
  return pairs;
}

template std::uint64_t matching_pairs(text<std::uint8_t>, text<std::uint8_t>, std::uint64_t);
template std::uint64_t matching_pairs(text<std::uint32_t>, text<std::uint32_t>, std::uint64_t);

template <class Symbol>
hunt_szymanski<Symbol>::hunt_szymanski(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                       cell_counter& work)
    : a_(a), work_(work), thresholds_(b.size()), n_(b.size()), first_(sigma + 1), columns_(b.size()) {
  for (const Symbol symbol : b) ++first_[symbol + std::uint64_t{1}];
  for (std::uint64_t symbol = 0; symbol < sigma; ++symbol) first_[symbol + 1] += first_[symbol];
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint64_t c = 0; c < n_; ++c) columns_[next[b[n_ - 1 - c]]++] = static_cast<std::uint32_t>(c);
}

template <class Symbol>
std::uint64_t hunt_szymanski<Symbol>::memory(std::uint64_t m, std::uint64_t n, std::uint64_t sigma,
                                             std::uint64_t pairs) {
  const double log = 8 * static_cast<double>(pairs),
               blocks = 2 * std::sqrt(static_cast<double>(n) * static_cast<double>(pairs));
  return 4 * m + 16 * n + value_memory(n, sigma) + static_cast<std::uint64_t>(std::min(log, blocks));
}

template <class Symbol>
std::uint64_t hunt_szymanski<Symbol>::value_memory(std::uint64_t n, std::uint64_t sigma) {
  return 4 * n + 8 * sigma + n / 4;
}

template <class Symbol> std::uint64_t hunt_szymanski<Symbol>::length() {
  std::uint64_t found = 0;
  for (std::uint64_t row = a_.size(); row-- > 0;) {
    sweep_row(row, [&](std::uint32_t, std::uint64_t replaced) { found += replaced == n_ ? 1 : 0; });
    report_progress(row);
  }
  return found;
}

template <class Symbol>
edit_script hunt_szymanski<Symbol>::path(std::uint64_t log_bytes, std::uint64_t runs) {
  const std::uint64_t capacity = std::max(log_bytes / sizeof(replacement), 2 * n_);
  row_counts_.resize(a_.size());
  log_.reserve(std::min(capacity, all_occurrences()));
  std::vector<block> blocks = {{a_.size(), thresholds_.words()}};
  for (std::uint64_t row = a_.size(); row-- > 0;) {
    if (log_.size() + occurrences(a_[row]) > capacity) {
      blocks.push_back({row + 1, thresholds_.words()});
      log_.clear();
    }
    log_row(row);
    report_progress(row);
  }
  edit_script path;
  path.runs.reserve(runs);
  std::uint64_t left = n_;
  for (std::uint64_t row = 0;; blocks.pop_back()) {
    if (row > 0) {
      thresholds_.assign(blocks.back().thresholds);
      for (std::uint64_t again = blocks.back().end; again-- > row;) {
        log_row(again);
        work_.check();
      }
    }
    for (; row < blocks.back().end; ++row) left = walk_row(row, left, path);
    if (row == a_.size()) break;
  }
  append(path, edit_op::insert, left);
  return path;
}

// Returns the number of matching pairs.
template <class Symbol> std::uint64_t hunt_szymanski<Symbol>::all_occurrences() const {
  std::uint64_t pairs = 0;
  for (const Symbol symbol : a_) pairs += occurrences(symbol);
  return pairs;
}

// Turns the thresholds of row + 1 into those of `row`, and calls use(column, replaced) for each change.
template <class Symbol>
template <class Use>
void hunt_szymanski<Symbol>::sweep_row(std::uint64_t row, const Use& use) {
  const std::uint32_t* at = columns_.data() + first_[a_[row]];
  const std::uint32_t* const end = columns_.data() + first_[a_[row] + std::uint64_t{1}];
  while (at != end) {
    const std::uint32_t column = *at++;
    const std::uint64_t replaced = thresholds_.replace_next(column);
    if (replaced == column) continue;
    use(column, replaced);
    while (at != end && *at <= replaced) ++at;
  }
}

// Computes the thresholds of a row, and logs the replacements.
template <class Symbol> void hunt_szymanski<Symbol>::log_row(std::uint64_t row) {
  const std::size_t before = log_.size();
  sweep_row(row, [&](std::uint32_t column, std::uint64_t replaced) {
    log_.push_back({column, static_cast<std::uint32_t>(replaced)});
  });
  row_counts_[row] = static_cast<std::uint32_t>(log_.size() - before);
}

// Appends the steps of the canonical path in one row, which is the last row of the log. `left` symbols of b
// are left at the start of the row. Returns how many are left below the row.
template <class Symbol>
std::uint64_t hunt_szymanski<Symbol>::walk_row(std::uint64_t row, std::uint64_t left, edit_script& path) {
  const auto last = log_.end(), first = last - static_cast<std::ptrdiff_t>(row_counts_[row]);
  const bool needed = std::any_of(first, last, [&](const replacement& change) {
    return change.column < left && left <= change.replaced;
  });
  log_.erase(first, last);
  if (!needed) {
    append(path, edit_op::remove, 1);
    return left;
  }
  const auto begin = columns_.begin() + static_cast<std::ptrdiff_t>(first_[a_[row]]),
             end = columns_.begin() + static_cast<std::ptrdiff_t>(first_[a_[row] + std::uint64_t{1}]);
  const std::uint64_t column = *std::prev(std::lower_bound(begin, end, left));
  append(path, edit_op::insert, left - 1 - column);
  append(path, edit_op::match, 1);
  return column;
}

// Reports the cells of a row to the monitor, some millions at a time.
template <class Symbol> void hunt_szymanski<Symbol>::report_progress(std::uint64_t row) {
  pending_ += n_;
  if (row > 0 && pending_ < std::uint64_t{1} << 22) return;
  work_.add(pending_);
  pending_ = 0;
}

template class hunt_szymanski<std::uint8_t>;
template class hunt_szymanski<std::uint32_t>;

template <class Symbol>
std::uint64_t hunt_szymanski_distance(text<Symbol> a, text<Symbol> b, std::uint64_t sigma,
                                      const lcs_call& call) {
  return a.size() + b.size() - 2 * hunt_szymanski<Symbol>(a, b, sigma, call.work).length();
}

template <class Symbol>
edit_script hunt_szymanski_path(text<Symbol> a, text<Symbol> b, std::uint64_t sigma, const lcs_call& call) {
  const run_options& run = call.options.run;
  const std::uint64_t lists = hunt_szymanski<Symbol>::memory(a.size(), b.size(), sigma, 0);
  const std::uint64_t runs =
      memory_of_runs("engine hunt-szymanski", a.size(), b.size(), false, lists, run.memory, [&] {
        cell_counter uncounted(run.monitor, false);
        return a.size() + b.size() - 2 * hunt_szymanski<Symbol>(a, b, sigma, uncounted).length();
      });
  const std::uint64_t limit = std::min(memory_limit(run.memory) - runs, std::uint64_t{1} << 31);
  return hunt_szymanski<Symbol>(a, b, sigma, call.work)
      .path((limit - std::min(limit, lists)) / 2, runs / sizeof(edit_run));
}

template std::uint64_t hunt_szymanski_distance(text<std::uint8_t>, text<std::uint8_t>, std::uint64_t,
                                               const lcs_call&);
template std::uint64_t hunt_szymanski_distance(text<std::uint32_t>, text<std::uint32_t>, std::uint64_t,
                                               const lcs_call&);
template edit_script hunt_szymanski_path(text<std::uint8_t>, text<std::uint8_t>, std::uint64_t,
                                         const lcs_call&);
template edit_script hunt_szymanski_path(text<std::uint32_t>, text<std::uint32_t>, std::uint64_t,
                                         const lcs_call&);

} // namespace weft::lcs_detail
