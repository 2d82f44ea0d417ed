#include <weft/sort/engine_choice.hpp>

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <weft/base/error.hpp>
#include <weft/sort/sort.hpp>

namespace weft {

namespace detail {

namespace {

struct engine_entry {
  std::string_view name;
  sort_engine id;
  std::string_view needs;
};
constexpr std::array engine_table = {
    engine_entry{"vqsort", sort_engine::vqsort, "numbers in their own order; any processor, vectors help"},
    engine_entry{"merge", sort_engine::merge, "any type and comparator; n items of extra memory"},
    engine_entry{"sample-merge", sort_engine::sample_merge,
                 "trivially copyable types, any comparator, not stable; 2 n items"},
    engine_entry{"gpu", sort_engine::gpu, "a CUDA GPU; numbers in their own order, by radix or by samples"},
};

sort_engine find_engine(std::string_view name) {
  if (name == "auto") return sort_engine::automatic;
  std::string known = "auto";
  for (const engine_entry& entry : engine_table) {
    if (entry.name == name) return entry.id;
    known += fmt::format(", {}", entry.name);
  }
  throw error(errc::invalid_input, fmt::format("sort has no engine '{}' ({})", name, known));
}

} // namespace

sort_choice choose_sort_engine(const sort_options& options, const char* not_there) {
  sort_choice choice{find_engine(options.engine), options.device};
  const bool on_gpu = choice.id == sort_engine::gpu, gpu_asked = options.device.kind == device_kind::gpu;
  if (on_gpu && options.device.kind == device_kind::cpu)
    throw error(errc::invalid_input, "sort engine 'gpu' runs on a GPU, not on the device cpu: leave the "
                                     "device out, or the engine");
  if (!on_gpu && choice.id != sort_engine::automatic) {
    if (gpu_asked)
      throw error(errc::invalid_input,
                  fmt::format("sort engine '{}' runs on the CPU, not on a GPU (there: gpu): leave the device "
                              "out, or the engine",
                              options.engine));
    choice.device = {device_kind::cpu, 0};
  }
  if (not_there != nullptr) {
    if (on_gpu) engine_does_not_apply(options.engine, not_there);
    if (gpu_asked)
      throw error(errc::invalid_input, fmt::format("a GPU cannot do this: {} (device cpu can)", not_there));
    choice.device = {device_kind::cpu, 0};
  }
  if (on_gpu && choice.device.kind == device_kind::automatic)
    choice.device = {device_kind::gpu, known_gpus().devices.empty() ? 0 : known_gpus().devices.front().index};
  require_device(choice.device);
  if (options.used != nullptr) *options.used = {options.engine, -1};
  return choice;
}

void engine_does_not_apply(const std::string& name, const char* reason) {
  throw error(errc::invalid_input, fmt::format("engine '{}' cannot do this: {}", name, reason));
}

} // namespace detail

void check_sort_options(const sort_options& options) { (void)detail::choose_sort_engine(options, nullptr); }

std::vector<engine_info> sort_engines() {
  std::vector<engine_info> engines;
  for (const detail::engine_entry& entry : detail::engine_table)
    engines.push_back({std::string(entry.name), std::string(entry.needs),
                       entry.id == detail::sort_engine::gpu ? known_gpus().unavailable : ""});
  return engines;
}

} // namespace weft
