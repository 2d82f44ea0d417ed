#include <weft/bwt/engines.hpp>

#include <algorithm>
#include <vector>
#include <weft/base/parallel.hpp>
#include <weft/bwt/entry/argument_checks.hpp>
#include <weft/bwt/entry/solve.hpp>

namespace weft {

namespace bwt_detail {

namespace {

// An engine that solves every problem of its list.
template <class Problem> class listed_engine final : public base_detail::engine<Problem> {
public:
  listed_engine(std::string_view name, std::string_view needs, device_kind device,
                double (*seconds)(const Problem&), void (*solve)(Problem&))
      : base_detail::engine<Problem>(name, needs, device), seconds_(seconds), solve_(solve) {}
  [[nodiscard]] std::string why_not(const Problem&) const override { return {}; }
  [[nodiscard]] double estimated_seconds(const Problem& problem) const override { return seconds_(problem); }
  void run(Problem& problem) const override { solve_(problem); }

private:
  double (*seconds_)(const Problem&);
  void (*solve_)(Problem&);
};

// The estimates. Initializing a GPU takes 0.25 s (H200), which dominates the time of a call. The CPU needs
// 0.25 s for this number of symbols:
//   suffix-sort     2^23 symbols, on one thread
//   libdivsufsort   2^21 symbols
//   chains          2^25 symbols
//   permuted-lcp    2^26 symbols: 16 threads take 43 ns a symbol and thread
// If estimates are equal, the list chooses its first engine, which is one of the CPU. The estimates of a CPU
// therefore count one symbol more, so that a GPU is chosen from the stated numbers on.
constexpr double gpu_start_seconds = 0.25;
constexpr double cpu_seconds(std::uint64_t symbols, int log_2_symbols_in_gpu_start) {
  return gpu_start_seconds * static_cast<double>(symbols + 1) /
         static_cast<double>(std::uint64_t{1} << log_2_symbols_in_gpu_start);
}
constexpr int suffix_sort_start = 23, divsufsort_start = 21, chains_start = 25, lcp_start = 26;

// Auto never takes an engine that a paper describes, not even if a GPU has too little memory for the others.
// Therefore the estimate of such an engine is this many times the estimate of suffix-sort.
constexpr double last_resort_factor = static_cast<double>(std::uint64_t{1} << 40);

template <class Problem> [[maybe_unused]] double gpu_seconds(const Problem&) { return gpu_start_seconds; }

// If suffix-sort lacks memory, libdivsufsort, which takes none beside the suffix array, is preferred.
double text_seconds(const text_problem& problem) {
  const bool fits = fits_memory(memory_to_sort(problem, text_sorter::suffix_sort), problem.run.memory);
  return cpu_seconds(problem.symbols, fits ? suffix_sort_start : divsufsort_start - 1);
}
double divsufsort_seconds(const text_problem& problem) {
  return cpu_seconds(problem.symbols, divsufsort_start);
}
// Ternary quicksort sorts the texts of a batch one after another.
double quicksort_seconds(const text_problem& problem) {
  return last_resort_factor * cpu_seconds(problem.largest_text, suffix_sort_start);
}

double symbol_seconds(const symbol_problem& problem) { return cpu_seconds(problem.bytes, suffix_sort_start); }
double lcp_seconds(const lcp_problem& problem) { return cpu_seconds(problem.symbols, lcp_start); }
double inverse_seconds(const inverse_problem& problem) {
  return cpu_seconds(problem.bytes.size(), chains_start);
}
double inverse_collection_seconds(const inverse_collection_problem& problem) {
  return cpu_seconds(problem.transformed.bytes.size(), chains_start);
}
double build_seconds(const fm_build_problem& problem) {
  return cpu_seconds(problem.symbols, suffix_sort_start);
}

// One thread of a CPU searches for two million patterns in a second.
double patterns_per_second(const fm_search_problem& problem) {
  return 2e6 * thread_count(problem.options.run.threads);
}
double search_seconds(const fm_search_problem& problem) {
  return static_cast<double>(problem.patterns.count() + 1) / patterns_per_second(problem);
}

// One thread of a CPU searches for 200,000 patterns of 150 letters in a second with differences
// (bench/record/notes-bwt.md).
double near_patterns_per_second(const near_problem& problem) {
  return 2e5 * thread_count(problem.options.run.threads);
}
double near_seconds(const near_problem& problem) {
  return static_cast<double>(problem.patterns.count() + 1) / near_patterns_per_second(problem);
}

// One thread of a CPU finds the matches of 50 million letters in a second. The letters of later calls count
// as well, because a copy of the index on a GPU stays for them.
double letters_to_match(const fm_match_problem& problem) {
  return static_cast<double>(std::max(problem.letters(), problem.options.expected_letters) + 1);
}
double match_seconds(const fm_match_problem& problem) {
  return letters_to_match(problem) / (5e7 * thread_count(problem.options.run.threads));
}

// Returns the engines of GPUs for a kind of problem.
template <class Problem> std::vector<const base_detail::engine<Problem>*> engines_of_gpus() { return {}; }

#if defined(WEFT_WITH_CUDA)
template <class Problem> using gpu_engine = listed_engine<Problem>;
constexpr std::string_view needs_gpu = "a CUDA GPU";

template <> std::vector<const base_detail::engine<text_problem>*> engines_of_gpus() {
  static const gpu_engine<text_problem> suffix_sort(
      "suffix-sort", needs_gpu, device_kind::gpu, gpu_seconds,
      [](text_problem& problem) { sort_texts_on_gpu(problem, "suffix-sort"); });
  static const gpu_engine<text_problem> quicksort(
      "ternary-quicksort", needs_gpu, device_kind::gpu,
      [](const text_problem&) { return last_resort_factor * gpu_start_seconds; },
      [](text_problem& problem) { sort_texts_on_gpu(problem, "ternary-quicksort"); });
  return {&suffix_sort, &quicksort};
}
template <> std::vector<const base_detail::engine<symbol_problem>*> engines_of_gpus() {
  static const gpu_engine<symbol_problem> suffix_sort("suffix-sort", needs_gpu, device_kind::gpu, gpu_seconds,
                                                      sort_symbols_on_gpu);
  return {&suffix_sort};
}
template <> std::vector<const base_detail::engine<lcp_problem>*> engines_of_gpus() {
  static const gpu_engine<lcp_problem> permuted_lcp("permuted-lcp", needs_gpu, device_kind::gpu, gpu_seconds,
                                                    compute_lcps_on_gpu);
  return {&permuted_lcp};
}
template <> std::vector<const base_detail::engine<inverse_problem>*> engines_of_gpus() {
  static const gpu_engine<inverse_problem> chains("chains", needs_gpu, device_kind::gpu, gpu_seconds,
                                                  invert_on_gpu);
  return {&chains};
}
template <> std::vector<const base_detail::engine<fm_build_problem>*> engines_of_gpus() {
  static const gpu_engine<fm_build_problem> suffix_sort("suffix-sort", needs_gpu, device_kind::gpu,
                                                        gpu_seconds, write_rows_on_gpu);
  return {&suffix_sort};
}

// Returns the seconds in which the CPU searches for the smallest number of patterns that a GPU is worth
// starting for: min_patterns_if_copied if the GPU has the index already. Otherwise the index is copied at 8
// GB/s, and the GPU must save half a second in addition to the time of the copy.
template <class Problem>
double seconds_worth_a_gpu(const Problem& problem, double patterns_per_second,
                           std::uint64_t min_patterns_if_copied) {
  const double copying = 0.5 + static_cast<double>(problem.index.bytes().size()) / 8e9;
  const auto min_patterns = static_cast<std::uint64_t>(copying * patterns_per_second);
  return static_cast<double>(has_copy_on_gpu(problem.device_cache)
                                 ? std::min(min_patterns_if_copied, min_patterns)
                                 : min_patterns) /
         patterns_per_second;
}
double search_seconds_of_gpu(const fm_search_problem& problem) {
  return seconds_worth_a_gpu(problem, patterns_per_second(problem), 1 << 14);
}
// A GPU takes some milliseconds for any batch of patterns with differences, and 7 to 19 times less than 16
// threads for a large one (bench/record/gpu-h200-bwt.md).
double near_seconds_of_gpu(const near_problem& problem) {
  return seconds_worth_a_gpu(problem, near_patterns_per_second(problem), 1 << 12);
}
template <> std::vector<const base_detail::engine<fm_search_problem>*> engines_of_gpus() {
  static const gpu_engine<fm_search_problem> batch("batch", needs_gpu, device_kind::gpu,
                                                   search_seconds_of_gpu, search_on_gpu);
  return {&batch};
}
template <> std::vector<const base_detail::engine<near_problem>*> engines_of_gpus() {
  static const gpu_engine<near_problem> near("near", needs_gpu, device_kind::gpu, near_seconds_of_gpu,
                                             search_near_on_gpu);
  return {&near};
}

// A GPU finds the matches of 1.7 to 3.7 billion letters in a second, with the copies of queries and matches.
// A call takes a millisecond, and copying the index what search_seconds_of_gpu() says.
class gpu_match_engine final : public base_detail::engine<fm_match_problem> {
public:
  gpu_match_engine() : base_detail::engine<fm_match_problem>("seeds", needs_gpu, device_kind::gpu) {}
  [[nodiscard]] std::string why_not(const fm_match_problem& problem) const override {
    if (problem.options.kind == match_kind::mem) return {};
    return "a GPU finds all maximal matches (kind mem), no unique or super-maximal ones";
  }
  [[nodiscard]] double estimated_seconds(const fm_match_problem& problem) const override {
    const double copying = has_copy_on_gpu(problem.device_cache)
                               ? 0
                               : 0.5 + static_cast<double>(problem.index.bytes().size()) / 8e9;
    return copying + 1e-3 + letters_to_match(problem) / 2.5e9;
  }
  void run(fm_match_problem& problem) const override { find_matches_on_gpu(problem); }
};
template <> std::vector<const base_detail::engine<fm_match_problem>*> engines_of_gpus() {
  static const gpu_match_engine seeds;
  return {&seeds};
}
#endif

// Returns the engines of the CPU for a kind of problem and then those of GPUs.
template <class Problem>
std::vector<const base_detail::engine<Problem>*>
all_engines(std::vector<const base_detail::engine<Problem>*> all) {
  const std::vector<const base_detail::engine<Problem>*> of_gpus = engines_of_gpus<Problem>();
  all.insert(all.end(), of_gpus.begin(), of_gpus.end());
  return all;
}

constexpr std::string_view any_cpu = "any processor";

} // namespace

const base_detail::engine_list<text_problem>& text_engine_list() {
  static const listed_engine<text_problem> suffix_sort(
      "suffix-sort", any_cpu, device_kind::cpu, text_seconds,
      [](text_problem& problem) { sort_texts(problem, text_sorter::suffix_sort); });
  static const listed_engine<text_problem> libdivsufsort(
      "libdivsufsort", any_cpu, device_kind::cpu, divsufsort_seconds,
      [](text_problem& problem) { sort_texts(problem, text_sorter::libdivsufsort); });
  static const listed_engine<text_problem> quicksort(
      "ternary-quicksort", any_cpu, device_kind::cpu, quicksort_seconds,
      [](text_problem& problem) { sort_texts(problem, text_sorter::ternary_quicksort); });
  static const base_detail::engine_list<text_problem> list(
      "bwt", all_engines<text_problem>({&suffix_sort, &libdivsufsort, &quicksort}));
  return list;
}

const base_detail::engine_list<symbol_problem>& symbol_engine_list() {
  static const listed_engine<symbol_problem> suffix_sort("suffix-sort", any_cpu, device_kind::cpu,
                                                         symbol_seconds, sort_symbols);
  static const base_detail::engine_list<symbol_problem> list("suffix_array",
                                                             all_engines<symbol_problem>({&suffix_sort}));
  return list;
}

const base_detail::engine_list<lcp_problem>& lcp_engine_list() {
  static const listed_engine<lcp_problem> permuted_lcp("permuted-lcp", any_cpu, device_kind::cpu, lcp_seconds,
                                                       compute_lcps);
  static const base_detail::engine_list<lcp_problem> list("lcp_array",
                                                          all_engines<lcp_problem>({&permuted_lcp}));
  return list;
}

const base_detail::engine_list<inverse_problem>& inverse_engine_list() {
  static const listed_engine<inverse_problem> chains("chains", any_cpu, device_kind::cpu, inverse_seconds,
                                                     invert);
  static const base_detail::engine_list<inverse_problem> list("inverse_bwt",
                                                              all_engines<inverse_problem>({&chains}));
  return list;
}

const base_detail::engine_list<inverse_collection_problem>& inverse_collection_engine_list() {
  static const listed_engine<inverse_collection_problem> chains(
      "chains", any_cpu, device_kind::cpu, inverse_collection_seconds, invert_collection);
  static const base_detail::engine_list<inverse_collection_problem> list(
      "inverse_collection_bwt", all_engines<inverse_collection_problem>({&chains}));
  return list;
}

const base_detail::engine_list<fm_build_problem>& fm_build_engine_list() {
  static const listed_engine<fm_build_problem> suffix_sort("suffix-sort", any_cpu, device_kind::cpu,
                                                           build_seconds, write_rows);
  static const base_detail::engine_list<fm_build_problem> list("fm_index::build",
                                                               all_engines<fm_build_problem>({&suffix_sort}));
  return list;
}

const base_detail::engine_list<fm_search_problem>& fm_search_engine_list() {
  static const listed_engine<fm_search_problem> batch("batch", any_cpu, device_kind::cpu, search_seconds,
                                                      search_on_cpu);
  static const base_detail::engine_list<fm_search_problem> list("fm_index",
                                                                all_engines<fm_search_problem>({&batch}));
  return list;
}

const base_detail::engine_list<near_problem>& near_engine_list() {
  static const listed_engine<near_problem> near("near", any_cpu, device_kind::cpu, near_seconds,
                                                search_near_on_cpu);
  static const base_detail::engine_list<near_problem> list("fm_index::locate_near",
                                                           all_engines<near_problem>({&near}));
  return list;
}

const base_detail::engine_list<fm_match_problem>& fm_match_engine_list() {
  static const listed_engine<fm_match_problem> seeds("seeds", any_cpu, device_kind::cpu, match_seconds,
                                                     find_matches);
  static const base_detail::engine_list<fm_match_problem> list("fm_index::matches",
                                                               all_engines<fm_match_problem>({&seeds}));
  return list;
}

bool is_ternary_quicksort(const std::string& engine) {
  const base_detail::engine_list<text_problem>& list = text_engine_list();
  list.check({.engine = engine});
  const bool on_gpu = std::ranges::any_of(
      list.all(), [&](const auto* each) { return each->on_gpu() && each->name() == engine; });
  if (engine != "auto" && !on_gpu)
    base_detail::refuse_engine_device("bwt", engine, device_kind::gpu,
                                      {list.all().begin(), list.all().end()});
  return engine == "ternary-quicksort";
}

} // namespace bwt_detail

std::vector<engine_info> bwt_engines() { return bwt_detail::text_engine_list().list(); }
std::vector<engine_info> inverse_bwt_engines() { return bwt_detail::inverse_engine_list().list(); }
std::vector<engine_info> fm_build_engines() { return bwt_detail::fm_build_engine_list().list(); }
std::vector<engine_info> fm_search_engines() { return bwt_detail::fm_search_engine_list().list(); }
std::vector<engine_info> fm_match_engines() { return bwt_detail::fm_match_engine_list().list(); }

} // namespace weft
