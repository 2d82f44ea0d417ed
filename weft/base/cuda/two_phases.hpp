// Calls of functions with two phases, as those of CUB: asked with no memory they tell how many bytes of
// temporary device memory they need.
#pragma once

#include <cstddef>
#include <string_view>
#include <weft/base/cuda/device_memory.hpp>

namespace weft::gpu {

// call(d_temp, bytes) twice: first for the bytes, then with so many, which are given back in the order of the
// stream. See check() for `what`, and for what is thrown.
template <class Call> void in_two_phases(cudaStream_t stream, std::string_view what, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), what);
  const device_buffer<std::byte> temp(bytes, stream);
  check(call(temp.data(), bytes), what);
}

} // namespace weft::gpu
