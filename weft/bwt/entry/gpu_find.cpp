#include <weft/bwt/entry/gpu_find.hpp>

#include <weft/base/parallel.hpp>
#include <weft/bwt/entry/gpu_choice.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/bwt/cuda/fm/fm_pieces.hpp>
#endif

namespace weft::detail {

#if defined(WEFT_WITH_CUDA)

std::shared_ptr<fm_places> make_fm_places() { return std::make_shared<fm_places>(); }

int gpu_for_search(const fm_index& index, const fm_places* places, std::uint64_t patterns,
                   const fm_search_options& options) {
  constexpr std::uint64_t enough_there = 1 << 14;
  if (options.device.kind == device_kind::automatic && patterns >= enough_there && places != nullptr)
    if (const int gpu = places->first_with_index(); gpu >= 0) return gpu;
  // A thread searches for two million patterns in a second; an index comes over the bus with at least eight
  // gigabytes in one.
  const double seconds = 0.5 + static_cast<double>(index.bytes().size()) / 8e9;
  const double enough = 2e6 * seconds * thread_count(options.threads);
  return gpu_for(options.device, patterns, static_cast<std::uint64_t>(enough));
}

std::vector<std::uint64_t> count_on_gpu(const fm_index& index, fm_places& places, int gpu,
                                        std::string_view patterns, std::span<const std::uint64_t> offsets,
                                        const fm_search_options& options) {
  return bwt_cuda::count_in_pieces(index, places, gpu, patterns, offsets, options);
}

fm_hits locate_on_gpu(const fm_index& index, fm_places& places, int gpu, std::string_view patterns,
                      std::span<const std::uint64_t> offsets, const fm_search_options& options) {
  return bwt_cuda::locate_in_pieces(index, places, gpu, patterns, offsets, options);
}

#else

class fm_places {};

std::shared_ptr<fm_places> make_fm_places() { return nullptr; }

// Throws where a GPU is asked for; there is none.
int gpu_for_search(const fm_index&, const fm_places*, std::uint64_t patterns,
                   const fm_search_options& options) {
  return gpu_for(options.device, patterns, patterns + 1);
}

std::vector<std::uint64_t> count_on_gpu(const fm_index&, fm_places&, int, std::string_view,
                                        std::span<const std::uint64_t>, const fm_search_options&) {
  return {};
}

fm_hits locate_on_gpu(const fm_index&, fm_places&, int, std::string_view, std::span<const std::uint64_t>,
                      const fm_search_options&) {
  return {};
}

#endif

} // namespace weft::detail
