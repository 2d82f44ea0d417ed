// weft/bwt/fm_index.cuh for offsets that begin anywhere, as those of a piece of a batch do.
#pragma once

#include <cstdint>
#include <weft/bwt/cuda/fm/fm_kernels.hpp>
#include <weft/bwt/fm_index.cuh>

namespace weft::bwt_cuda {

// As gpu::count; d_damaged, where it is not null, becomes 1 if a row leads nowhere.
void count(const fm_job& job, std::uint64_t* d_counts, std::uint32_t* d_damaged, cudaStream_t stream);
// As gpu::locate.
[[nodiscard]] gpu::fm_device_hits locate(const fm_job& job, const gpu::fm_locate_options& options,
                                         cudaStream_t stream);
[[noreturn]] void fail_of_damage();

} // namespace weft::bwt_cuda
