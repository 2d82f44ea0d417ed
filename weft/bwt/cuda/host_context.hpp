// The device context of bwt: objects that a host thread keeps for a device between calls
// (weft/base/cuda/device_context.hpp).
#pragma once

#include <weft/base/cuda/device_context.hpp>
#include <weft/base/cuda/device_memory.hpp>
#include <weft/base/cuda/staged_copy.hpp>

namespace weft::bwt_cuda {

struct host_context {
  explicit host_context(int device) : staging(device) {}
  gpu::staged_copy staging;
  gpu::stream work; // destroyed before the memory that it copies from and to
};

} // namespace weft::bwt_cuda
