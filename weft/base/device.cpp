#include <weft/base/device.hpp>

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>
#if defined(WEFT_WITH_CUDA)
#include <cuda_runtime_api.h>
#endif

#if defined(WEFT_WITH_CUDA)
namespace weft::base_detail {

// Runs a small kernel on the CUDA device `index`, waits for it, and leaves that device current. Returns null
// if the result is right, otherwise the reason of the failure. Defined in base/cuda/probe.cu.
[[nodiscard]] const char* probe_device(int index);

} // namespace weft::base_detail
#endif

namespace weft {

device_choice parse_device(std::string_view text) {
  if (text == "auto") return {device_kind::automatic, 0};
  if (text == "cpu") return {device_kind::cpu, 0};
  if (text == "gpu") return {device_kind::gpu, 0};
  if (text.starts_with("gpu:")) {
    const std::string_view digits = text.substr(4);
    int index = -1;
    const auto [rest, status] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (status == std::errc() && rest == digits.data() + digits.size() && index >= 0)
      return {device_kind::gpu, index};
  }
  throw error(errc::invalid_input, fmt::format("'{}' is not a device: use auto, cpu, gpu or gpu:N", text));
}

bool built_with_cuda() noexcept {
#if defined(WEFT_WITH_CUDA)
  return true;
#else
  return false;
#endif
}

gpu_report list_gpus() {
  gpu_report report;
#if defined(WEFT_WITH_CUDA)
  int count = 0;
  std::string failure;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0) {
    report.unavailable = status == cudaSuccess ? "no CUDA device" : cudaGetErrorString(status);
    return report;
  }
  // list_gpus() restores the current device at the end, because probing a device makes it the current one.
  int current = 0;
  const bool had_current = cudaGetDevice(&current) == cudaSuccess;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    std::size_t free = 0, total = 0;
    if (const char* reason = base_detail::probe_device(index)) {
      failure = fmt::format("GPU {} cannot run this program: {}", index, reason);
      continue;
    }
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess ||
        cudaMemGetInfo(&free, &total) != cudaSuccess)
      continue;
    report.devices.push_back({index, properties.name, properties.major, properties.minor,
                              properties.multiProcessorCount, total, free});
  }
  if (had_current) (void)cudaSetDevice(current);
  if (report.devices.empty())
    report.unavailable = failure.empty() ? "CUDA devices are present, but none responds" : failure;
#else
  report.unavailable = "this weft was built without CUDA";
#endif
  return report;
}

const gpu_report& known_gpus() {
  static const gpu_report report = list_gpus();
  return report;
}

void require_device(const device_choice& choice) {
  if (choice.kind != device_kind::gpu) return;
  const gpu_report& report = known_gpus();
  for (const gpu_info& gpu : report.devices)
    if (gpu.index == choice.index) return;
  if (report.devices.empty())
    throw unavailable_error(fmt::format("no GPU can be used: {}", report.unavailable));
  throw unavailable_error(fmt::format("there is no GPU {}: GPUs are numbered from 0, and the number of "
                                      "usable GPUs is {}",
                                      choice.index, report.devices.size()));
}

std::string describe_cpu() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, model = "unknown processor";
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 1);
      model.erase(0, model.find_first_not_of(' '));
      break;
    }
  }
  return fmt::format("{}, {} threads", model, thread_count());
}

} // namespace weft
