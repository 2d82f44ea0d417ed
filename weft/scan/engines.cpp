#include <weft/scan/engines.hpp>

#include <algorithm>
#include <weft/base/parallel.hpp>
#include <weft/scan/cpu/bit_stream.hpp>
#include <weft/scan/entry/ranges.hpp>
#include <weft/scan/entry/strands.hpp>
#include <weft/scan/published/nfa_engines.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/scan/cuda/host_scan.hpp>
#include <weft/scan/cuda/searcher_cache.hpp>
#endif

namespace weft::scan_detail {

namespace {

// estimated_scan_seconds() is used only to choose between the CPU and a GPU. Its rates are of bit-stream on
// an H200 and 16 threads of its machine, within a quarter of what bench/record/gpu-h200-scan.md has
// (test/scan/estimates_test.cpp). The unit of work is one motif times one residue.
//
// Files are read by one thread, whatever the device is. On the CPU, threads scan meanwhile, which slows that
// thread by a quarter of the time of the scan.
constexpr double read_seconds = 1.1e-9, slowed_part = 0.25; // a residue of a file
constexpr double thread_rate = 8.1e10, gpu_rate = 3e13;     // work a second
constexpr double gpu_copy_seconds = 1.15e-10; // a residue in memory: to the GPU, and the matches back
constexpr double gpu_start_seconds = 0.25, gpu_start_seconds_of_command = 0.42;
// The published engines are slower by the factors that bench/record/cpu-zen5-2core.md has for the CPU (0.34e9
// and 0.039e9 a second). The factors are used on both devices, so that a named engine goes to a GPU for the
// same tasks.
constexpr double shift_and_slowness = 400, nfa_array_slowness = 3500;

// An engine of the CPU: a function that finds occurrences in a range of text.
class cpu_scan_engine final : public scan_engine {
public:
  cpu_scan_engine(std::string_view name, std::string_view needs, engine_function find, double slowness)
      : scan_engine(name, needs, device_kind::cpu), find_(find), slowness_(slowness) {}

  [[nodiscard]] std::string why_not(const scan_problem&) const override { return ""; }
  [[nodiscard]] double estimated_seconds(const scan_problem& problem) const override {
    return estimated_scan_seconds(problem, false, slowness_);
  }
  void run(scan_problem& problem) const override {
    const motif_set::compiled& motifs = problem.motifs;
    const scan_options& options = problem.options;
    if (problem.limits != nullptr) return visit_parts(problem, find_);
    const auto scan_strand = [&](const sequences_view& strand) {
      return join_ranges(options, scan_ranges(motifs, strand, options, find_, 0, strand.data.size()));
    };
    problem.matches = scan_strands(problem.sequences, options.strands, scan_strand,
                                   options.circular ? longest_match(motifs.motifs) : 0);
  }

private:
  engine_function find_;
  double slowness_;
};

} // namespace

double estimated_scan_seconds(const scan_problem& problem, bool on_gpu, double slowness) {
  const double strands = problem.options.strands == strand_choice::both ? 2 : 1;
  const auto residues = static_cast<double>(problem.task_residues);
  const double work = strands * residues * static_cast<double>(problem.motifs.motifs.size());
  const bool from_files = problem.limits != nullptr; // as a rule: a task of many batches
  const double reading = from_files ? residues * read_seconds : 0;
  if (on_gpu) {
    const double copying = strands * residues * gpu_copy_seconds; // beside reading, it takes no time
    const double others = from_files ? gpu_start_seconds_of_command + reading : gpu_start_seconds + copying;
    return slowness * (others + work / gpu_rate);
  }
  const int threads = thread_count(problem.options.run.threads);
  const double scanning = work / (thread_rate * threads);
  return slowness *
         (threads == 1 ? reading + scanning : std::max(reading + slowed_part * scanning, scanning));
}

const base_detail::engine_list<scan_problem>& scan_engine_list() {
  static const cpu_scan_engine on_cpu[] = {
      {"bit-stream", "any processor; vectors of 128 to 512 bits where it has them", bit_stream, 1},
      {"shift-and", "any processor", shift_and, shift_and_slowness},
      {"nfa-array", "any processor", nfa_array, nfa_array_slowness}};
#if defined(WEFT_WITH_CUDA)
  static const gpu_scan_engine on_gpu[] = {{"bit-stream", "a CUDA GPU", make_bit_stream, 1},
                                           {"shift-and", "a CUDA GPU", make_shift_and, shift_and_slowness},
                                           {"nfa-array", "a CUDA GPU", make_nfa_array, nfa_array_slowness}};
  static const base_detail::engine_list<scan_problem> list(
      "scan", {&on_cpu[0], &on_cpu[1], &on_cpu[2], &on_gpu[0], &on_gpu[1], &on_gpu[2]});
#else
  static const base_detail::engine_list<scan_problem> list("scan", {&on_cpu[0], &on_cpu[1], &on_cpu[2]});
#endif
  return list;
}

std::shared_ptr<searcher_cache> make_searcher_cache() {
#if defined(WEFT_WITH_CUDA)
  return std::make_shared<searcher_cache>();
#else
  return nullptr;
#endif
}

void prepare_gpu_scan([[maybe_unused]] const motif_set& motifs,
                      [[maybe_unused]] const scan_options& options) {
#if defined(WEFT_WITH_CUDA)
  constexpr std::size_t max_motifs = 4096;
  const bool is_bit_stream = options.run.engine == "auto" || options.run.engine == "bit-stream";
  if (is_bit_stream && !motifs.motifs().empty() && motifs.motifs().size() <= max_motifs)
    prepare_bit_stream(motifs.data(), edge_of(options.rule));
#endif
}

} // namespace weft::scan_detail
