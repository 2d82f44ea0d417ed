// Searching an FM-index on a GPU as fm_index.cpp does it; compiles also where there is no CUDA toolkit.
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

// Where an index is on GPUs. Null without CUDA.
class fm_places;
[[nodiscard]] std::shared_ptr<fm_places> make_fm_places();

// The GPU to search on, or -1 for the CPU: see fm_search_options. Throws unavailable_error.
[[nodiscard]] int gpu_for_search(const fm_index& index, const fm_places* places, std::uint64_t patterns,
                                 const fm_search_options& options);

// fm_index::count and locate on that GPU, in pieces that fit its memory. Offsets are right. Not called
// without CUDA.
[[nodiscard]] std::vector<std::uint64_t> count_on_gpu(const fm_index& index, fm_places& places, int gpu,
                                                      std::string_view patterns,
                                                      std::span<const std::uint64_t> offsets,
                                                      const fm_search_options& options);
[[nodiscard]] fm_hits locate_on_gpu(const fm_index& index, fm_places& places, int gpu,
                                    std::string_view patterns, std::span<const std::uint64_t> offsets,
                                    const fm_search_options& options);

// search(gpu) if the patterns are to be searched for on one. Nothing if they are not, or if its memory is too
// small and the choice is auto: then the CPU is to do it.
template <class Search>
[[nodiscard]] auto try_gpu(const fm_index& index, const fm_places* places, std::uint64_t patterns,
                           const fm_search_options& options, const Search& search)
    -> std::optional<decltype(search(0))> {
  const int gpu = gpu_for_search(index, places, patterns, options);
  if (options.used_gpu != nullptr) *options.used_gpu = -1;
  if (gpu < 0) return std::nullopt;
  auto result = base_detail::if_it_fits(options.device.kind == device_kind::gpu, options.monitor,
                                        [&] { return search(gpu); });
  if (result && options.used_gpu != nullptr) *options.used_gpu = gpu;
  return result;
}

} // namespace weft::detail
