// The inverse transform in device memory.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <weft/base/monitor.hpp>
#include <weft/bwt/bwt.hpp>

namespace weft::bwt_cuda {

inline constexpr std::uint64_t max_inverse_bytes = std::uint64_t{1} << 39;

struct inverse_options {
  std::uint64_t device_memory = 0; // bytes; 0: what there is
  task_monitor* monitor = nullptr; // is not told of work
  bool wide = false;               // links of 40 bits also where 32 are enough
  int stretch_bits = -1;           // chains start 2^stretch_bits rows apart, about; -1: by n
};

// Bytes of the device that inverse() takes of a non-empty transform beside it and the text.
[[nodiscard]] std::uint64_t inverse_memory(std::uint64_t n, const inverse_options& options);

// As weft::gpu::inverse_bwt, of bytes and an index that is in range; n > 0.
void inverse(const unsigned char* d_bytes, std::uint64_t n, std::uint64_t primary_index, bwt_form form,
             unsigned char* d_text, const inverse_options& options, cudaStream_t stream);

} // namespace weft::bwt_cuda
