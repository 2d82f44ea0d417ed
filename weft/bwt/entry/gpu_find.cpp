#include <weft/bwt/entry/gpu_find.hpp>

#include <weft/base/parallel.hpp>
#include <weft/bwt/entry/gpu_choice.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/bwt/cuda/fm/fm_pieces.hpp>
#endif

namespace weft::detail {

#if defined(WEFT_WITH_CUDA)

std::shared_ptr<fm_device_copies> make_fm_device_copies() { return std::make_shared<fm_device_copies>(); }

int gpu_for_search(const fm_index& index, const fm_device_copies* copies, std::uint64_t patterns,
                   const fm_search_options& options) {
  constexpr std::uint64_t min_patterns_if_copied = 1 << 14;
  if (options.device.kind == device_kind::automatic && patterns >= min_patterns_if_copied &&
      copies != nullptr)
    if (const int gpu = copies->first_with_index(); gpu >= 0) return gpu;
  // A thread searches for two million patterns in a second, and an index is copied to the GPU with at least
  // eight gigabytes a second.
  const double seconds = 0.5 + static_cast<double>(index.bytes().size()) / 8e9;
  const double min_patterns = 2e6 * seconds * thread_count(options.threads);
  return gpu_for(options.device, patterns, static_cast<std::uint64_t>(min_patterns));
}

std::vector<std::uint64_t> count_on_gpu(const fm_index& index, fm_device_copies& copies, int gpu,
                                        std::string_view patterns, std::span<const std::uint64_t> offsets,
                                        const fm_search_options& options) {
  return bwt_cuda::count_in_pieces(index, copies, gpu, patterns, offsets, options);
}

fm_hits locate_on_gpu(const fm_index& index, fm_device_copies& copies, int gpu, std::string_view patterns,
                      std::span<const std::uint64_t> offsets, const fm_search_options& options) {
  return bwt_cuda::locate_in_pieces(index, copies, gpu, patterns, offsets, options);
}

#else

class fm_device_copies {};

std::shared_ptr<fm_device_copies> make_fm_device_copies() { return nullptr; }

// Throws if a GPU is requested, because there is none.
int gpu_for_search(const fm_index&, const fm_device_copies*, std::uint64_t patterns,
                   const fm_search_options& options) {
  return gpu_for(options.device, patterns, patterns + 1);
}

std::vector<std::uint64_t> count_on_gpu(const fm_index&, fm_device_copies&, int, std::string_view,
                                        std::span<const std::uint64_t>, const fm_search_options&) {
  return {};
}

fm_hits locate_on_gpu(const fm_index&, fm_device_copies&, int, std::string_view,
                      std::span<const std::uint64_t>, const fm_search_options&) {
  return {};
}

#endif

} // namespace weft::detail
