// Calls functions with two phases, as CUB has them: called without memory, such a function returns how many
// bytes of temporary device memory it needs.
#pragma once

#include <cstddef>
#include <string_view>
#include <weft/base/cuda/device_memory.hpp>

namespace weft::gpu {

// Calls call(d_temp, bytes) twice: first with a null pointer to get the number of bytes, then with that much
// memory, which is freed in the order of the stream. `what` and errors as in check().
template <class Call> void in_two_phases(cudaStream_t stream, std::string_view what, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), what);
  const device_buffer<std::byte> temp(bytes, stream);
  check(call(temp.data(), bytes), what);
}

} // namespace weft::gpu
