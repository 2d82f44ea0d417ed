#include <weft/bwt/gpu_build.hpp>

#include <weft/bwt/gpu_choice.hpp>
#include <weft/bwt/gpu_transform.hpp>
#if defined(WEFT_WITH_CUDA)
#include <weft/bwt/cuda/fm_build.hpp>
#endif

namespace weft::detail {

// Codes are bytes there: where all 256 are in use beside the separator, the CPU sorts.
int gpu_for_building(const fm_extent& extent, const fm_build_options& options) {
  const int gpu = gpu_for(options.device, extent.symbols, gpu_symbols);
  return extent.symbols == 0 || extent.num_codes > 256 ? -1 : gpu;
}

template <class Index> bool write_rows_on_gpu(const fm_row_task& task, int gpu) {
#if defined(WEFT_WITH_CUDA)
  const auto done = or_for_the_cpu(task.options.device, nullptr, [&] {
    bwt_cuda::write_rows<Index>(task, gpu);
    return true;
  });
  if (done && task.options.used_gpu != nullptr) *task.options.used_gpu = gpu;
  return done.has_value();
#else
  return (void)task, (void)gpu, false;
#endif
}

template bool write_rows_on_gpu<std::uint32_t>(const fm_row_task&, int);
template bool write_rows_on_gpu<std::uint64_t>(const fm_row_task&, int);

} // namespace weft::detail
