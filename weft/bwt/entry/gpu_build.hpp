// What of building an FM-index a GPU does; compiles also where there is no CUDA toolkit.
#pragma once

#include <cstdint>
#include <weft/bwt/core/fm_row_task.hpp>

namespace weft::detail {

// The GPU to build on, or -1 for the CPU: see fm_build_options. Throws unavailable_error.
[[nodiscard]] int gpu_for_building(std::uint64_t symbols, unsigned num_codes,
                                   const fm_build_options& options);

// write_rows() on that GPU. False where device is auto and its memory too little: nothing that counts has
// been written then. Not called without CUDA. Throws memory_error, device_error.
template <class Index> [[nodiscard]] bool write_rows_on_gpu(const fm_row_task<Index>& task, int gpu);

} // namespace weft::detail
