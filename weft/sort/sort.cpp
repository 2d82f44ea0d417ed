#include <weft/sort/sort.hpp>

#include <fmt/format.h>
#include <weft/base/error.hpp>

namespace weft {

std::vector<engine_info> sort_engines() {
  return {{"vqsort", "numbers in their own order; any processor, vectors help", ""},
          {"merge", "any type and comparator; n items of extra memory", ""},
          {"sample-merge", "trivially copyable types, any comparator, not stable; 2 n items", ""}};
}

std::vector<engine_info> sort_device_engines() {
  const gpu_report& gpus = known_gpus();
  const bool small_blocks = !gpus.devices.empty() && gpus.devices.front().compute_major < 8;
  return {{"radix", "a CUDA GPU; numbers in their own order", gpus.unavailable},
          {"merge", "a CUDA GPU; any type and comparator", gpus.unavailable},
          {"sample-merge", "a CUDA GPU of compute capability 8.0; any type and comparator, not stable",
           small_blocks ? "the GPU has too little shared memory a block" : gpus.unavailable}};
}

namespace detail {

sort_engine find_sort_engine(const std::string& name) {
  if (name == "auto") return sort_engine::automatic;
  if (name == "vqsort") return sort_engine::vqsort;
  if (name == "merge") return sort_engine::merge;
  if (name == "sample-merge") return sort_engine::sample_merge;
  throw error(errc::invalid_input,
              fmt::format("sort has no engine '{}' (auto, vqsort, merge, sample-merge)", name));
}

void engine_does_not_apply(const std::string& name, const char* reason) {
  throw error(errc::invalid_input, fmt::format("engine '{}' cannot do this: {}", name, reason));
}

void check_offsets(std::span<const std::uint64_t> offsets, std::uint64_t num_items) {
  if (offsets.empty() && num_items == 0) return;
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != num_items ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw std::invalid_argument("segmented_sort: offsets ascend from 0 to the number of items");
}

} // namespace detail
} // namespace weft
