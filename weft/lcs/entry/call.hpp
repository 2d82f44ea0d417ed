// What every engine knows of a call: texts, the path under construction, the count of cells, letters with a
// special meaning, and the memory limit.
//
// Inside the engines every metric is a distance D to be minimised. D counts deletions and insertions (lcs and
// indel: D = m + n - 2 LCS); for edit it counts substitutions, too, and for affine it is the penalty. `edit`
// is true for metric edit, which allows substitutions.
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

// Writes the engine of a call, and its device, to run.info. Only the code that chooses an engine calls it.
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

// A cell_counter counts the cells that are done, and reports them to the monitor in its unit of 2^20 cells.
// add() and check() are the points where a task can be cancelled. Thread-safe.
class cell_counter {
public:
  // If not `counting`, the object only lets the task be cancelled, because another object counts its cells.
  explicit cell_counter(task_monitor* monitor, bool counting = true)
      : monitor_(monitor), counting_(counting) {}
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
  cell_counter& work;
  const byte_set* wildcards = nullptr; // bytes that equal every byte; null: the texts contain none

  [[nodiscard]] bool edit() const { return options.metric == lcs_metric::edit; }
  [[nodiscard]] bool affine() const { return options.metric == lcs_metric::affine; }
  [[nodiscard]] int threads() const { return thread_count(options.run.threads); }
  // Returns the number of threads for a table of m x n cells. One thread fills a small table in less time
  // than it takes to ask the system for the number of processors.
  [[nodiscard]] int threads(std::uint64_t m, std::uint64_t n) const {
    return m < 1024 && n < 1024 ? 1 : threads();
  }
};

// Throws memory_error if `needed` bytes exceed the limit. `requested` is run_options::memory. `subject` says
// in the message what needs the memory, such as "engine bit-sliced" or "the path". Small amounts are always
// allowed if no limit was requested, because finding out how much memory the machine has takes longer than
// many a problem.
inline void require_memory(std::string_view subject, std::uint64_t needed, std::uint64_t requested) {
  if (requested == 0 && needed <= std::uint64_t{1} << 24) return;
  if (const std::uint64_t limit = memory_limit(requested); needed > limit)
    throw memory_error(fmt::format("lcs: {} needs {} of memory for these sequences, but only {} is allowed",
                                   subject, format_size(needed), format_size(limit)));
}

// A memory_allowance says whether amounts of memory are allowed. It asks the operating system once, and only
// if it matters.
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

// Returns the number that `metric` names for texts of m and n symbols at a distance D.
[[nodiscard]] constexpr std::uint64_t value_of(lcs_metric metric, std::uint64_t m, std::uint64_t n,
                                               std::uint64_t distance) {
  return metric == lcs_metric::lcs ? (m + n - distance) / 2 : distance;
}

// Returns m n without overflow; 2^64 - 1 stands for all larger numbers.
[[nodiscard]] constexpr std::uint64_t cells(std::uint64_t m, std::uint64_t n) {
  return n != 0 && m > ~std::uint64_t{0} / n ? ~std::uint64_t{0} : m * n;
}

// Returns the number of cells of the tables of all pairs of sequences with these offsets (sequences_view).
[[nodiscard]] inline std::uint64_t cells_of_all_pairs(std::span<const std::uint64_t> offsets) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    sum += cells(offsets[i + 1] - offsets[i], offsets[i] - offsets[0]);
  return sum;
}
// Does the same for the pairs of two sequences of at most max_length symbols.
[[nodiscard]] inline std::uint64_t cells_of_short_pairs(std::span<const std::uint64_t> offsets,
                                                        std::uint64_t max_length) {
  std::uint64_t sum = 0, before = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::uint64_t length = offsets[i + 1] - offsets[i];
    if (length > max_length) continue;
    sum += cells(length, before);
    before += length;
  }
  return sum;
}

} // namespace weft::lcs_detail
