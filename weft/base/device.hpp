// Where work runs: the processors of this machine and its CUDA devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

enum class device_kind { automatic, cpu, gpu };

struct device_choice {
  device_kind kind = device_kind::automatic;
  int index = 0; // of the CUDA device, for gpu
};

// "auto", "cpu", "gpu", "gpu:N". Throws error(invalid_input) on anything else.
[[nodiscard]] device_choice parse_device(std::string_view text);

struct gpu_info {
  int index;
  std::string name;
  int compute_major, compute_minor, multiprocessors;
  std::uint64_t total_memory, free_memory; // bytes
};

struct gpu_report {
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

// "AMD EPYC 9655, 2 threads, AVX-512"-like description of the host.
[[nodiscard]] std::string describe_cpu();

// One way of computing a capability. `unavailable` is empty, or says why it cannot run here.
struct engine_info {
  std::string name, needs, unavailable;
};

} // namespace weft
