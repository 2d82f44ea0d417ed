#include <weft/base/device.hpp>

#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>
#include <weft/base/engines.hpp>
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

#if defined(WEFT_WITH_CUDA)

namespace {

// A probed_gpu has the properties of a GPU, or says why it cannot be used.
struct probed_gpu {
  std::optional<gpu_info> info;
  std::string failure;
};

// Starts a GPU and reads its properties. Restores the current device, because probing makes another one the
// current one.
probed_gpu probe(int index) {
  probed_gpu found;
  int current = 0;
  const bool had_current = cudaGetDevice(&current) == cudaSuccess;
  cudaDeviceProp properties{};
  std::size_t free = 0, total = 0;
  if (const char* reason = base_detail::probe_device(index))
    found.failure = fmt::format("GPU {} cannot run this program: {}", index, reason);
  else if (cudaGetDeviceProperties(&properties, index) == cudaSuccess &&
           cudaMemGetInfo(&free, &total) == cudaSuccess)
    found.info = {
        index, properties.name, properties.major, properties.minor, properties.multiProcessorCount, total,
        free};
  if (had_current) (void)cudaSetDevice(current);
  return found;
}

// The GPUs of the machine, each of which is probed when it is first asked for.
class gpu_table {
public:
  gpu_table() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess)
      slots_ = std::vector<slot>(static_cast<std::size_t>(count));
  }
  [[nodiscard]] int count() const { return static_cast<int>(slots_.size()); }
  // Returns what probing has shown; 0 <= index < count().
  [[nodiscard]] const probed_gpu& at(int index) {
    slot& asked = slots_[static_cast<std::size_t>(index)];
    std::call_once(asked.once, [&] { asked.gpu = probe(index); });
    return asked.gpu;
  }

private:
  struct slot {
    std::once_flag once;
    probed_gpu gpu;
  };
  std::vector<slot> slots_;
};

gpu_table& gpus() {
  static gpu_table table;
  return table;
}

// Returns the report on all GPUs, of which probed(index) returns what probing shows.
template <class Probed> gpu_report make_report(const Probed& probed) {
  gpu_report report;
  int count = 0;
  std::string failure;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0) {
    report.unavailable = status == cudaSuccess ? "no CUDA device" : cudaGetErrorString(status);
    return report;
  }
  for (int index = 0; index < count; ++index) {
    const probed_gpu& found = probed(index);
    if (found.info) report.devices.push_back(*found.info);
    if (!found.failure.empty()) failure = found.failure;
  }
  if (report.devices.empty())
    report.unavailable = failure.empty() ? "CUDA devices are present, but none responds" : failure;
  return report;
}

} // namespace

gpu_report list_gpus() { return make_report(probe); }

// GPUs that usable_gpu() has probed are not probed again.
const gpu_report& known_gpus() {
  static const gpu_report report =
      make_report([](int index) -> const probed_gpu& { return gpus().at(index); });
  return report;
}

#else

gpu_report list_gpus() { return {{}, "this weft was built without CUDA"}; }

const gpu_report& known_gpus() {
  static const gpu_report report = list_gpus();
  return report;
}

#endif

void require_device(const device_choice& choice) {
  if (choice.kind != device_kind::gpu || base_detail::usable_gpu(choice.index) != nullptr) return;
  const gpu_report& report = known_gpus();
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

namespace base_detail {

#if defined(WEFT_WITH_CUDA)
const gpu_info* usable_gpu(int index) {
  if (index < 0 || index >= gpus().count()) return nullptr;
  const probed_gpu& found = gpus().at(index);
  return found.info ? &*found.info : nullptr;
}
const gpu_info* first_usable_gpu() {
  for (int index = 0; index < gpus().count(); ++index)
    if (const gpu_info* const found = usable_gpu(index)) return found;
  return nullptr;
}
#else
const gpu_info* usable_gpu(int) { return nullptr; }
const gpu_info* first_usable_gpu() { return nullptr; }
#endif

} // namespace base_detail

} // namespace weft
