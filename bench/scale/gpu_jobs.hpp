// Jobs other than sorts on several GPUs, for `weft-bench scale --gpus`. Each GPU has a rank, which is a
// thread; inputs and answers are in host memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <weft/base/device.hpp>

namespace weft::bench {

// The names of the jobs, in their order.
inline constexpr std::array<std::string_view, 5> gpu_job_names = {"lcs", "all-pairs", "find", "scan",
                                                                  "transform"};

// The sizes of the inputs, which are random.
struct gpu_job_sizes {
  std::uint64_t table_side = std::uint64_t{1} << 24;                // lcs: bases of each of two texts
  std::uint64_t num_sequences = 10'000, sequence_bases = 1000;      // all-pairs
  std::uint64_t index_bases = 64'000'000, num_patterns = 4'000'000; // find
  std::uint64_t pattern_bases = 100;                                // find: bases of each pattern
  std::uint64_t residues = 180'000'000, num_motifs = 100;           // scan
  std::uint64_t text_bases = 250'000'000;                           // transform
  // If a small part of a job shows that a run would take more seconds, the job is not run as a whole.
  double max_seconds = 20;
};

// A job on one number of devices.
struct gpu_job_run {
  std::size_t num_devices = 0;
  double predicted = 0, seconds = 0; // seconds: the shortest of three runs after one that warms up
  bool is_extrapolated = false;      // whether `seconds` follows from a small part of the job
  bool is_right = true;              // whether all answers were right
};
// A job on 1, 2, 4, ... devices.
struct measured_gpu_job {
  std::string name, about;
  std::vector<gpu_job_run> runs;
  std::string failure; // why the job could not run on more devices; empty if it could
};

// Runs the jobs whose names `only` selects (is_requested() of bench/program.hpp; empty: all jobs) on the
// first 1, 2, 4, ... of the devices, of which there must be one or more, and checks all answers. On the first
// device alone, a job is predicted to take the time that it took there. On g devices, jobs that are dealt out
// (all-pairs, find, scan) are predicted to take the time of the first device for 1 / g of the work; lcs,
// which two devices do together, that for half of the columns, and the exchange of the texts and of a border;
// and transform, which the first device does alone, that for the whole text.
[[nodiscard]] std::vector<measured_gpu_job> run_gpu_jobs(std::span<const device_choice> devices,
                                                         const std::string& only = "",
                                                         const gpu_job_sizes& sizes = {});

} // namespace weft::bench
