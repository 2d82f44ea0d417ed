// weft.DeviceArray: an array in the memory of a GPU that a function returns, which CuPy, PyTorch, Numba and
// JAX can use without a copy.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <memory>
#include <weft/base/cuda/device_memory.hpp>

#include "../arrays.hpp"

namespace weft::python {

// The CUDA stream of a call. `given` says whether the caller chose it; otherwise it is the legacy default
// stream, and the call waits for its end.
struct call_stream {
  cudaStream_t handle = nullptr;
  bool given = false;
  nb::object object; // keeps a stream object of the caller alive
};

// Returns the stream of a call: the argument `stream` is a number (the handle), or an object with
// __cuda_stream__, cuda_stream or ptr. Throws TypeError for any other object.
[[nodiscard]] call_stream stream_of(const call& started);

// Waits until the work of a call has ended, unless the caller chose the stream.
void finish(const call_stream& stream);

// Memory of a GPU that several arrays can share.
class device_storage {
public:
  // `owner` frees the memory when it is destroyed, in the order of the stream.
  device_storage(std::shared_ptr<void> owner, int device, const call_stream& stream)
      : device_(device), stream_(stream.object), owner_(std::move(owner)) {}
  ~device_storage();
  device_storage(const device_storage&) = delete;
  device_storage& operator=(const device_storage&) = delete;

private:
  int device_;
  nb::object stream_; // is alive until the memory is freed
  std::shared_ptr<void> owner_;
};

// An array of numbers in the memory of a GPU. `stride` is the distance of items, in items. `rows` is not 0
// for a matrix, which has as many columns.
struct device_array {
  std::shared_ptr<device_storage> storage;
  void* data = nullptr;
  std::uint64_t size = 0, stride = 1, rows = 0;
  bool is_matrix = false;
  io::element_type type{};
  int device = 0;
  cudaStream_t stream = nullptr; // the work that writes the items is in this stream

  template <class T> [[nodiscard]] T* items() const { return static_cast<T*>(data); }
};

// Returns a new array of uninitialised items on the current device, whose index is `device`.
[[nodiscard]] device_array new_device_array(io::element_type type, std::uint64_t size, int device,
                                            const call_stream& stream);

// Adds the class to the module.
void bind_device_array(nb::module_& module);

} // namespace weft::python
