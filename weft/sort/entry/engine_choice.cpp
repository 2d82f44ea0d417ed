#include <weft/sort/entry/engine_choice.hpp>

#include <array>
#include <fmt/format.h>
#include <weft/base/engine_table.hpp>
#include <weft/base/error.hpp>
#include <weft/sort/sort.hpp>

namespace weft {

namespace detail {

namespace {

using entry = base_detail::engine_entry<sort_engine>;

constexpr std::array entries = {
    entry{"vqsort", sort_engine::vqsort, "numbers in their own order; any processor, vectors help"},
    entry{"merge", sort_engine::merge, "any type and comparator; n items of extra memory"},
    entry{"sample-merge", sort_engine::sample_merge,
          "trivially copyable types, any comparator, not stable; 2 n items"},
    entry{"gpu", sort_engine::gpu, "a CUDA GPU; numbers in their own order, by radix or by samples", true},
};
constexpr base_detail::engine_table<sort_engine> engines("sort", entries);

} // namespace

sort_choice choose_sort_engine(const sort_options& options, const char* cpu_only_reason) {
  const entry* const chosen = engines.find(options.engine);
  device_choice device = engines.match(chosen, options.device);
  if (cpu_only_reason != nullptr) {
    if (chosen != nullptr && chosen->on_gpu) engine_does_not_apply(options.engine, cpu_only_reason);
    if (device.kind == device_kind::gpu)
      throw error(errc::invalid_input,
                  fmt::format("a GPU cannot do this: {} (device cpu can)", cpu_only_reason));
    device = {device_kind::cpu, 0};
  }
  device = engines.resolve_device(chosen, device);
  if (options.used != nullptr) *options.used = {options.engine, -1};
  return {chosen == nullptr ? sort_engine::automatic : chosen->id, device};
}

void engine_does_not_apply(const std::string& name, const char* reason) {
  throw error(errc::invalid_input, fmt::format("engine '{}' cannot do this: {}", name, reason));
}

} // namespace detail

void check_sort_options(const sort_options& options) { (void)detail::choose_sort_engine(options, nullptr); }

std::vector<engine_info> sort_engines() { return detail::engines.list(); }

} // namespace weft
