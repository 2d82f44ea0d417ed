// Runs on a GPU the part of building an FM-index that depends on the order of the suffixes. Compiles also
// without a CUDA toolkit.
#pragma once

#include <cstdint>
#include <weft/bwt/core/fm_row_task.hpp>

namespace weft::detail {

// Returns the GPU to build on, or -1 for the CPU, as fm_build_options says. Throws unavailable_error.
[[nodiscard]] int gpu_for_building(std::uint64_t symbols, unsigned num_codes,
                                   const fm_build_options& options);

// Runs write_rows() on a GPU. Returns false if device is auto and the GPU's memory is too small; the sections
// must then be written again. Must not be called without CUDA. Throws memory_error, device_error.
template <class Index> [[nodiscard]] bool write_rows_on_gpu(const fm_row_task<Index>& task, int gpu);

} // namespace weft::detail
