// Searches an FM-index on a GPU for fm_index.cpp. Compiles also without a CUDA toolkit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>
#include <weft/base/if_it_fits.hpp>
#include <weft/bwt/fm_index.hpp>

namespace weft::detail {

// The copies of an index on GPUs. The pointer is null without CUDA.
class fm_device_copies;
[[nodiscard]] std::shared_ptr<fm_device_copies> make_fm_device_copies();

// Returns the GPU to search on, or -1 for the CPU, as fm_search_options says. Throws unavailable_error.
[[nodiscard]] int gpu_for_search(const fm_index& index, const fm_device_copies* copies,
                                 std::uint64_t patterns, const fm_search_options& options);

// Run fm_index::count and locate on a GPU, in pieces that fit its memory. Offsets must be valid. Must not be
// called without CUDA.
[[nodiscard]] std::vector<std::uint64_t> count_on_gpu(const fm_index& index, fm_device_copies& copies,
                                                      int gpu, std::string_view patterns,
                                                      std::span<const std::uint64_t> offsets,
                                                      const fm_search_options& options);
[[nodiscard]] fm_hits locate_on_gpu(const fm_index& index, fm_device_copies& copies, int gpu,
                                    std::string_view patterns, std::span<const std::uint64_t> offsets,
                                    const fm_search_options& options);

// Returns search(gpu) if the patterns are to be searched for on a GPU. Returns nothing if they are not, or if
// device is auto and the GPU's memory is too small; then the CPU must search.
template <class Search>
[[nodiscard]] auto try_gpu(const fm_index& index, const fm_device_copies* copies, std::uint64_t patterns,
                           const fm_search_options& options, const Search& search)
    -> std::optional<decltype(search(0))> {
  const int gpu = gpu_for_search(index, copies, patterns, options);
  if (options.used_gpu != nullptr) *options.used_gpu = -1;
  if (gpu < 0) return std::nullopt;
  auto result = base_detail::if_it_fits(options.device.kind == device_kind::gpu, options.monitor,
                                        [&] { return search(gpu); });
  if (result && options.used_gpu != nullptr) *options.used_gpu = gpu;
  return result;
}

} // namespace weft::detail
