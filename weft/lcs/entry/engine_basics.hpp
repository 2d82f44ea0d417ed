// The basics that all engines share: texts, a path under construction, progress, letters with a special
// meaning, and checks of memory.
//
// Inside the engines every metric is a distance D to be minimised. D counts deletions and insertions (lcs
// and indel: D = m + n - 2 LCS), and for edit substitutions, too. The flag `substitute` tells the two
// apart.
#pragma once

#include <algorithm>
#include <array>
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

// Reports the engine that computes the result of a call, and its device.
inline void report_engine(const run_options& run, std::string_view name,
                          device_choice device = {device_kind::cpu, 0}) {
  if (run.info == nullptr) return;
  run.info->engine = name;
  run.info->device = device;
}

// Appends a run of `length` steps to a path, and counts the steps.
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

// Appends the only path that exists where one text is empty; it has no matches.
inline void append_unmatched(edit_script& path, std::uint64_t rows, std::uint64_t columns) {
  append(path, edit_op::remove, rows);
  append(path, edit_op::insert, columns);
}

inline void append(edit_script& path, const edit_script& tail) {
  for (const edit_run& run : tail.runs) append(path, run.op, run.length);
}

// Counts cells that are done, and reports them to the monitor in its unit of 2^20 cells. add() and check()
// are the points where a task can be cancelled. Thread-safe.
class progress {
public:
  // If not `counting`, the object only lets the task be cancelled; then it is part of a task whose cells
  // another object counts.
  explicit progress(task_monitor* monitor, bool counting = true) : monitor_(monitor), counting_(counting) {}
  // Announces the number of cells that are still to come.
  void expect(std::uint64_t total) {
    expected_ = total;
    if (monitor_ != nullptr && counting_) monitor_->set_total(monitor_->done() + (total >> 20));
  }
  // Announces cells in addition to those that are expected.
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
  // Counts `part` (0 to 1) of the expected cells as done, unless more of them are already counted. This is
  // for a search that does not count cells. Not thread-safe.
  void estimate(double part) {
    if (monitor_ == nullptr) return;
    const auto units = static_cast<std::uint64_t>(part * static_cast<double>(expected_ >> 20));
    if (counting_ && units > estimated_) {
      monitor_->add(units - estimated_);
      estimated_ = units;
    }
    monitor_->check();
  }
  // Takes back the cells that estimate() counted, because the search was given up.
  void drop_estimate() {
    if (monitor_ != nullptr) monitor_->take_back(estimated_);
    estimated_ = 0;
  }
  // Counts everything as done, because the rest need not be computed.
  void finish() {
    if (monitor_ == nullptr || !counting_) return;
    if (const std::uint64_t done = monitor_->done(), total = monitor_->total(); done < total)
      monitor_->add(total - done);
  }

private:
  task_monitor* monitor_;
  bool counting_;
  std::atomic<std::uint64_t> cells_{0};
  std::uint64_t expected_ = 0;  // in cells
  std::uint64_t estimated_ = 0; // in units; added by estimate()
};

// A set of bytes.
class byte_set {
public:
  explicit byte_set(std::string_view bytes = {}) {
    for (const char c : bytes) contains_[static_cast<std::uint8_t>(c)] = 1;
  }
  [[nodiscard]] bool contains(std::uint8_t byte) const { return contains_[byte] != 0; }
  // Returns whether a text contains a byte of the set. O(text.size()).
  [[nodiscard]] bool occurs_in(text<std::uint8_t> text) const {
    return std::any_of(text.begin(), text.end(), [this](std::uint8_t byte) { return contains(byte); });
  }

private:
  std::array<std::uint8_t, 256> contains_{};
};

// An lcs_call is what every engine knows about a call.
struct lcs_call {
  const lcs_options& options;
  progress& work;
  const byte_set* wildcards = nullptr; // bytes that equal every byte; null: the texts contain none

  [[nodiscard]] bool substitute() const { return options.metric == lcs_metric::edit; }
  [[nodiscard]] int threads() const { return thread_count(options.run.threads); }
};

// Throws memory_error if `needed` bytes exceed the limit. `requested` is run_options::memory. Small amounts
// are always allowed if no limit was requested, because finding out how much memory the machine has takes
// longer than many a problem.
inline void require_memory(std::string_view engine, std::uint64_t needed, std::uint64_t requested) {
  if (requested == 0 && needed <= std::uint64_t{1} << 24) return;
  if (const std::uint64_t limit = memory_limit(requested); needed > limit)
    throw memory_error(fmt::format("lcs engine '{}' needs {} for these sequences, {} is allowed", engine,
                                   format_size(needed), format_size(limit)));
}

// Tells whether numbers of bytes are allowed. Asks the operating system once, and only if it matters.
class memory_allowance {
public:
  // `requested` is run_options::memory.
  explicit memory_allowance(std::uint64_t requested) : requested_(requested) {}
  [[nodiscard]] bool fits(std::uint64_t bytes) {
    if (requested_ == 0 && bytes <= std::uint64_t{1} << 24) return true;
    if (limit_ == 0) limit_ = memory_limit(requested_);
    return bytes <= limit_;
  }

private:
  std::uint64_t requested_, limit_ = 0;
};

// Returns m n without overflow; 2^64 - 1 stands for all larger numbers.
inline std::uint64_t cells(std::uint64_t m, std::uint64_t n) {
  return n != 0 && m > ~std::uint64_t{0} / n ? ~std::uint64_t{0} : m * n;
}

// Returns the largest number of runs that a path of m and n symbols at this distance can have. Each step
// that is no match uses up one of the distance, and each match uses up two of the other m + n - distance
// symbols. Runs of matches stand between runs of other steps. Without substitutions at most two runs of
// other steps stand between two matches.
inline std::uint64_t max_runs(std::uint64_t m, std::uint64_t n, std::uint64_t distance, bool substitute) {
  const std::uint64_t matches = (m + n - distance) / 2;
  const std::uint64_t runs = std::min(distance + matches, 2 * distance + 1);
  return substitute ? runs : std::min(runs, 3 * matches + 2);
}

// Returns the largest number of runs at any distance.
inline std::uint64_t max_runs(std::uint64_t m, std::uint64_t n, bool substitute) {
  if (substitute) return max_runs(m, n, std::max(m, n), true); // it grows with the distance
  return 3 * std::min({m, n, (m + n) / 4 + 1}) + 2; // most runs occur with a quarter of m + n matches
}

// Returns the number of bytes of the most runs that a path can have. Calls distance() if the path with the
// most runs at any distance takes more than half of the requested limit, or more than `spare` bytes.
// bytes_per_run exceeds the size of a run if runs are copied.
template <class Distance>
std::uint64_t max_bytes_of_runs(std::uint64_t m, std::uint64_t n, bool substitute, std::uint64_t spare,
                                std::uint64_t requested, const Distance& distance,
                                std::uint64_t bytes_per_run = sizeof(edit_run)) {
  const std::uint64_t bytes = cells(max_runs(m, n, substitute), bytes_per_run);
  if (bytes <= requested / 2 && bytes <= spare) return bytes;
  return cells(max_runs(m, n, distance(), substitute), bytes_per_run);
}

// Returns the number of bytes to reserve for the runs of a path besides `held` other bytes, or 0 if no
// limit was requested. Throws memory_error like require_memory(). See max_bytes_of_runs().
template <class Distance>
std::uint64_t memory_of_runs(std::string_view engine, std::uint64_t m, std::uint64_t n, bool substitute,
                             std::uint64_t held, std::uint64_t requested, const Distance& distance,
                             std::uint64_t bytes_per_run = sizeof(edit_run)) {
  if (requested == 0) return 0;
  const std::uint64_t bytes = max_bytes_of_runs(m, n, substitute, requested - std::min(requested, held),
                                                requested, distance, bytes_per_run);
  require_memory(engine, held + bytes, requested);
  return bytes;
}

// Throws memory_error if a limit was requested, and `runs` runs and `held` bytes exceed it.
inline void require_memory_of_runs(std::string_view engine, std::uint64_t runs, std::uint64_t held,
                                   std::uint64_t requested) {
  if (requested != 0) require_memory(engine, held + cells(runs, sizeof(edit_run)), requested);
}

// Turns the distances of all pairs, in the order of lcs_all_pairs, into LCS lengths.
inline void turn_into_lengths(std::span<std::uint64_t> distances, std::span<const std::uint64_t> offsets,
                              int threads) {
  const auto length = [&](std::uint64_t i) { return offsets[i + 1] - offsets[i]; };
  parallel_for(1, offsets.size() - 1, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first, at = first * (first - 1) / 2; i < last; ++i)
      for (std::uint64_t j = 0; j < i; ++j, ++at) distances[at] = (length(i) + length(j) - distances[at]) / 2;
  });
}

} // namespace weft::lcs_detail

namespace weft::lcs_detail {}
namespace weft::lcs_detail {}
