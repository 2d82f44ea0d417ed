#include <weft/base/engines.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <weft/base/error.hpp>

namespace weft::base_detail {

namespace {

// Returns the names of the engines, each once.
std::vector<std::string_view> names_of(const std::vector<const engine_description*>& engines) {
  std::vector<std::string_view> names;
  for (const engine_description* each : engines)
    if (std::ranges::find(names, each->name()) == names.end()) names.push_back(each->name());
  return names;
}

// Returns what a message adds if an engine may be missing because this build has none for GPUs.
std::string_view hint_if_without_cuda() {
  return built_with_cuda() ? "" : " (this weft was built without CUDA: it has no engines for GPUs)";
}

} // namespace

void refuse_engine_name(std::string_view capability, std::string_view name,
                        const std::vector<const engine_description*>& engines) {
  throw error(errc::invalid_input, fmt::format("{} has no engine '{}': use auto, {}{}", capability, name,
                                               fmt::join(names_of(engines), ", "), hint_if_without_cuda()));
}

void refuse_engine_device(std::string_view capability, std::string_view name, device_kind requested,
                          const std::vector<const engine_description*>& engines) {
  std::vector<const engine_description*> matching;
  for (const engine_description* each : engines)
    if (each->on_gpu() == (requested == device_kind::gpu)) matching.push_back(each);
  const std::string choice =
      matching.empty() ? ""
                       : fmt::format(", or an engine for the GPU ({})", fmt::join(names_of(matching), ", "));
  const std::string runs = requested == device_kind::cpu
                               ? "a GPU, but the device is cpu: choose another device or another engine"
                               : fmt::format("the CPU, but the device is a GPU: choose another device{}{}",
                                             choice, hint_if_without_cuda());
  throw error(errc::invalid_input, fmt::format("{} engine '{}' runs only on {}", capability, name, runs));
}

void refuse_problem(std::string_view capability, std::string_view name, std::string_view reason) {
  throw error(errc::invalid_input, name == "auto"
                                       ? fmt::format("no engine of {} can do this: {}", capability, reason)
                                       : fmt::format("engine '{}' cannot do this: {}", name, reason));
}

std::vector<engine_info> describe_engines(const std::vector<const engine_description*>& engines) {
  std::vector<engine_info> infos;
  for (const engine_description* each : engines) {
    const std::string unavailable = each->on_gpu() ? known_gpus().unavailable : "";
    const auto same = std::ranges::find(infos, each->name(), &engine_info::name);
    if (same == infos.end()) {
      infos.push_back({std::string(each->name()), std::string(each->needs()), unavailable});
    } else {
      const bool has_clauses = same->needs.find(';') != std::string::npos;
      same->needs += fmt::format("{} or {}", has_clauses ? ";" : ",", each->needs());
      if (unavailable.empty()) same->unavailable.clear();
    }
  }
  return infos;
}

int gpu_index(const device_choice& device) {
  if (device.kind == device_kind::gpu) return device.index;
  const gpu_info* const first = first_usable_gpu();
  return first == nullptr ? 0 : first->index;
}

bool has_usable_gpu(const device_choice& device) {
  if (device.kind == device_kind::gpu) return usable_gpu(device.index) != nullptr;
  return device.kind == device_kind::automatic && first_usable_gpu() != nullptr;
}

void report_engine(run_record& record, const engine_description& used, const run_options& run) {
  if (used.on_gpu())
    record.set_engine(used.name(), {device_kind::gpu, gpu_index(run.device)});
  else
    record.set_engine(used.name());
}

} // namespace weft::base_detail
