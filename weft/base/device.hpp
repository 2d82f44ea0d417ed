// Where work runs: the processors of this machine and its CUDA devices.
//
//   weft::parse_device("gpu:1").index;              // == 1
//   const weft::gpu_report& gpus = weft::known_gpus();
//   const std::string gpu = gpus.devices.empty() ? gpus.unavailable : gpus.devices[0].name;
//   gpu.empty();                                    // == false
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// automatic: a GPU where there is one and it pays, else the processors.
enum class device_kind { automatic, cpu, gpu };

// Where something is to run.
struct device_choice {
  // What it may run on.
  device_kind kind = device_kind::automatic;
  int index = 0; // of the CUDA device, for gpu
};

// "auto", "cpu", "gpu", "gpu:N". Throws error(invalid_input) on anything else.
[[nodiscard]] device_choice parse_device(std::string_view text);

// A CUDA device, as the driver describes it.
struct gpu_info {
  // The driver's number of it, its name, and what it has.
  int index;
  std::string name;
  int compute_major, compute_minor, multiprocessors;
  std::uint64_t total_memory, free_memory; // bytes
};

// The CUDA devices of a machine.
struct gpu_report {
  // In the order of their index.
  std::vector<gpu_info> devices;
  std::string
      unavailable; // why there is none: built without CUDA, no driver, no device; empty if there is one
};

// The CUDA devices of this machine. Never throws for want of one.
[[nodiscard]] gpu_report list_gpus();
// The same, looked for at the first call only: that can take a second. free_memory is of then. Thread-safe.
[[nodiscard]] const gpu_report& known_gpus();

// Throws unavailable_error with the reason if choice asks for a GPU that is not there; automatic never
// throws.
void require_device(const device_choice& choice);

// The host's processor, and how many threads of it this process may use: "AMD EPYC 9655, 2 threads". Reads
// /proc/cpuinfo.
[[nodiscard]] std::string describe_cpu();

// One way of computing a capability. `unavailable` is empty, or says why it cannot run here.
struct engine_info {
  // What it is called, what it runs on, and whether it can here.
  std::string name, needs, unavailable;
};

} // namespace weft
