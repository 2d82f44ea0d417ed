// The verb `weft-bench scale`.
#include <algorithm>
#include <array>
#include <bench/bench.hpp>
#include <bench/program.hpp>
#include <bench/scale/gpu_jobs.hpp>
#include <bench/scale/gpus.hpp>
#include <bench/scale/measure.hpp>
#include <bench/scale/scale.hpp>
#include <cli/program.hpp>
#include <cmath>
#include <fmt/format.h>
#include <vector>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#include <weft/io/output_file.hpp>

namespace weft::bench {

namespace {

constexpr std::array predicted_ranks = {1, 8, 16, 32, 64, 128, 256, 512, 1024};

// A job whose time is predicted, and what it does in words.
struct job_kind {
  const char *name, *about;
  prediction (*predict)(int ranks, const rank_rates& rates, const network& net);
};
constexpr std::array job_kinds = {job_kind{"sort", "2^36 numbers of 64 bits",
                                           [](int ranks, const rank_rates& rates, const network& net) {
                                             return predict_sort(0x1p36, ranks, rates, net);
                                           }},
                                  job_kind{"scan", "2^34 residues, 100 motifs",
                                           [](int ranks, const rank_rates& rates, const network& net) {
                                             return predict_scan(0x1p34, ranks, rates, net);
                                           }},
                                  job_kind{"lcs", "two texts of 2^25 bases",
                                           [](int ranks, const rank_rates& rates, const network& net) {
                                             return predict_lcs(0x1p25, 0x1p25, ranks, rates, net);
                                           }},
                                  job_kind{"suffixes", "the suffix array of 2^33 bases",
                                           [](int ranks, const rank_rates& rates, const network& net) {
                                             return predict_suffixes(0x1p33, ranks, rates, net);
                                           }},
                                  job_kind{"transform", "the transform of 2^33 bases",
                                           [](int ranks, const rank_rates& rates, const network& net) {
                                             return predict_transform(0x1p33, ranks, rates, net);
                                           }}};

double positive(const cli::arguments& given, const char* flag, double unit) {
  const double value = std::strtod(given.value(flag).c_str(), nullptr);
  if (!std::isfinite(value) || value <= 0)
    throw error(errc::invalid_input,
                fmt::format("--{} must be a number above 0, not '{}'", flag, given.value(flag)));
  return value * unit;
}

std::string rates_text(const rank_rates& rates) {
  const auto row = [](const char* what, double seconds) {
    return fmt::format("  {:<44}{:10.3f} ns\n", what, seconds * 1e9);
  };
  return row("sort: a number of 2^20", rates.sort_item + 20 * rates.sort_level) +
         row("sort: a number in a round of merges", rates.merge_item) +
         row("sort: a pivot", rates.search_pivot) + row("scan: a residue", rates.scan_residue) +
         row("lcs: a cell", rates.cell) + row("suffixes: a symbol of the text", rates.count_symbol) +
         row("suffixes: to sort one", rates.sort_suffix) + row("suffixes: to write one", rates.take_suffix) +
         row("transform: the symbol before a suffix", rates.read_preceding) +
         row("transform: a byte of a checksum", rates.check_byte);
}

std::string prediction_table(const rank_rates& rates, const network& net) {
  std::string text;
  for (const job_kind& kind : job_kinds) {
    const double alone = kind.predict(1, rates, net).total;
    text += fmt::format("\n{}: {}\n  {:>6} {:>12} {:>12} {:>12} {:>9} {:>11}\n", kind.name, kind.about,
                        "ranks", "computing s", "exchange s", "total s", "speedup", "efficiency");
    for (const int ranks : predicted_ranks) {
      const prediction each = kind.predict(ranks, rates, net);
      const double speedup = alone / each.total;
      text += fmt::format("  {:>6} {:>12.3f} {:>12.3f} {:>12.3f} {:>9.1f} {:>9.0f} %\n", ranks,
                          each.computing, each.exchanging, each.total, speedup, 100 * speedup / ranks);
    }
  }
  return text;
}

// Measures the jobs on ranks that are threads. Sets is_right to false if an answer is wrong.
std::string measured_table(const rank_rates& rates, int max_ranks, bool& is_right) {
  const network net = measure_threads();
  std::string text = fmt::format("\nmeasured on ranks that are threads of this process ({:.1f} GB/s, {:.1f} "
                                 "us)\n  {:<10} {:>6} {:>12} {:>12} {:>8}\n",
                                 net.bandwidth / 1e9, net.latency * 1e6, "job", "ranks", "predicted s",
                                 "measured s", "ratio");
  for (int ranks = 1; ranks <= max_ranks; ranks *= 2)
    for (const auto run : {run_sort, run_lcs, run_suffixes, run_transform}) {
      const measured_job each = run(ranks, rates, net);
      is_right = is_right && each.is_right;
      text += fmt::format("  {:<10} {:>6} {:>12.3f} {:>12.3f} {:>8.2f}{}\n", each.name, ranks, each.predicted,
                          each.seconds, each.seconds / each.predicted, each.is_right ? "" : "  WRONG");
    }
  return text;
}

// Measures sorts on the GPUs of this machine, if it has several.
std::string gpu_table(bool& is_right) {
  const gpu_jobs done = run_gpu_sorts();
  if (done.sorts.empty()) return fmt::format("\nno sorts on several GPUs: {}\n", done.about);
  std::string text = fmt::format(
      "\n2^28 numbers of 64 bits on GPUs, connected by NCCL ({})\n  {:>6} {:>12} {:>12} {:>8} {:>9}\n",
      done.about, "GPUs", "predicted s", "measured s", "ratio", "speedup");
  for (std::size_t i = 0; i < done.sorts.size(); ++i) {
    const measured_job& each = done.sorts[i];
    is_right = is_right && each.is_right;
    text += fmt::format("  {:>6} {:>12.5f} {:>12.5f} {:>8.2f} {:>9.2f}{}\n", 1 << i, each.predicted,
                        each.seconds, each.seconds / each.predicted, done.sorts[0].seconds / each.seconds,
                        each.is_right ? "" : "  WRONG");
  }
  return text;
}

// Measures sorts whose size grows with the number of GPUs, step by step.
std::string gpu_steps_table(bool& is_right) {
  const std::vector<gpu_steps> sorts = run_large_gpu_sorts();
  std::string text = fmt::format("\n2^28 numbers of 64 bits for each GPU, medians of 5 runs, ms\n"
                                 "  {:>6} {:<22} {:>10} {:>10} {:>10} {:>10} {:>11}\n",
                                 "GPUs", "sorted", "local sort", "cuts", "exchange", "total", "efficiency");
  for (const gpu_steps& each : sorts) {
    is_right = is_right && each.is_right;
    text +=
        fmt::format("  {:>6} {:<22} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>9.0f} %{}\n", each.num_gpus,
                    each.how, each.local_sort * 1e3, each.cut_search * 1e3, each.exchange * 1e3,
                    each.total * 1e3, 100 * sorts[0].total / each.total, each.is_right ? "" : "  WRONG");
  }
  return text;
}

// Returns the rows of a job on several GPUs. Sets is_right to false if an answer is wrong.
std::string gpu_job_rows(const measured_gpu_job& job, bool& is_right) {
  std::string text;
  for (const gpu_job_run& each : job.runs) {
    is_right = is_right && each.is_right;
    const std::string seconds = fmt::format("{}{:.5f}", each.is_extrapolated ? "~" : "", each.seconds);
    text += fmt::format("  {:<10} {:>6} {:>12.5f} {:>12} {:>8.2f} {:>9.2f}{}\n", job.name, each.num_devices,
                        each.predicted, seconds, each.seconds / each.predicted,
                        job.runs[0].seconds / each.seconds, each.is_right ? "" : "  WRONG");
  }
  if (!job.failure.empty()) text += fmt::format("  {:<10} not measured: {}\n", job.name, job.failure);
  return text;
}

// Measures the other jobs that --only selects on the GPUs of this machine.
std::string gpu_jobs_table(const std::string& only, bool& is_right) {
  std::vector<device_choice> gpus;
  for (const gpu_info& each : known_gpus().devices) gpus.push_back({device_kind::gpu, each.index});
  std::string rows, about;
  for (const measured_gpu_job& each : run_gpu_jobs(gpus, only)) {
    rows += gpu_job_rows(each, is_right);
    if (!each.about.empty()) about += fmt::format("  {}: {}\n", each.name, each.about);
  }
  if (rows.empty()) return "";
  return fmt::format(
      "\njobs on GPUs, whose inputs and answers are in host memory; the shortest of three runs\n"
      "  {:<10} {:>6} {:>12} {:>12} {:>8} {:>9}\n{}{}",
      "job", "GPUs", "predicted s", "measured s", "ratio", "speedup", rows, about);
}

// Measures the GPUs alone: sorts, unless there is no NCCL, and the other jobs. Throws unavailable_error if
// there are not two GPUs.
int run_gpu_scale(const cli::arguments& given, io::output_file& out) {
  const std::string only = given.value("only");
  const auto is_job_requested = [&](std::string_view name) { return is_requested(std::string(name), only); };
  if (!is_job_requested("sort") && std::ranges::none_of(gpu_job_names, is_job_requested))
    throw error(errc::invalid_input, fmt::format("--only: no job '{}'; the jobs are sort, {}", only,
                                                 fmt::join(gpu_job_names, ", ")));
  const gpu_report& gpus = known_gpus();
  if (gpus.devices.size() < 2)
    throw unavailable_error("several GPUs cannot be measured: " +
                            (gpus.devices.empty() ? gpus.unavailable : "only one GPU can be used"));
  bool is_right = true;
  for (const gpu_info& each : gpus.devices) out.write(fmt::format("GPU {}: {}\n", each.index, each.name));
  if (is_job_requested("sort")) {
    out.write(gpu_table(is_right));
    if (why_no_gpu_sorts().empty()) out.write(gpu_steps_table(is_right));
  }
  out.write(gpu_jobs_table(only, is_right));
  out.commit();
  return is_right ? 0 : 1;
}

} // namespace

int run_scale(const cli::arguments& given) {
  io::output_file out(given.value("output"));
  if (given.has("gpus")) return run_gpu_scale(given, out);
  if (given.has("only")) throw error(errc::invalid_input, "--only selects jobs of --gpus, which is missing");
  const network net{.bandwidth = positive(given, "bandwidth", 1e9),
                    .latency = positive(given, "latency", 1e-6)};
  const auto max_ranks = static_cast<int>(
      given.has("ranks") ? std::min<std::int64_t>(given.number("ranks", 1), 1024) : thread_count(0));
  out.write(fmt::format("{}\none rank, one thread:\n", describe_cpu()));
  const rank_rates rates = measure_rates();
  out.write(rates_text(rates));
  out.write(fmt::format("\npredicted for {} GB/s and {} us between two ranks\n", given.value("bandwidth"),
                        given.value("latency")));
  out.write(prediction_table(rates, net));
  bool is_right = true;
  out.write(measured_table(rates, max_ranks, is_right));
  out.write(gpu_table(is_right));
  out.commit();
  return is_right ? 0 : 1;
}

} // namespace weft::bench
