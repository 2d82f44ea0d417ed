#include <weft/bwt/entry/gpu_build.hpp>

#include <weft/bwt/entry/gpu_choice.hpp>
#include <weft/bwt/entry/gpu_transform.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/base/if_it_fits.hpp>
#include <weft/bwt/cuda/fm/fm_build.hpp>
#endif

namespace weft::detail {

// On a GPU, codes are bytes: if all 256 bytes are in use beside the separator, the CPU sorts.
int gpu_for_building(std::uint64_t symbols, unsigned num_codes, const fm_build_options& options) {
  const int gpu = gpu_for(options.device, symbols, gpu_symbols);
  return symbols == 0 || num_codes > 256 ? -1 : gpu;
}

template <class Index> bool write_rows_on_gpu(const fm_row_task<Index>& task, int gpu) {
#if defined(WEFT_WITH_CUDA)
  const auto done = base_detail::if_it_fits(task.options.device.kind == device_kind::gpu, nullptr, [&] {
    bwt_cuda::write_rows(task, gpu);
    return true;
  });
  if (done && task.options.used_gpu != nullptr) *task.options.used_gpu = gpu;
  return done.has_value();
#else
  return (void)task, (void)gpu, false;
#endif
}

template bool write_rows_on_gpu(const fm_row_task<std::uint32_t>&, int);
template bool write_rows_on_gpu(const fm_row_task<std::uint64_t>&, int);

} // namespace weft::detail
