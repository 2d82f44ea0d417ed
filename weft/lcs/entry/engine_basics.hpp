// What the engines share: texts, the path under construction, progress, the memory check.
//
// Inside, every metric is a distance D to be minimised: deletions + insertions (lcs and indel: D = m + n - 2
// LCS), or with substitutions too (edit). `substitute` tells them apart.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <weft/base/error.hpp>
#include <weft/base/memory.hpp>
#include <weft/base/parallel.hpp>
#include <weft/lcs/lcs.hpp>

namespace weft::lcs_detail {

template <class Symbol> using text = std::span<const Symbol>;

inline void append(edit_script& path, edit_op op, std::uint64_t length) {
  if (length == 0) return;
  switch (op) {
  case edit_op::match:
    path.matches += length;
    break;
  case edit_op::substitute:
    path.substitutions += length;
    break;
  case edit_op::insert:
    path.insertions += length;
    break;
  case edit_op::remove:
    path.deletions += length;
    break;
  }
  if (!path.runs.empty() && path.runs.back().op == op)
    path.runs.back().length += length;
  else
    path.runs.push_back({op, length});
}

// The only path there is where one text is empty: of no matches.
inline void append_unmatched(edit_script& path, std::uint64_t rows, std::uint64_t columns) {
  append(path, edit_op::remove, rows);
  append(path, edit_op::insert, columns);
}

inline void append(edit_script& path, const edit_script& tail) {
  for (const edit_run& run : tail.runs) append(path, run.op, run.length);
}

// Cells done of a total, told to the monitor in its unit of 2^20. add() and check() are where a task can be
// cancelled. Thread-safe.
class progress {
public:
  // counting: else only cancelled, as a part of a task whose cells another one counts.
  explicit progress(task_monitor* monitor, bool counting = true) : monitor_(monitor), counting_(counting) {}
  // So many cells are still to come.
  void expect(std::uint64_t total) {
    expected_ = total;
    if (monitor_ != nullptr && counting_) monitor_->set_total(monitor_->done() + (total >> 20));
  }
  // So many cells come on top of those that are expected.
  void expect_more(std::uint64_t more) {
    if (monitor_ != nullptr && counting_) monitor_->set_total(monitor_->total() + (more >> 20));
  }
  void check() const {
    if (monitor_ != nullptr) monitor_->check();
  }
  void add(std::uint64_t cells) {
    if (monitor_ == nullptr) return;
    if (!counting_) return monitor_->check();
    const std::uint64_t before = cells_.fetch_add(cells, std::memory_order_relaxed);
    if (const std::uint64_t units = ((before + cells) >> 20) - (before >> 20)) monitor_->add(units);
    monitor_->check();
  }
  // For a search that does not count cells: counts `part` (0 to 1) of the expected cells as done, unless more
  // of them are counted already. One thread at a time.
  void estimate(double part) {
    if (monitor_ == nullptr) return;
    const auto units = static_cast<std::uint64_t>(part * static_cast<double>(expected_ >> 20));
    if (counting_ && units > estimated_) {
      monitor_->add(units - estimated_);
      estimated_ = units;
    }
    monitor_->check();
  }
  // Takes back what estimate() counted, because the search was given up.
  void drop_estimate() {
    if (monitor_ != nullptr) monitor_->take_back(estimated_);
    estimated_ = 0;
  }
  // The rest need not be computed.
  void finish() {
    if (monitor_ == nullptr || !counting_) return;
    if (const std::uint64_t done = monitor_->done(), total = monitor_->total(); done < total)
      monitor_->add(total - done);
  }

private:
  task_monitor* monitor_;
  bool counting_;
  std::atomic<std::uint64_t> cells_{0};
  std::uint64_t expected_ = 0;  // cells
  std::uint64_t estimated_ = 0; // units that estimate() added
};

// requested: lcs_options::memory. What is small is always allowed if no limit was asked for: to learn what
// the machine has costs more than many a problem.
inline void require_memory(std::string_view engine, std::uint64_t needed, std::uint64_t requested) {
  if (requested == 0 && needed <= std::uint64_t{1} << 24) return;
  if (const std::uint64_t limit = memory_limit(requested); needed > limit)
    throw memory_error(fmt::format("lcs engine '{}' needs {} for these sequences, {} is allowed", engine,
                                   format_size(needed), format_size(limit)));
}

// m n without overflow: 2^64 - 1 stands for all that is larger.
inline std::uint64_t cells(std::uint64_t m, std::uint64_t n) {
  return n != 0 && m > ~std::uint64_t{0} / n ? ~std::uint64_t{0} : m * n;
}

// Returns the most runs that a path of m and n symbols at this distance can have. Each step that is no match
// takes one of the distance, and each match two of the m + n symbols that are left beside it; runs of matches
// stand between runs of other steps; and without substitutions at most two of these stand between matches.
inline std::uint64_t max_runs(std::uint64_t m, std::uint64_t n, std::uint64_t distance, bool substitute) {
  const std::uint64_t matches = (m + n - distance) / 2;
  const std::uint64_t runs = std::min(distance + matches, 2 * distance + 1);
  return substitute ? runs : std::min(runs, 3 * matches + 2);
}

// The same at any distance.
inline std::uint64_t max_runs(std::uint64_t m, std::uint64_t n, bool substitute) {
  if (substitute) return max_runs(m, n, std::max(m, n), true); // grows with the distance
  return 3 * std::min({m, n, (m + n) / 4 + 1}) + 2; // with a quarter of m + n matches there are the most
}

// Returns the bytes to set aside for the runs of a path beside `held` other bytes: 0 if no limit was asked
// for. Calls distance() if the path with the most runs takes more than half of the limit, or does not fit
// it. bytes_a_run: more than a run has where runs are copied. Throws memory_error as require_memory().
template <class Distance>
std::uint64_t memory_of_runs(std::string_view engine, std::uint64_t m, std::uint64_t n, bool substitute,
                             std::uint64_t held, std::uint64_t requested, const Distance& distance,
                             std::uint64_t bytes_a_run = sizeof(edit_run)) {
  if (requested == 0) return 0;
  std::uint64_t bytes = cells(max_runs(m, n, substitute), bytes_a_run);
  if (bytes > requested / 2 || held + bytes > requested)
    bytes = cells(max_runs(m, n, distance(), substitute), bytes_a_run);
  require_memory(engine, held + bytes, requested);
  return bytes;
}

// Throws memory_error if so many runs and `held` bytes take more than was asked for, if a limit was.
inline void require_memory_of_runs(std::string_view engine, std::uint64_t runs, std::uint64_t held,
                                   std::uint64_t requested) {
  if (requested != 0) require_memory(engine, held + cells(runs, sizeof(edit_run)), requested);
}

// Distances of all pairs, in the order of lcs_all_pairs, become LCS lengths.
inline void turn_into_lengths(std::span<std::uint64_t> distances, std::span<const std::uint64_t> offsets,
                              int threads) {
  const auto length = [&](std::uint64_t i) { return offsets[i + 1] - offsets[i]; };
  parallel_for(1, offsets.size() - 1, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first, at = first * (first - 1) / 2; i < last; ++i)
      for (std::uint64_t j = 0; j < i; ++j, ++at) distances[at] = (length(i) + length(j) - distances[at]) / 2;
  });
}

} // namespace weft::lcs_detail

namespace weft::lcs_cpu {
using namespace lcs_detail;
}
namespace weft::lcs_cuda {
using namespace lcs_detail;
}
