// weft bench: cases as data, ways to the answer of each, and what measures them side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/scan/scan.hpp>

namespace weft::cli::bench {

// A way to the answer of a case: an engine of weft, or a yardstick. It may hold what its case has in common;
// nothing is made before the first prepare().
struct way {
  std::string name;
  bool yardstick = false, on_gpu = false;
  int threads = 1;                            // of the CPU; 0: all that may be used
  std::string not_here = {};                  // why it cannot run on this machine; empty: it can
  std::function<void()> prepare = {};         // before each run, not timed
  std::function<void()> run = {};             // what is timed
  std::function<std::uint64_t()> digest = {}; // of the answer of the last run
  std::function<double()> seconds = {};       // of the last run, by a clock of its own; none: by the runner's
  bool step = false;                          // a part of the work, which the ceiling does not count
};

struct bench_case {
  // KIND/SIZE. Cases of a kind follow each other by size: each says how long the next one will take.
  std::string name;
  std::string input;                     // in words, with its seed
  double units;                          // items, symbols, cells, ...: what rates count
  double work;                           // what the ceiling counts (see suite)
  std::uint64_t memory;                  // bytes, at most
  std::optional<std::uint64_t> expected; // digest of the answer; none: ways are held against the first
  std::function<std::vector<way>()> ways;
  std::string published = {}; // what a paper says of it
  std::string kind = {};      // if it is not the name's
  bool for_rates = false;     // is run once, for larger cases of its kind, and not shown
};
[[nodiscard]] std::string kind_of(const bench_case& of);

// copy: bytes read and written; logic: bits, in registers.
enum class ceiling_kind { copy, logic };

// What a paper draws of cases that a suite has anyway: ways side by side.
struct figure {
  std::string name, about;
  std::vector<std::string> ways;
  // The cases, and what the paper says of the ratio, the time of the first way by that of the second.
  std::vector<std::pair<std::string, std::string>> rows;
};

struct suite {
  std::string_view name, unit; // unit: of bench_case::units
  ceiling_kind ceiling;
  std::string_view ceiling_is; // of what a row has so many percent, in words
  std::vector<bench_case> cases;
  std::string_view about = {};
  std::vector<figure> figures = {};
};

// What is asked for.
struct limits {
  double budget = 60; // seconds
  int runs = 0;       // of each way; 0: as many as the budget allows, at most 25
  bool cpu = true, gpu = true;
  int threads = 0;
};

// Rates that rows are held against, bytes or bits a second.
struct ceilings {
  double cpu = 0, gpu = 0; // 0: not measured
};

// What became of a way.
struct row {
  std::string name, device; // device: "cpu x2", "gpu"
  bool yardstick = false, step = false;
  std::vector<double> seconds = {}; // of its runs
  std::uint64_t digest = 0;
  bool wrong = false;
  std::string not_run = {}; // why; then there are no seconds
  double extrapolated = 0;  // seconds of a run that the budget had no room for; 0: not known

  // The median of the runs, or what is extrapolated; 0: neither.
  [[nodiscard]] double time() const;
};

struct case_rows {
  const bench_case* of;
  std::vector<row> rows;
};

// A suite, what its ceilings are, and the cases that were run so far.
struct suite_rows {
  const suite* of;
  ceilings rates = {};
  std::vector<case_rows> cases = {};
};

[[nodiscard]] double median(std::vector<double> values);
// Whether any row is.
[[nodiscard]] bool is_wrong(const std::vector<case_rows>& cases);
// Of the rows that are yardsticks and right, the quickest that has run, or else the quickest by
// extrapolation; null if there is neither.
[[nodiscard]] const row* quickest_yardstick(const case_rows& rows);

// From some point on.
[[nodiscard]] double steady_seconds();

// Measures case after case within a budget, which they share: equal parts of what is left, of which those
// that need less leave the rest to the others. Inputs and checks count as well.
class runner {
public:
  explicit runner(const limits& asked, std::function<double()> clock = steady_seconds)
      : limits_(asked), clock_(std::move(clock)), begin_(clock_()) {}
  // One of the cases of a suite: its ways in turn, so that what changes meanwhile meets all of them. First
  // each once uncounted and once counted, if there is room for it; then more often, up to the case's equal
  // part of the time. cases_left: this one, and those that share what is left of the budget; see has_ways().
  [[nodiscard]] case_rows run(std::span<const bench_case> cases, std::size_t index, std::size_t cases_left);
  [[nodiscard]] double seconds_left() const;
  // Whether any way of the case runs on this machine, on the devices that are asked for.
  [[nodiscard]] static bool has_ways(const bench_case& of, const limits& asked);
  // Measured once.
  [[nodiscard]] const ceilings& ceilings_of(ceiling_kind kind);

private:
  // The least that a way took in the largest case so far of a kind on a device: its run, and with it the
  // input before and the check after it.
  struct known_time {
    double units = 0, run = 0, turn = 0;
  };
  [[nodiscard]] known_time expected(const bench_case& of, const row& at) const;
  [[nodiscard]] double room_for(std::span<const bench_case> cases, std::size_t index,
                                std::size_t cases_left) const;
  void refuse(const bench_case& of, const std::vector<way>& ways, double room, case_rows& into) const;
  known_time take_turn(const bench_case& of, way& each, row& at, bool counted);
  [[nodiscard]] std::vector<double> run_first(const bench_case& of, std::vector<way>& ways, case_rows& into);
  void run_further(const bench_case& of, std::vector<way>& ways, const std::vector<double>& turns,
                   double seconds, case_rows& into);
  void check_answers(case_rows& rows) const;

  limits limits_;
  std::function<double()> clock_; // seconds
  double begin_;
  std::map<std::string, known_time> times_; // by kind, way and device
  // What the first runs of all ways, and at least of one, take of the budget.
  struct need {
    double all = std::numeric_limits<double>::infinity(), least = 0;
  };
  [[nodiscard]] need need_of(const bench_case& of, const bench_case* before) const;
  std::map<std::string, need> needs_; // of the last case of a kind, a unit
  std::map<ceiling_kind, ceilings> ceilings_;
};

[[nodiscard]] double cpu_ceiling(ceiling_kind kind, int threads);
[[nodiscard]] ceilings measure_ceilings(ceiling_kind kind, const limits& asked);

// A table of a paper that another program gives.
struct other_table {
  std::string_view name, where;
};

// The report: a table that grows with the cases, or a JSON document in the layout of Google Benchmark.
[[nodiscard]] std::string table_head(const suite_rows& of, const limits& asked);
[[nodiscard]] std::string table_part(const suite_rows& of, const case_rows& rows);
// After the suite's cases.
[[nodiscard]] std::string figure_table(const suite_rows& of, const figure& shown);
[[nodiscard]] std::string json_document(std::string_view name, const std::vector<suite_rows>& suites,
                                        std::span<const other_table> elsewhere, const limits& asked);

// What has so many percent, in words.
inline constexpr std::string_view
    a_copy_of_items = "reading and writing every item once, at the rate of a copy",
    a_copy_of_text = "reading the text and writing the result once, at the rate of a copy",
    one_operation_a_cell = "one bit operation a cell of the table, at the rate of vectors in registers",
    one_operation_a_motif =
        "one bit operation for each residue and motif, at the rate of vectors in registers";

// The definitions. files: of motifs and sequences, in place of generated ones, or none.
[[nodiscard]] suite sort_suite(const limits& asked);
[[nodiscard]] suite bwt_suite(const limits& asked);
[[nodiscard]] suite lcs_suite(const limits& asked);
[[nodiscard]] suite scan_suite(const limits& asked, const std::vector<std::string>& files);

// Cases of other sizes, as the tables of the papers have them; their ways are held against each other, but of
// uniform items against a fixed digest. wide: items of 64 bits, not 32.
[[nodiscard]] bench_case sort_case(const char* kind, const char* distribution, bool wide, int log2_count,
                                   const limits& asked);
// The same with other ways to sort these items.
using sort_ways = std::function<std::vector<way>(std::function<std::span<const std::byte>()> items)>;
[[nodiscard]] bench_case sort_case_by(const std::string& name, bool wide, int log2_count,
                                      const sort_ways& ways);
// Also by the two kernels of the paper's engine on a GPU.
[[nodiscard]] bench_case bwt_case(const std::string& name, const char* text, std::uint64_t size,
                                  std::uint64_t expected, const limits& asked);
[[nodiscard]] bench_case lcs_path_case(const std::string& name, std::size_t m, std::size_t n,
                                       const limits& asked);
[[nodiscard]] bench_case scan_case(const std::string& name, match_rule rule, int motifs,
                                   std::uint64_t residues, const limits& asked);
// By the paper's engines on a GPU, q motifs a block of threads.
[[nodiscard]] bench_case scan_threads_case(const std::string& name, int motifs, std::uint64_t residues,
                                           std::uint64_t expected);

// The tables and figures of the four papers that weft began with, and what of them other programs give.
[[nodiscard]] std::vector<suite> paper_suites(const limits& asked);
[[nodiscard]] std::span<const other_table> tables_elsewhere();

// Calls body(engine, reason) for each engine that runs on this kind of device, where reason says why not
// here. check: throws for an engine and device what the capability throws.
void for_each_engine(const std::vector<engine_info>& engines, device_kind device,
                     const std::function<void(const std::string& engine, device_choice on)>& check,
                     const std::function<void(const std::string& engine, const std::string& not_here)>& body);

// A function of a shared library that this machine may have, or null with the reason.
class peer_library {
public:
  // The first of these names that can be opened.
  explicit peer_library(const std::vector<std::string>& names);
  template <class Function> [[nodiscard]] Function* find(const char* name) {
    return reinterpret_cast<Function*>(symbol(name));
  }
  [[nodiscard]] const std::string& not_here() const { return not_here_; } // empty: all that was asked for is

private:
  [[nodiscard]] void* symbol(const char* name);
  void* handle_ = nullptr;
  std::string not_here_;
};

} // namespace weft::cli::bench
