// Devices that can run work: the processors of this machine and its CUDA GPUs.
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

// The kinds of device that a caller can ask for. `automatic` is a GPU if there is one and using it pays,
// otherwise the CPU.
enum class device_kind { automatic, cpu, gpu };

// A caller's choice of the device that runs a task.
struct device_choice {
  // The kind of device.
  device_kind kind = device_kind::automatic;
  int index = 0; // CUDA index of the GPU if kind is gpu
};

// Parses "auto", "cpu", "gpu" (GPU 0) or "gpu:N". Throws error(invalid_input) for any other text.
[[nodiscard]] device_choice parse_device(std::string_view text);

// The properties of a CUDA device, as the driver reports them.
struct gpu_info {
  // CUDA index, name, compute capability, and number of multiprocessors.
  int index;
  std::string name;
  int compute_major, compute_minor, multiprocessors;
  std::uint64_t total_memory, free_memory; // in bytes
};

// The usable CUDA devices of a machine, or the reason why there is none.
struct gpu_report {
  // In ascending order of index.
  std::vector<gpu_info> devices;
  // Why no device is usable: built without CUDA, no driver, no device. Empty if `devices` is not.
  std::string unavailable;
};

// Returns whether this library was built with CUDA. Without it there are no engines for GPUs.
[[nodiscard]] bool built_with_cuda() noexcept;
// Returns the CUDA devices of this machine that can run this program. Never throws because a device is
// missing.
[[nodiscard]] gpu_report list_gpus();
// Returns the result of list_gpus() at the first call and remembers it, because listing can take a second.
// `free_memory` is from that first call. Thread-safe.
[[nodiscard]] const gpu_report& known_gpus();

// Throws unavailable_error with the reason if `choice` asks for a GPU that does not exist. Never throws for
// automatic or cpu.
void require_device(const device_choice& choice);

// Returns the name of the processor and the number of threads this process may use: "AMD EPYC 9655, 2
// threads". Reads /proc/cpuinfo.
[[nodiscard]] std::string describe_cpu();

// An engine is one method of computing a capability. `unavailable` is empty if the engine can run on this
// machine, and otherwise says why it cannot.
struct engine_info {
  // The engine's name, the hardware it needs, and why it cannot run.
  std::string name, needs, unavailable;
};

} // namespace weft
