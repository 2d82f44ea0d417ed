// How a call runs, and the report of how it ran. The options of every capability contain a run_options.
//
//   weft::run_info info;
//   const weft::run_options run{.threads = 2, .info = &info};
//   {
//     weft::base_detail::run_record record(run, "items");    // what each public function does
//     record.set_engine("merge");
//     record.set_work(1000);
//   }
//   info.engine;                                    // == "merge"
//   info.work;                                      // == 1000
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <weft/base/device.hpp>
#include <weft/base/monitor.hpp>

namespace weft {

// The report of a call. The peaks are of the whole process, and so include what other threads take meanwhile.
struct run_info {
  std::string engine = {};                   // name of the engine that did most of the work
  device_choice device{device_kind::cpu, 0}; // where it ran: cpu, or gpu and its index
  double seconds = 0;                        // wall-clock time of the call
  std::uint64_t work = 0;                    // amount of work, in work_unit
  std::string work_unit = {};                // such as "items", "symbols", "cells", "residues", "patterns"
  std::uint64_t peak_bytes = 0;              // largest resident size of the process so far
  std::uint64_t peak_device_bytes = 0;       // most GPU memory allocated at once during the call; 0 on a CPU

  // Returns whether a GPU did the work.
  [[nodiscard]] bool on_gpu() const noexcept { return device.kind == device_kind::gpu; }
};

// A run_options says what a caller can choose for every call. The options of each capability say what they
// add to the meanings below, and which members the capability ignores.
struct run_options {
  std::string engine = "auto";     // name of an engine; auto: the fastest one for the task
  device_choice device = {};       // where the engine may run
  int threads = 0;                 // number of threads of the CPU; 0: all
  std::uint64_t memory = 0;        // bytes of host memory that the call may take; 0: memory_limit(0)
  std::uint64_t device_memory = 0; // bytes of GPU memory that the call may take; 0: all that is free
  task_monitor* monitor = nullptr; // progress and cancellation; null: none
  run_info* info = nullptr;        // if not null, the call writes its report there
};

namespace base_detail {

// Throws cancelled_error if the monitor of `run`, if there is one, has been cancelled.
inline void check_cancelled(const run_options& run) {
  if (run.monitor != nullptr) run.monitor->check();
}
// Adds finished work to the monitor of `run`, if there is one.
inline void add_work(const run_options& run, std::uint64_t work) {
  if (run.monitor != nullptr) run.monitor->add(work);
}

// Writes the report of one call: set_engine() at once, the destructor the time, the work and the peaks. Does
// nothing if the options have no `info`. If a public function calls another one with the same options, its
// time and work replace those of the inner call; the inner call's engine stays unless the outer one sets one.
class run_record {
public:
  // Starts the clock and resets the report.
  run_record(const run_options& options, std::string_view work_unit);
  ~run_record();
  run_record(const run_record&) = delete;
  run_record& operator=(const run_record&) = delete;

  // Sets the engine and the device that did the work.
  void set_engine(std::string_view name, device_choice device = {device_kind::cpu, 0});
  // Sets the amount of work, in the unit given to the constructor.
  void set_work(std::uint64_t work) noexcept { work_ = work; }

private:
  run_info* info_;
  std::string_view work_unit_;
  std::uint64_t work_ = 0;
  std::chrono::steady_clock::time_point start_;
};

} // namespace base_detail
} // namespace weft
