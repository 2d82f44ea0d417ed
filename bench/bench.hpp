// The benchmarks of `weft-bench`: cases are data, each case lists the methods that solve it, and a runner
// measures these methods side by side.
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

namespace weft::bench {

// A method is one way to compute the answer of a case: an engine of weft, or a yardstick, which is other
// software that weft is compared with. The methods of a case may share data. No data is made before the first
// call of prepare().
struct method {
  std::string name;
  bool yardstick = false, on_gpu = false;
  int threads = 1;                            // CPU threads; 0: all threads that may be used
  std::string unavailable_reason = {};        // why the method cannot run on this machine; empty if it can
  std::function<void()> prepare = {};         // called before each run, not timed
  std::function<void()> run = {};             // the timed work
  std::function<std::uint64_t()> digest = {}; // returns a digest of the answer of the last run
  // Returns the time of the last run by the method's own clock; empty: the runner's clock counts.
  std::function<double()> seconds = {};
  bool step = false; // the method does only a part of the work, so it has no share of the ceiling
  // Returns true if the answer of the last run is right: a check beside that of the digest or, for a method
  // whose answer is not that of the case and has no digest, in place of it.
  std::function<bool()> is_right = {};
};

// A bench_case is an input, together with the methods that solve it and the data for their rates.
struct bench_case {
  // Has the form KIND/SIZE. The cases of a kind follow each other by increasing size, because the times of
  // each case predict those of the next one.
  std::string name;
  std::string input;                     // description in words, with its seed
  double units;                          // number of items, symbols, cells, ..., the unit of rates
  double work;                           // amount of work in the unit of the ceiling (see suite)
  std::uint64_t memory;                  // upper bound of the memory in bytes
  std::optional<std::uint64_t> expected; // digest of the answer; none: all answers must equal the first one
  std::function<std::vector<method>()> methods;
  std::string published = {}; // what a paper reports about the case
  std::string kind = {};      // the kind, if the name does not begin with it
  // The case is run once to predict the times of larger cases of its kind, and is not shown.
  bool for_rates = false;
  bool on_request = false; // the case is run only if --only selects it, or with --all
  // Estimated time to make the input, in seconds. The case is not run if less is left of the budget.
  double setup_seconds = 0;
};
// Returns the kind of the case: bench_case::kind, or else the name up to its last slash.
[[nodiscard]] std::string kind_of(const bench_case& benchmark);

// The ceiling is the rate of a simple operation, to which the rates of methods are compared. copy: bytes read
// and written; logic: bits that are combined in registers.
enum class ceiling_kind { copy, logic };

// A figure of a paper that shows methods side by side, for cases that are in the suite anyway.
struct figure {
  std::string name, about;
  std::vector<std::string> methods;
  // Names of cases, each with the ratio that the paper reports: the time of the first method divided by that
  // of the second.
  std::vector<std::pair<std::string, std::string>> rows;
};

// A suite is a list of cases that share a unit and a ceiling, for example all cases of sort.
struct suite {
  std::string_view name, unit; // unit: that of bench_case::units
  ceiling_kind ceiling;
  std::string_view ceiling_is; // what the ceiling percentage of a row refers to, in words
  std::vector<bench_case> cases;
  std::string_view about = {};
  std::vector<figure> figures = {};
};

// The limits that the user has set for a run of benchmarks.
struct limits {
  double budget = 60; // seconds
  int runs = 0;       // of each method; 0: as many as the budget allows, at most 25
  bool cpu = true, gpu = true;
  int threads = 0;
};

// The measured ceilings, in bytes or bits per second.
struct ceilings {
  double cpu = 0, gpu = 0; // 0: not measured
};

// A row is the result of one method in one case.
struct row {
  std::string name, device; // device: "cpu x2", "gpu"
  bool yardstick = false, step = false, has_digest = true;
  std::vector<double> seconds = {}; // one value for each counted run
  std::uint64_t digest = 0;
  bool wrong = false;
  std::string not_run = {}; // why the method was not run; then `seconds` is empty
  double extrapolated = 0;  // predicted seconds of a run for which the budget was too small; 0: unknown

  // Returns the median of the runs, or else the extrapolated time, or else 0.
  [[nodiscard]] double time() const;
};

// The rows of a case that was run.
struct case_rows {
  const bench_case* definition;
  std::vector<row> rows;
};

// A suite, its measured ceilings, and the cases that were run so far.
struct suite_rows {
  const suite* definition;
  ceilings rates = {};
  std::vector<case_rows> cases = {};
};

[[nodiscard]] double median(std::vector<double> values);
// Returns true if any row has a wrong answer.
[[nodiscard]] bool is_wrong(const std::vector<case_rows>& cases);
// Returns the fastest yardstick with a right answer: the fastest of those that were run, or if none was run,
// the one with the smallest extrapolated time. Returns null if there is neither.
[[nodiscard]] const row* quickest_yardstick(const case_rows& rows);

// Returns the time in seconds since an unspecified point, by a clock that never goes back.
[[nodiscard]] double steady_seconds();

// Measures cases one after the other within a time budget. The cases share what is left of the budget in
// equal parts; a case that needs less than its part leaves the rest to the others. The time to make inputs
// and to check answers counts, too.
class runner {
public:
  explicit runner(const limits& asked, std::function<double()> clock = steady_seconds)
      : limits_(asked), clock_(std::move(clock)), begin_(clock_()) {}
  // Measures the case `cases[index]`. The methods take turns, so that a change of the machine's speed affects
  // all of them. Each method is first run once uncounted and once counted, if there is enough time, and then
  // more often, until the case has used its equal part of the time. `cases_left` is the number of cases,
  // including this one, that share the rest of the budget; see has_runnable_method().
  [[nodiscard]] case_rows run(std::span<const bench_case> cases, std::size_t index, std::size_t cases_left);
  [[nodiscard]] double seconds_left() const;
  // Returns true if any method of the case can run on this machine, on the devices that the user asked for.
  [[nodiscard]] static bool has_runnable_method(const bench_case& benchmark, const limits& asked);
  // Returns the ceilings of this kind, which are measured at the first call.
  [[nodiscard]] const ceilings& ceilings_of(ceiling_kind kind);

private:
  // The shortest times of a method in the largest case of a kind that was run on a device so far. `run` is
  // the run alone, `turn` includes the preparation before it and the check after it.
  struct known_time {
    double units = 0, run = 0, turn = 0;
  };
  [[nodiscard]] known_time expected(const bench_case& benchmark, const row& at) const;
  [[nodiscard]] double seconds_for_first_runs(std::span<const bench_case> cases, std::size_t index,
                                              std::size_t cases_left) const;
  void exclude_methods(const bench_case& benchmark, const std::vector<method>& methods, double seconds,
                       case_rows& into) const;
  known_time take_turn(const bench_case& benchmark, method& each, row& at, bool counted);
  [[nodiscard]] std::vector<double> run_first(const bench_case& benchmark, std::vector<method>& methods,
                                              case_rows& into);
  void run_remaining(const bench_case& benchmark, std::vector<method>& methods,
                     const std::vector<double>& turns, double seconds, case_rows& into);
  void check_answers(case_rows& rows) const;

  limits limits_;
  std::function<double()> clock_; // seconds
  double begin_;
  std::map<std::string, known_time> times_; // by kind, method and device
  // The seconds of the budget that the first runs of all methods take, and the minimum for the first runs of
  // a single method.
  struct time_needed {
    double all = std::numeric_limits<double>::infinity(), minimum = 0;
  };
  [[nodiscard]] time_needed time_needed_by(const bench_case& benchmark, const bench_case* before) const;
  std::map<std::string, time_needed> needs_; // seconds per unit of work in the last case of a kind
  std::map<ceiling_kind, ceilings> ceilings_;
};

[[nodiscard]] double cpu_ceiling(ceiling_kind kind, int threads);
[[nodiscard]] ceilings measure_ceilings(ceiling_kind kind, const limits& asked);

// A table of a paper that weft does not reproduce, and what to use in place of it.
struct other_table {
  std::string_view name, where;
};

// The report is either a table that grows with the cases, or a JSON document in the layout of Google
// Benchmark.
[[nodiscard]] std::string table_head(const suite_rows& measured, const limits& asked);
[[nodiscard]] std::string table_part(const suite_rows& measured, const case_rows& rows);
// Returns the table of a figure. All cases of its suite must have been run.
[[nodiscard]] std::string figure_table(const suite_rows& measured, const figure& shown);
[[nodiscard]] std::string json_document(std::string_view name, const std::vector<suite_rows>& suites,
                                        std::span<const other_table> elsewhere, const limits& asked);

// Values of suite::ceiling_is.
inline constexpr std::string_view
    a_copy_of_items = "reading and writing every item once, at the rate of a copy",
    a_copy_of_text = "reading the text and writing the result once, at the rate of a copy",
    one_operation_a_cell = "one bit operation a cell of the table, at the rate of vectors in registers",
    one_operation_a_motif =
        "one bit operation for each residue and motif, at the rate of vectors in registers";

// The suites of benchmarks. `files` is empty, or names files that replace generated inputs: of scan motifs
// and sequences, of lcs two texts, of bwt a text.
[[nodiscard]] suite sort_suite(const limits& asked);
[[nodiscard]] suite bwt_suite(const limits& asked, const std::vector<std::string>& files);
[[nodiscard]] suite lcs_suite(const limits& asked, const std::vector<std::string>& files);
[[nodiscard]] std::vector<bench_case> all_pairs_cases(const limits& asked); // of lcs
// Return cases of bwt: suffix and LCP arrays, batches of texts, the FM-index, and searches with differences.
[[nodiscard]] std::vector<bench_case> array_cases(const limits& asked);
[[nodiscard]] std::vector<bench_case> batch_cases(const limits& asked);
[[nodiscard]] std::vector<bench_case> search_cases(const limits& asked);
[[nodiscard]] std::vector<bench_case> near_cases(const limits& asked);
[[nodiscard]] suite scan_suite(const limits& asked, const std::vector<std::string>& files);

// Cases of any size, for the tables of the papers. The digest of sorted uniform items is fixed for the sizes
// that the tables have; otherwise all answers must equal the first one. `wide`: items have 64 bits instead of
// 32.
[[nodiscard]] bench_case sort_case(const char* kind, const char* distribution, bool wide, int log2_count,
                                   const limits& asked);
// Returns the same case with other methods, which sort its items.
using sort_methods = std::function<std::vector<method>(std::function<std::span<const std::byte>()> items)>;
[[nodiscard]] bench_case sort_case_by(const std::string& name, bool wide, int log2_count,
                                      const sort_methods& methods);
// The methods include the two kernels of the paper's GPU engine.
[[nodiscard]] bench_case bwt_case(const std::string& name, const char* text, std::uint64_t size,
                                  std::uint64_t expected, const limits& asked);
[[nodiscard]] bench_case lcs_path_case(const std::string& name, std::size_t m, std::size_t n,
                                       const limits& asked);
[[nodiscard]] bench_case scan_case(const std::string& name, match_rule rule, int motifs,
                                   std::uint64_t residues, const limits& asked);
// The methods are the paper's GPU engines with blocks of q threads.
[[nodiscard]] bench_case scan_threads_case(const std::string& name, int motifs, std::uint64_t residues,
                                           std::uint64_t expected);

// Returns the tables and figures of the four papers on which the first version of weft was based.
// tables_elsewhere() returns those that weft does not reproduce.
[[nodiscard]] std::vector<suite> paper_suites(const limits& asked);
[[nodiscard]] std::span<const other_table> tables_elsewhere();

// Calls body(engine, unavailable_reason) for each engine that supports this kind of device.
// `unavailable_reason` says why the engine cannot run on this machine, and is empty if it can. check(engine,
// device) must throw the same errors as a call of the capability with this engine and device.
void for_each_engine(
    const std::vector<engine_info>& engines, device_kind device,
    const std::function<void(const std::string& engine, device_choice on)>& check,
    const std::function<void(const std::string& engine, const std::string& unavailable_reason)>& body);

} // namespace weft::bench
