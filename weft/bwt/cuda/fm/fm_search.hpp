// The functions of weft/bwt/fm_index.cuh for offsets that do not begin at 0, such as the offsets of a piece
// of a batch.
#pragma once

#include <cstdint>
#include <weft/bwt/cuda/fm/fm_kernels.hpp>
#include <weft/bwt/fm_index.cuh>

namespace weft::bwt_cuda {

// Does what gpu::count does. d_damaged: null, or *d_damaged becomes 1 if a row leads to no position.
void count(const fm_job& job, std::uint64_t* d_counts, std::uint32_t* d_damaged, cudaStream_t stream);
// Does what gpu::locate does.
[[nodiscard]] gpu::fm_device_hits locate(const fm_job& job, const gpu::fm_locate_options& options,
                                         cudaStream_t stream);
[[noreturn]] void throw_damaged_index();

} // namespace weft::bwt_cuda
