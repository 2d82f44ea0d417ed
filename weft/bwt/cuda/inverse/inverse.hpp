// Computes the inverse transform in device memory.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/monitor.hpp>
#include <weft/bwt/bwt.hpp>

namespace weft::bwt_cuda {

inline constexpr std::uint64_t max_inverse_bytes = std::uint64_t{1} << 39;

struct inverse_options {
  std::uint64_t device_memory = 0; // bytes; 0: all free memory
  task_monitor* monitor = nullptr; // only asked for cancellation, not told of progress
  bool wide = false;               // use links of 40 bits even if 32 are enough
  int stretch_bits = -1;           // chains start about 2^stretch_bits rows apart; -1: chosen by n
};

// Returns the bytes of device memory that invert_transform() takes for a non-empty transform, besides the
// transform and the text.
[[nodiscard]] std::uint64_t inverse_memory(std::uint64_t n, const inverse_options& options);

// Does what weft::gpu::inverse_bwt does; n > 0, and primary_index must be in range.
void invert_transform(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t primary_index,
                      bwt_form form, unsigned char* d_text, const inverse_options& options,
                      cudaStream_t stream);

} // namespace weft::bwt_cuda
